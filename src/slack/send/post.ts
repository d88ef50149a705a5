import type { Logger } from "pino";
import type { Message, Post } from "../../views/kit/message.ts";
import { inviteHint } from "../../views/messages/invite-hint.ts";
import type { Clients } from "./clients.ts";
import { isDirect, type Place } from "../../workflow/origin.ts";
import { reply, type Reply, type ReplyDeps } from "./response-url.ts";
import { sentences } from "../../views/messages/sentences.ts";
import { closedPlaces, errorOf, uninvited } from "./slack-error.ts";
import { postThread } from "./thread.ts";

export type PostOptions = {
  /** For everybody in the channel instead of for the asker. */
  readonly isShared: boolean;
};

export type Poster = {
  /** Brings a message to its people by whichever way is open. Never rejects: what cannot be said is logged. */
  readonly post: (message: Message, place: Place, options: PostOptions) => Promise<void>;
  /** For the asker's eyes, beside what stands there. */
  readonly tell: (message: Post, place: Place) => Promise<void>;
  /** `tell`, and whether Slack took it by any way. Never rejects. */
  readonly reaches: (message: Post, place: Place) => Promise<boolean>;
};

export type PosterParts = {
  readonly clients: Clients;
  readonly reply: ReplyDeps;
  readonly log: Logger;
  readonly newReference: () => string;
  readonly botName: () => string;
};

export function createPoster(parts: PosterParts): Poster {
  const reaches = (message: Post, place: Place): Promise<boolean> =>
    say(parts, place, bodyOf(message, { response_type: "ephemeral", replace_original: false }));
  const tell = async (message: Post, place: Place): Promise<void> => void (await reaches(message, place));
  return {
    tell,
    reaches,
    async post(message, place, { isShared }) {
      if (message.thread === undefined) {
        await say(parts, place, bodyOf(message, kindOf(place, isShared)));
        return undefined;
      }
      // In their conversation with the bot it is private where it stands.
      const isElsewhere = message.thread.isPrivate === true && !isDirect(place.channelId);
      const { channelId, threadTs } = isElsewhere ? { channelId: place.userId, threadTs: undefined } : place;
      const result = await postThread(parts, message, {
        channel: channelId,
        ...(threadTs !== undefined && { thread_ts: threadTs }),
      });
      if (result.kind === "complete") return isElsewhere ? tell(sentences.fileElsewhere(), place) : undefined;
      if (result.kind === "incomplete") return tell(sentences.threadIncomplete(result.reference), place);
      const hint = result.canInvite ? inviteHint(place.channelId, parts.botName()) : undefined;
      return tell(joined(message.thread.alone, hint), place);
    },
  };
}

type Kind = Omit<Reply, "text" | "blocks">;

function kindOf(place: Place, isShared: boolean): Kind {
  // An ephemeral message cannot become a public one, nor the other way round, so a click keeps what it is.
  if (place.replaces !== undefined) return { response_type: place.replaces, replace_original: true };
  // What is asked aloud in a thread is answered aloud there.
  const { threadTs } = place;
  if (threadTs !== undefined) return { response_type: "in_channel", replace_original: false, thread_ts: threadTs };
  return { response_type: isShared ? "in_channel" : "ephemeral", replace_original: false };
}

function bodyOf({ text, blocks }: Post, kind: Kind): Reply {
  return { text, ...(blocks.length > 0 && { blocks }), ...kind };
}

function joined(post: Post, hint: Post | undefined): Post {
  if (hint === undefined) return post;
  return { text: `${post.text}\n${hint.text}`, blocks: [...post.blocks, ...hint.blocks] };
}

/** By the interaction's own address; without blocks when Slack does not like them; at last past the address. */
async function say(parts: PosterParts, place: Place, body: Reply): Promise<boolean> {
  const { log, newReference } = parts;
  if (place.responseUrl === undefined) return sayDirectly(parts, place, body);
  let refused = await reply(place.responseUrl, body, parts.reply);
  if (refused?.kind === "content") {
    const reference = newReference();
    log.error(
      { reference, slackError: refused.why, blockTypes: body.blocks?.map(({ type }) => type) },
      "Slack refused our blocks",
    );
    refused = await reply(
      place.responseUrl,
      { ...withoutBlocks(body), text: withReference(body.text, reference) },
      parts.reply,
    );
  }
  if (refused === undefined) return true;
  log.warn({ kind: refused.kind, slackError: refused.why }, "a response_url did not take an answer");
  return sayDirectly(parts, place, body);
}

function withoutBlocks({ blocks: _blocks, ...rest }: Reply): Reply {
  return rest;
}

function withReference(text: string, reference: string): string {
  return `${text}\n(shown without its layout; reference ${reference})`;
}

/**
 * Past the interaction's address: where the bot is a member. For one person's eyes it is gone when they reload, but
 * better than silence. Where it is not, and for what came from no channel, the conversation with the bot is left.
 */
async function sayDirectly(parts: PosterParts, place: Place, body: Reply): Promise<boolean> {
  const { userId, channelId } = place;
  const there = isDirect(channelId) ? sayAlone(parts, channelId, { place, body }) : sayThere(parts, place, body);
  let error = await errorOf(() => there);
  if (error !== undefined && (uninvited.has(error) || closedPlaces.has(error))) {
    error = await errorOf(() => sayAlone(parts, userId, { body }));
  }
  if (error === undefined) return true;
  parts.log.error({ slackError: error, userId, channelId }, "a person could not be answered");
  return false;
}

type Alone = { readonly place?: Place; readonly body: Reply };

/** In the conversation with the bot; in the thread there in which it was asked. */
async function sayAlone({ clients }: PosterParts, channel: string, { place, body }: Alone): Promise<void> {
  const { text, blocks } = body;
  const thread = place?.threadTs === undefined ? {} : { thread_ts: place.threadTs };
  const said = { channel, text, ...(blocks && { blocks: [...blocks] }), ...thread };
  await clients.interactive.chat.postMessage({ ...said, ...unfurl });
}

const unfurl = { unfurl_links: false, unfurl_media: false } as const;

/** In the channel, for everybody or for one person's eyes. */
async function sayThere({ clients }: PosterParts, place: Place, body: Reply): Promise<void> {
  const { text, blocks, response_type } = body;
  const { channelId: channel, userId: user, threadTs, isNewThread } = place;
  const isForAll = response_type === "in_channel";
  const isInThread = threadTs !== undefined && (isForAll || isNewThread !== true);
  const said = {
    channel,
    text,
    ...(blocks && { blocks: [...blocks] }),
    ...(isInThread && { thread_ts: threadTs }),
  };
  if (isForAll) await clients.interactive.chat.postMessage({ ...said, ...unfurl });
  else await clients.interactive.chat.postEphemeral({ ...said, user });
}
