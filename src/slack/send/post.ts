import type { Logger } from "pino";
import type { Message, Post } from "../../views/kit/message.ts";
import { inviteHint, sentences } from "../../views/messages/sentences.ts";
import type { Clients } from "./clients.ts";
import { isDirect, type Origin } from "../../workflow/origin.ts";
import { reply, type ResponseBody, type ReplyDeps } from "./response-url.ts";
import { closedPlaces, errorOf, uninvited } from "./slack-error.ts";
import { postThread } from "./thread.ts";

export type PostOptions = {
  /** For everybody in the channel instead of for the asker. */
  readonly isShared: boolean;
};

export type Poster = {
  /** Brings a message to its people by whichever way is open. Never rejects: what cannot be said is logged. */
  readonly post: (message: Message, origin: Origin, options: PostOptions) => Promise<void>;
  /** For the asker's eyes, beside what stands there. */
  readonly tell: (message: Post, origin: Origin) => Promise<void>;
  /** `tell`, and whether Slack took it by any way. Never rejects. */
  readonly reaches: (message: Post, origin: Origin) => Promise<boolean>;
};

export type PosterParts = {
  readonly clients: Clients;
  readonly reply: ReplyDeps;
  readonly log: Logger;
  readonly newReference: () => string;
  readonly botName: () => string;
};

export function createPoster(parts: PosterParts): Poster {
  const reaches = (message: Post, origin: Origin): Promise<boolean> =>
    say(parts, origin, bodyOf(message, { response_type: "ephemeral", replace_original: false }));
  const tell = async (message: Post, origin: Origin): Promise<void> => void (await reaches(message, origin));
  return {
    tell,
    reaches,
    async post(message, origin, { isShared }) {
      if (message.thread === undefined) {
        await say(parts, origin, bodyOf(message, kindOf(origin, isShared)));
        return undefined;
      }
      // In their conversation with the bot it is private where it stands.
      const isElsewhere = message.thread.isPrivate === true && !isDirect(origin.channelId);
      const { channelId, threadTs } = isElsewhere ? { channelId: origin.userId, threadTs: undefined } : origin;
      const result = await postThread(parts, message, {
        channel: channelId,
        ...(threadTs !== undefined && { thread_ts: threadTs }),
      });
      if (result.kind === "complete") return isElsewhere ? tell(sentences.fileElsewhere(), origin) : undefined;
      if (result.kind === "incomplete") return tell(sentences.threadIncomplete(result.reference), origin);
      const hint = result.canInvite ? inviteHint(origin.channelId, parts.botName()) : undefined;
      return tell(joined(message.thread.alone, hint), origin);
    },
  };
}

type Kind = Omit<ResponseBody, "text" | "blocks">;

function kindOf(origin: Origin, isShared: boolean): Kind {
  // An ephemeral message cannot become a public one, nor the other way round, so a click keeps what it is.
  if (origin.replaces !== undefined) return { response_type: origin.replaces, replace_original: true };
  // What is asked aloud in a thread is answered aloud there.
  const { threadTs } = origin;
  if (threadTs !== undefined) return { response_type: "in_channel", replace_original: false, thread_ts: threadTs };
  return { response_type: isShared ? "in_channel" : "ephemeral", replace_original: false };
}

function bodyOf({ text, blocks }: Post, kind: Kind): ResponseBody {
  return { text, ...(blocks.length > 0 && { blocks }), ...kind };
}

function joined(post: Post, hint: Post | undefined): Post {
  if (hint === undefined) return post;
  return { text: `${post.text}\n${hint.text}`, blocks: [...post.blocks, ...hint.blocks] };
}

/** By the interaction's own address; without blocks when Slack does not like them; at last past the address. */
async function say(parts: PosterParts, origin: Origin, body: ResponseBody): Promise<boolean> {
  const { log, newReference } = parts;
  if (origin.responseUrl === undefined) return sayDirectly(parts, origin, body);
  let refused = await reply(origin.responseUrl, body, parts.reply);
  if (refused?.kind === "content") {
    const reference = newReference();
    log.error(
      { reference, slackError: refused.why, blockTypes: body.blocks?.map(({ type }) => type) },
      "Slack refused our blocks",
    );
    refused = await reply(
      origin.responseUrl,
      { ...withoutBlocks(body), text: withReference(body.text, reference) },
      parts.reply,
    );
  }
  if (refused === undefined) return true;
  log.warn({ kind: refused.kind, slackError: refused.why }, "a response_url did not take an answer");
  return sayDirectly(parts, origin, body);
}

function withoutBlocks({ blocks: _blocks, ...rest }: ResponseBody): ResponseBody {
  return rest;
}

function withReference(text: string, reference: string): string {
  return `${text}\n(shown without its layout; reference ${reference})`;
}

/**
 * Past the interaction's address: where the bot is a member. For one person's eyes it is gone when they reload, but
 * better than silence. Where it is not, and for what came from no channel, the conversation with the bot is left.
 */
async function sayDirectly(parts: PosterParts, origin: Origin, body: ResponseBody): Promise<boolean> {
  const { userId, channelId } = origin;
  const there = isDirect(channelId) ? sayAlone(parts, channelId, { origin, body }) : sayThere(parts, origin, body);
  let error = await errorOf(() => there);
  if (error !== undefined && (uninvited.has(error) || closedPlaces.has(error))) {
    error = await errorOf(() => sayAlone(parts, userId, { body }));
  }
  if (error === undefined) return true;
  parts.log.error({ slackError: error, userId, channelId }, "a person could not be answered");
  return false;
}

type Alone = { readonly origin?: Origin; readonly body: ResponseBody };

/** In the conversation with the bot; in the thread there in which it was asked. */
async function sayAlone({ clients }: PosterParts, channel: string, { origin, body }: Alone): Promise<void> {
  const { text, blocks } = body;
  const thread = origin?.threadTs === undefined ? {} : { thread_ts: origin.threadTs };
  const said = { channel, text, ...(blocks && { blocks: [...blocks] }), ...thread };
  await clients.interactive.chat.postMessage({ ...said, ...unfurl });
}

const unfurl = { unfurl_links: false, unfurl_media: false } as const;

/** In the channel, for everybody or for one person's eyes. */
async function sayThere({ clients }: PosterParts, origin: Origin, body: ResponseBody): Promise<void> {
  const { text, blocks, response_type } = body;
  const { channelId: channel, userId: user, threadTs, isNewThread } = origin;
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
