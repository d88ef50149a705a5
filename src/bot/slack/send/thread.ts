import type { Logger } from "pino";
import type { Message } from "../../views/kit/message.ts";
import { isDirect } from "../../workflow/origin.ts";
import type { Conversation, Messenger } from "./messenger.ts";
import type { SlackFailure } from "./slack-error.ts";

type ThreadDeps = { readonly messenger: Pick<Messenger, "post" | "upload">; readonly log: Logger };

/**
 * - `complete`: all of it is in the channel
 * - `incomplete`: it begins there, and Slack didn't take or confirm the rest
 * - `nowhere`: nothing was posted
 */
export type ThreadResult =
  | { readonly kind: "complete" }
  | { readonly kind: "incomplete"; readonly failure: SlackFailure }
  | { readonly kind: "nowhere"; readonly canInvite: boolean };

/** Posts a head, then its replies and files below it, in order; all of it into a thread that exists. Never rejects. */
export async function postThread(deps: ThreadDeps, message: Message, to: Conversation): Promise<ThreadResult> {
  const head = await deps.messenger.post(to, message, "background");
  if (!head.ok) {
    // A bot can't be invited to a conversation of two people.
    return { kind: "nowhere", canInvite: head.failure.kind === "uninvited" && !isDirect(to.channel) };
  }
  // Files go only to a conversation's own id, not to a person's.
  const { channelId: channel, ts } = head.value;
  const failure = await failedRest(deps, message, { channel, threadTs: to.threadTs ?? ts });
  if (failure === undefined) return { kind: "complete" };
  const { reference, method, code: slackError } = failure;
  deps.log.error({ reference, method, slackError, channelId: to.channel }, "couldn't complete a thread");
  return { kind: "incomplete", failure };
}

async function failedRest(
  { messenger }: ThreadDeps,
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
