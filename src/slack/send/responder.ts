import type { Logger } from "pino";
import type { Message, Post } from "../../views/kit/message.ts";
import { inviteHint } from "../../views/messages/sentences.ts";
import { sentences } from "../../views/messages/sentences.ts";
import { isDirect, type Origin } from "../../workflow/origin.ts";
import type { People, Responder } from "../../workflow/ports.ts";
import type { Result } from "./call.ts";
import type { Messenger, ResponseHow } from "./messenger.ts";
import type { FailureKind } from "./slack-error.ts";
import { postThread } from "./thread.ts";

export type ResponderDeps = {
  readonly messenger: Messenger;
  readonly people: Pick<People, "bot">;
  readonly log: Logger;
} & Pick<Responder, "formReply" | "refreshHome">;

/** Answers people by the best route that is open: response_url, channel, then their direct conversation with the bot. */
export function createResponder(deps: ResponderDeps): Responder {
  const { messenger, log, formReply, refreshHome } = deps;
  return {
    answer: (message, origin, options) => answer(deps, message, { ...options, origin }),
    tell: (message, origin) => tell(deps, message, origin),
    async announce(channelId, message) {
      const posted = await messenger.post({ channel: channelId }, message, "background");
      if (!posted.ok) log.warn({ ...whyNot(posted), channelId }, "couldn't announce a change to a channel");
      return posted.ok;
    },
    showInForm: async (viewId, view) => (await messenger.updateView({ viewId, view })).ok,
    formReply,
    refreshHome,
  };
}

type Answering = { readonly origin: Origin; readonly isShared: boolean };

async function answer(deps: ResponderDeps, message: Message, { origin, isShared }: Answering): Promise<void> {
  if (message.isPrivate === true) return void (await send(deps, message, { origin, how: privately(origin) }));
  if (message.thread === undefined) {
    await send(deps, message, { origin, how: howToAnswer(origin, isShared) });
    return;
  }
  // A private thread goes to the conversation with the bot.
  const isElsewhere = message.thread.isPrivate === true && !isDirect(origin.channelId);
  const { channelId, threadTs } = isElsewhere ? { channelId: origin.userId, threadTs: undefined } : origin;
  const result = await postThread(deps, message, { channel: channelId, threadTs });
  if (result.kind === "complete" && !isElsewhere) return;
  await tell(deps, beside(result, message, { deps, channelId: origin.channelId }), origin);
}

type Beside = { readonly deps: ResponderDeps; readonly channelId: string };

/** The message for the asker alone, if the thread is incomplete or elsewhere. */
function beside(result: Awaited<ReturnType<typeof postThread>>, message: Message, { deps, channelId }: Beside): Post {
  if (result.kind === "complete") return sentences.fileElsewhere();
  if (result.kind === "incomplete") return sentences.threadIncomplete(result.reference);
  const alone = message.thread?.alone ?? message;
  if (!result.canInvite) return alone;
  const hint = inviteHint(channelId, deps.people.bot().name);
  return { text: `${alone.text}\n${hint.text}`, blocks: [...alone.blocks, ...hint.blocks] };
}

function howToAnswer(origin: Origin, isShared: boolean): ResponseHow {
  // An ephemeral message cannot become a public one, nor the other way round, so a click keeps its kind.
  if (origin.replaces !== undefined) return { response_type: origin.replaces, replace_original: true };
  const { threadTs } = origin;
  if (threadTs !== undefined) return { response_type: "in_channel", replace_original: false, thread_ts: threadTs };
  return { response_type: isShared ? "in_channel" : "ephemeral", replace_original: false };
}

/** Only a page of a private message takes that message's place. */
function privately({ replaces }: Origin): ResponseHow {
  return { response_type: "ephemeral", replace_original: replaces === "ephemeral" };
}

function tell(deps: ResponderDeps, message: Post, origin: Origin): Promise<boolean> {
  return send(deps, message, { origin, how: { response_type: "ephemeral", replace_original: false } });
}

type Sending = { readonly origin: Origin; readonly how: ResponseHow };

async function send(deps: ResponderDeps, post: Post, sending: Sending): Promise<boolean> {
  const { responseUrl } = sending.origin;
  if (responseUrl !== undefined && (await deps.messenger.respond(responseUrl, post, sending.how)).ok) return true;
  return sendDirectly(deps, post, sending);
}

/** Slack may have taken the message, or takes none from us: another route won't help. */
const noOtherRoute: ReadonlySet<FailureKind> = new Set(["unsure", "temporary", "token"]);

/** Without the response_url. An ephemeral message is gone on reload, but better than silence. */
async function sendDirectly(deps: ResponderDeps, post: Post, sending: Sending): Promise<boolean> {
  const { userId, channelId } = sending.origin;
  let result = await (isDirect(channelId) ? sendAlone(deps, post, sending.origin) : sendThere(deps, post, sending));
  if (!result.ok && !noOtherRoute.has(result.failure.kind)) {
    const isLimited = result.failure.kind === "limited";
    // The last route. Behind a rate limit it waits: nobody repeats the answer to a read.
    if (isLimited || channelId !== userId) {
      result = await deps.messenger.post({ channel: userId }, post, isLimited ? "background" : "interactive");
    }
  }
  if (result.ok) return true;
  deps.log.error({ ...whyNot(result), userId, channelId }, "couldn't answer a person");
  return false;
}

/** In the conversation with the bot, in the thread where they asked there. */
function sendAlone(
  { messenger }: ResponderDeps,
  post: Post,
  { channelId, threadTs }: Origin,
): Promise<Result<unknown>> {
  return messenger.post({ channel: channelId, threadTs }, post, "interactive");
}

/** In the channel, for everybody or for one person. */
function sendThere({ messenger }: ResponderDeps, post: Post, { origin, how }: Sending): Promise<Result<unknown>> {
  const { channelId: channel, userId: user, threadTs, isNewThread } = origin;
  if (how.response_type === "in_channel") return messenger.post({ channel, threadTs }, post, "interactive");
  // Slack shows ephemeral messages only in threads that have replies.
  return messenger.postEphemeral({ channel, user, threadTs: isNewThread === true ? undefined : threadTs }, post);
}

function whyNot({ failure }: Extract<Result<unknown>, { ok: false }>) {
  const { reference, method, code: slackError } = failure;
  return { reference, method, slackError };
}
