import type { WorkspaceParts } from "../parts.ts";
import { type Message, type Post, sentAgain } from "../../views/kit/post.ts";
import { inviteHint, sentences } from "../../views/messages/sentences.ts";
import { isDirect, type Origin } from "../../workflow/origin.ts";
import type { People, Responder, WorkflowClock } from "../../workflow/ports.ts";
import { patiently, type Result } from "./call.ts";
import type { Messenger, ResponseHow, Conversation } from "./messenger.ts";
import { type FailureKind, isTemporary, LATE, reasonFor, type SlackFailure } from "./slack-error.ts";

/** Answers people by the best route that is open: response_url, channel, then their direct conversation with the bot. */
export function createResponder(parts: Parts & Pick<Responder, "formReply" | "refreshHome">): Responder {
  const { messenger, formReply, refreshHome } = parts;
  return {
    answer: (message, origin, options) => answer(parts, message, { ...options, origin }),
    tell: (message, origin) => tell(parts, message, origin),
    tellPatiently: (here, origin) => sendPatiently(parts, { here }, { origin, how: alone }),
    working: (origin) => showWorking(parts, origin),
    showInForm: async (viewId, view) => (await messenger.updateView({ viewId, view })).ok,
    formReply,
    refreshHome,
  };
}

type Parts = Pick<WorkspaceParts, "log" | "messenger"> & {
  readonly people: Pick<People, "bot">;
  readonly clock: Pick<WorkflowClock, "wait">;
};

type Answering = Parameters<Responder["answer"]>[2] & { readonly origin: Origin };

async function answer(parts: Parts, message: Message, { origin, isShared, inDirect }: Answering): Promise<void> {
  const said: Said = { here: aloneOf(message), inDirect: inDirect && (async () => aloneOf(await inDirect())) };
  if (message.isPrivate === true) {
    // Only a page of a private message takes that message's place.
    const how: ResponseHow = { response_type: "ephemeral", replace_original: origin.replaces === "ephemeral" };
    return sendPatiently(parts, said, { origin, how });
  }
  if (message.thread === undefined) {
    return sendPatiently(parts, said, { origin, how: howToAnswer(origin, isShared) });
  }
  // A private thread goes to the conversation with the bot.
  const isElsewhere = message.thread.isPrivate === true && !isDirect(origin.channelId);
  const { channelId, threadTs } = isElsewhere ? { channelId: origin.userId, threadTs: undefined } : origin;
  const shown = (isElsewhere ? await inDirect?.() : undefined) ?? message;
  if (shown.thread === undefined) return sendPatiently(parts, { here: shown }, { origin, how: alone });
  const result = await postThread(parts, shown, { channel: channelId, threadTs });
  if (result.kind === "complete" && !isElsewhere) return;
  await sendPatiently(parts, beside(parts, result, said, origin.channelId), { origin, how: alone });
}

/** A message for one person. */
type Said = {
  readonly here: Post;
  /** In their direct message instead, where they may be allowed to read less. */
  readonly inDirect?: (() => Promise<Post>) | undefined;
};

function aloneOf(message: Message): Post {
  return message.thread?.alone ?? message;
}

function changed({ here, inDirect }: Said, change: (post: Post) => Post): Said {
  return { here: change(here), inDirect: inDirect && (async () => change(await inDirect())) };
}

/** The message for the asker alone, if the thread is incomplete or elsewhere. */
function beside({ people }: Parts, result: ThreadResult, said: Said, channelId: string): Said {
  if (result.kind === "complete") return { here: sentences.fileElsewhere() };
  if (result.kind === "incomplete") {
    const { failure } = result;
    return { here: sentences.threadIncomplete(reasonFor(failure), isTemporary(failure), failure.reference) };
  }
  const alone = result.mayBeThere ? changed(said, sentAgain) : said;
  if (!result.canInvite) return alone;
  const hint = inviteHint(channelId, people.bot().name);
  return changed(alone, ({ text, blocks }) => ({
    text: `${text}\n${hint.text}`,
    blocks: [...blocks, ...hint.blocks],
  }));
}

function howToAnswer(origin: Origin, isShared: boolean): ResponseHow {
  // An ephemeral message cannot become a public one, nor the other way round, so a click keeps its kind.
  if (origin.replaces !== undefined) return { response_type: origin.replaces, replace_original: true };
  const { threadTs } = origin;
  if (threadTs !== undefined) return { response_type: "in_channel", replace_original: false, thread_ts: threadTs };
  return { response_type: isShared ? "in_channel" : "ephemeral", replace_original: false };
}

const alone: ResponseHow = { response_type: "ephemeral", replace_original: false };

async function tell(parts: Parts, here: Post, origin: Origin): Promise<boolean | "maybe"> {
  const sent = await sendByAnyRoute(parts, { here }, { origin, how: alone });
  return !sent.ok && sent.failure.mayBeDone ? "maybe" : sent.ok;
}

/**
 * After a slash command or a click, a message for one person, which stays: Slack neither replaces nor removes it, see
 * https://github.com/slackapi/bolt-js/issues/2287. Otherwise a message that can be removed.
 */
async function showWorking({ messenger }: Parts, origin: Origin): Promise<() => Promise<void>> {
  const { responseUrl, channelId, threadTs } = origin;
  if (responseUrl !== undefined) {
    await messenger.respond(responseUrl, sentences.working(), alone);
    return () => Promise.resolve();
  }
  const posted = await messenger.post({ channel: channelId, threadTs }, sentences.working(), "answer");
  return async () => {
    if (posted.ok) await messenger.remove(posted.value);
  };
}

type Sending = { readonly origin: Origin; readonly how: ResponseHow };

/** For reads: nobody stores them, so nobody else would answer. */
async function sendPatiently(parts: Parts, said: Said, sending: Sending): Promise<void> {
  let next = said;
  await patiently(parts.clock, async () => {
    const sent = await sendByAnyRoute(parts, next, sending);
    if (!sent.ok && sent.failure.mayBeDone) next = changed(said, sentAgain);
    return sent;
  });
}

async function sendByAnyRoute(parts: Parts, said: Said, sending: Sending): Promise<Result<unknown>> {
  const { responseUrl } = sending.origin;
  if (responseUrl === undefined) return sendDirectly(parts, said, sending);
  const responded = await parts.messenger.respond(responseUrl, said.here, sending.how);
  if (responded.ok) return responded;
  const { mayBeDone } = responded.failure;
  const sent = await sendDirectly(parts, mayBeDone ? changed(said, sentAgain) : said, sending);
  if (sent.ok || !mayBeDone) return sent;
  // A late one is there, most likely.
  return responded.failure.code === LATE ? responded : { ok: false, failure: { ...sent.failure, mayBeDone } };
}

/** Slack may have taken the message, or takes none from us: another route won't help. */
const noOtherRoute: ReadonlySet<FailureKind> = new Set(["unsure", "temporary", "token"]);

/** Without the response_url. An ephemeral message is gone on reload, but better than silence. */
async function sendDirectly(parts: Parts, { here, inDirect }: Said, sending: Sending): Promise<Result<unknown>> {
  const { userId, channelId } = sending.origin;
  let result = await sendWhereAsked(parts, here, sending);
  if (!result.ok && !noOtherRoute.has(result.failure.kind)) {
    const isLimited = result.failure.kind === "limited";
    // The last route. Behind a rate limit it waits: nobody repeats the answer to a read.
    if (isLimited || channelId !== userId) {
      const post = (await inDirect?.()) ?? here;
      result = await parts.messenger.post({ channel: userId }, post, isLimited ? "background" : "answer");
    }
  }
  if (!result.ok) parts.log.error({ ...whyNot(result), userId, channelId }, "couldn't answer a person");
  return result;
}

/** In the conversation with the bot, or in the channel for everybody or for one person. */
function sendWhereAsked({ messenger }: Parts, post: Post, { origin, how }: Sending): Promise<Result<unknown>> {
  const { channelId: channel, userId: user, threadTs, isNewThread } = origin;
  if (isDirect(channel) || how.response_type === "in_channel") {
    return messenger.post({ channel, threadTs }, post, "answer");
  }
  // Slack shows ephemeral messages only in threads that have replies.
  return messenger.postEphemeral({ channel, user, threadTs: isNewThread === true ? undefined : threadTs }, post);
}

function whyNot({ failure }: Extract<Result<unknown>, { ok: false }>) {
  const { reference, method, code: slackError } = failure;
  return { reference, method, slackError };
}

/**
 * - `complete`: all of it is in the channel
 * - `incomplete`: it begins there, and Slack didn't take or confirm the rest
 * - `nowhere`: nothing was posted, as far as Slack told
 */
type ThreadResult =
  | { readonly kind: "complete" }
  | { readonly kind: "incomplete"; readonly failure: SlackFailure }
  | { readonly kind: "nowhere"; readonly canInvite: boolean; readonly mayBeThere: boolean };

/** Posts a head, then its replies and files below it, in order; all of it into a thread that exists. Never rejects. */
async function postThread({ messenger, log }: Parts, message: Message, to: Conversation): Promise<ThreadResult> {
  const head = await messenger.post(to, message, "background");
  if (!head.ok) {
    // A bot can't be invited to a conversation of two people.
    const { kind, mayBeDone: mayBeThere } = head.failure;
    return { kind: "nowhere", canInvite: kind === "uninvited" && !isDirect(to.channel), mayBeThere };
  }
  // Files go only to a conversation's own id, not to a person's.
  const { channelId: channel, ts } = head.value;
  const failure = await failedRest(messenger, message, { channel, threadTs: to.threadTs ?? ts });
  if (failure === undefined) return { kind: "complete" };
  const { reference, method, code: slackError } = failure;
  log.error({ reference, method, slackError, channelId: to.channel }, "couldn't complete a thread");
  return { kind: "incomplete", failure };
}

async function failedRest(
  messenger: Messenger,
  { thread }: Message,
  to: Conversation,
): Promise<SlackFailure | undefined> {
  for (const reply of thread?.replies ?? []) {
    const posted = await messenger.post(to, reply, "background");
    if (!posted.ok) return posted.failure;
  }
  for (const file of thread?.files ?? []) {
    const uploaded = await messenger.upload(file, to);
    if (!uploaded.ok) return uploaded.failure;
  }
  return undefined;
}
