import { newReference } from "../../../platform/log.ts";
import type { WebClient } from "@slack/web-api";
import { randomUUID } from "node:crypto";
import { boundedMap } from "../../../platform/bounded-map.ts";
import type { Card } from "../../changes/stored-change.ts";
import { type Post, SENT_AGAIN, sentAgain, type TextFile } from "../../views/kit/post.ts";
import { withoutPlans } from "../../views/kit/plan.ts";
import { truncate } from "../../views/kit/text.ts";
import { type CallParts, callSlack, logFailure, type Result } from "./call.ts";
import type { Urgency } from "./clients.ts";
import { reply, type ResponseBody } from "./response-url.ts";
import { classify, ThreadGone } from "./slack-error.ts";

export type Conversation = {
  readonly channel: string;
  readonly threadTs?: string | undefined;
  /** A message of the thread is also shown in its channel. */
  readonly isBroadcast?: boolean;
};

/** `hash` identifies the state of a view: an update that passes an older one fails as `superseded`. */
export type OpenView = { readonly viewId: string; readonly hash: string | undefined };

/**
 * The only module that sends anything to Slack. A 429 holds back only the same method for the same channel, view or
 * person. Every failure is classified and logged with a reference. When Slack refuses blocks, the text is sent without
 * them. Nothing here rejects.
 */
export type Messenger = {
  /**
   * Resolves to where the message is: a post to a person's id lands in a conversation with another id. Fails as `gone` when
   * the first message of the thread was deleted.
   */
  readonly post: (to: Conversation, post: Post, urgency: Urgency) => Promise<Result<Card>>;
  /** Only that person sees it, until they reload. They must be in the channel. */
  readonly postEphemeral: (to: Conversation & { readonly user: string }, post: Post) => Promise<Result<void>>;
  readonly update: (card: Card, post: Post, urgency: Urgency) => Promise<Result<void>>;
  readonly remove: (card: Card) => Promise<Result<void>>;
  readonly permalink: (card: Card) => Promise<Result<string | undefined>>;
  /** Posts to a response_url: five uses within 30 minutes, whether or not the bot is in the channel. */
  readonly respond: (url: string, post: Post, how: ResponseHow) => Promise<Result<void>>;
  /** A trigger lives for 3 s and opens one view. */
  readonly openView: (opening: {
    readonly triggerId: string;
    readonly user: string;
    readonly view: object;
  }) => Promise<Result<OpenView | undefined>>;
  readonly updateView: (update: {
    readonly viewId: string;
    readonly view: object;
    readonly hash?: string | undefined;
  }) => Promise<Result<OpenView>>;
  readonly publishHome: (home: { readonly user: string; readonly view: object }) => Promise<Result<void>>;
  readonly upload: (file: TextFile, to: Conversation) => Promise<Result<void>>;
};

export type ResponseHow = Omit<ResponseBody, "text" | "blocks">;

type MessengerParts = CallParts & {
  /** What a message is posted to a response_url with. */
  readonly replies: Parameters<typeof reply>[2];
  /** The slash command, named where buttons couldn't be shown. */
  readonly command: string;
  /** Slack refused a message for its plan, and took it without: the next so many go without, too. */
  readonly plans: { without: number };
};

/** By channel and thread: those whose first message was deleted, so that Slack is asked once for each. */
type GoneThreads = ReturnType<typeof boundedMap<string, true>>;
const MOST_GONE_THREADS = 1_000;

export function createMessenger(given: Omit<MessengerParts, "latest" | "retrying" | "plans">): Messenger {
  const parts: MessengerParts = { ...given, latest: new Map(), retrying: new Map(), plans: { without: 0 } };
  const goneThreads: GoneThreads = boundedMap(MOST_GONE_THREADS);
  return {
    post: (to, post, urgency) =>
      asPlainIfRefused(parts, post, (body) =>
        callSlack(parts, {
          method: "chat.postMessage",
          target: to.channel,
          urgency,
          run: (client, isAgain) => postMessage(client, { ...to, goneThreads }, isAgain ? againOf(body) : body),
        }),
      ),
    postEphemeral: ({ channel, threadTs, user }, post) =>
      asPlainIfRefused(parts, post, (body) =>
        callSlack(parts, {
          method: "chat.postEphemeral",
          target: channel,
          urgency: "answer",
          run: async (client) =>
            void (await client.chat.postEphemeral({
              channel,
              user,
              ...(threadTs !== undefined && { thread_ts: threadTs }),
              ...body,
            })),
        }),
      ),
    update: ({ channelId: channel, ts }, post, urgency) =>
      asPlainIfRefused(parts, post, (body) =>
        callSlack(parts, {
          method: "chat.update",
          target: channel,
          urgency,
          // Blocks are empty, not omitted: chat.update keeps old blocks, with their buttons, when `blocks` is missing.
          run: async (client) => void (await client.chat.update({ channel, ts, blocks: [], ...body })),
        }),
      ),
    respond: (url, post, how) => asPlainIfRefused(parts, post, (body) => respond(parts, url, { ...body, ...how })),
    remove: ({ channelId: channel, ts }) =>
      callSlack(parts, {
        method: "chat.delete",
        target: channel,
        urgency: "background",
        run: async (client) => void (await client.chat.delete({ channel, ts })),
      }),
    permalink: ({ channelId: channel, ts: message_ts }) =>
      callSlack(parts, {
        method: "chat.getPermalink",
        target: channel,
        urgency: "interactive",
        run: async (client) => (await client.chat.getPermalink({ channel, message_ts })).permalink,
      }),
    upload: ({ name: filename, title, content }, { channel: channel_id, threadTs: thread_ts }) =>
      callSlack(parts, {
        method: "files.uploadV2",
        target: channel_id,
        urgency: "background",
        async run(client, isAgain) {
          const again = isAgain && { initial_comment: SENT_AGAIN };
          const file = { channel_id, filename, title, content, ...again };
          await client.files.uploadV2(thread_ts === undefined ? file : { ...file, thread_ts });
        },
      }),
    openView: (opening) => openView(parts, opening),
    updateView: ({ viewId, view, hash }) =>
      callSlack(parts, {
        method: "views.update",
        target: viewId,
        isReplacing: true,
        urgency: "background",
        async run(client) {
          const update = { view_id: viewId, view: view as View }; // built by views/
          const { view: updated } = await client.views.update(hash === undefined ? update : { ...update, hash });
          return { viewId, hash: updated?.hash };
        },
      }),
    publishHome: ({ user, view }) =>
      callSlack(parts, {
        method: "views.publish",
        target: user,
        isReplacing: true,
        urgency: "background",
        run: async (client) => void (await client.views.publish({ user_id: user, view: view as View })), // built by views/
      }),
  };
}

async function respond({ replies, log }: MessengerParts, url: string, body: ResponseBody): Promise<Result<void>> {
  const refused = await reply(url, body, replies);
  if (refused === undefined) return { ok: true, value: undefined };
  const about = { method: "response_url", target: undefined, needed: undefined, retryAfterMs: undefined };
  const { kind, code, mayBeDone } = refused;
  const failure = { ...about, kind, code, mayBeDone, reference: newReference() };
  logFailure(log, failure);
  return { ok: false, failure };
}

/** Slack takes 4,000 characters: https://docs.slack.dev/reference/methods/chat.update#truncating */
const MOST_TEXT = 3_800;

/** It may be one message that Slack refused, or one workspace for a while. */
const WITHOUT_PLANS = 50;

/** If Slack refuses a plan, sends its lines; if it refuses all blocks, the text alone. */
async function asPlainIfRefused<Value>(
  parts: Pick<MessengerParts, "log" | "command" | "plans">,
  { text, blocks }: Post,
  post: (body: Body) => Promise<Result<Value>>,
): Promise<Result<Value>> {
  const plain = { text, blocks: withoutPlans(blocks) };
  if (blocks.every(({ type }) => type !== "plan")) return asTextIfRefused(parts, plain, post);
  if (parts.plans.without > 0) {
    parts.plans.without -= 1;
    return asTextIfRefused(parts, plain, post);
  }
  const result = await post({ text, blocks: [...blocks] });
  if (result.ok || result.failure.kind !== "content") return result;
  const { method, code: slackError } = result.failure;
  parts.log.warn({ method, slackError }, "Slack refused a plan; its lines are sent instead");
  let isTaken = false;
  const again = await asTextIfRefused(parts, plain, async (body) => {
    const sent = await post(body);
    isTaken ||= sent.ok && body.blocks !== undefined;
    return sent;
  });
  if (isTaken) parts.plans.without = WITHOUT_PLANS;
  return again;
}

async function asTextIfRefused<Value>(
  { log, command }: Pick<MessengerParts, "log" | "command">,
  { text, blocks }: Post,
  post: (body: Body) => Promise<Result<Value>>,
): Promise<Result<Value>> {
  const result = await post({ text, ...(blocks.length > 0 && { blocks: [...blocks] }) });
  if (result.ok || result.failure.kind !== "content" || blocks.length === 0) return result;
  const { reference, method, code: slackError } = result.failure;
  const blockTypes = blocks.map(({ type }) => type);
  log.error({ reference, method, slackError, blockTypes }, "Slack refused our blocks");
  const note = blockTypes.includes("actions")
    ? `(Couldn't show the buttons. Use ${command} help. Reference ${reference})`
    : `(Couldn't show the layout. Reference ${reference})`;
  return post({ text: `${truncate(text, MOST_TEXT)}\n${note}` });
}

type Body = { text: string; blocks?: Post["blocks"][number][] };

function againOf({ text, blocks }: Body): Body {
  const again = sentAgain({ text, blocks: blocks ?? [] });
  return { text: again.text, ...(blocks && { blocks: [...again.blocks] }) };
}

/** Slack loads a preview of every link in a message unless told not to. */
const unfurl = { unfurl_links: false, unfurl_media: false } as const;

/** When the thread's first message was deleted: takes its message back, if Slack lets it, and throws `ThreadGone`. */
async function postMessage(
  client: WebClient,
  { channel, threadTs, isBroadcast = false, goneThreads }: Conversation & { readonly goneThreads: GoneThreads },
  body: Body,
): Promise<Card> {
  if (threadTs === undefined) return sent(channel, await client.chat.postMessage({ channel, ...body, ...unfurl }));
  const thread = `${channel} ${threadTs}`;
  if (goneThreads.has(thread)) throw new ThreadGone();
  const sending = { channel, thread_ts: threadTs, ...body, ...unfurl };
  const answer = await client.chat.postMessage(isBroadcast ? { ...sending, reply_broadcast: true } : sending);
  const posted = sent(channel, answer);
  if (answer.message === undefined || answer.message.thread_ts !== undefined) return posted;
  goneThreads.set(thread, true);
  // Without its thread it answers nothing, and it may not be for everybody in the channel.
  try {
    await client.chat.delete({ channel: posted.channelId, ts: posted.ts });
  } catch (error) {
    // It stays there, and mustn't come again.
    if (!classify(error).mayBeDone) return posted;
  }
  throw new ThreadGone();
}

function sent(channel: string, { channel: id, ts }: { channel?: string; ts?: string }): Card {
  if (ts === undefined) throw new Error("Slack's answer holds no ts");
  return { channelId: id ?? channel, ts };
}

type View = Parameters<WebClient["views"]["open"]>[0]["view"];
type Opening = Parameters<Messenger["openView"]>[0];

/** After a lost or late answer the form may be open all the same: it is found by an id of ours, and drawn again. */
async function openView(parts: CallParts, { triggerId, user, view }: Opening): Promise<Result<OpenView | undefined>> {
  const external_id = randomUUID();
  const named = { ...view, external_id } as View; // built by views/
  const opened = await callSlack(parts, {
    method: "views.open",
    target: user,
    urgency: "interactive",
    run: async (client) => openIn(await client.views.open({ trigger_id: triggerId, view: named })),
  });
  if (opened.ok || opened.failure.kind !== "unsure") return opened;
  const found = await callSlack(parts, {
    method: "views.update",
    target: external_id,
    urgency: "interactive",
    run: async (client) => openIn(await client.views.update({ external_id, view: named })),
  });
  return found.ok ? found : opened;
}

function openIn({ view }: { readonly view?: { readonly id?: string; readonly hash?: string } }): OpenView | undefined {
  return view?.id === undefined ? undefined : { viewId: view.id, hash: view.hash };
}
