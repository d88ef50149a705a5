import { WebAPIPlatformError } from "@slack/web-api";

/** https://docs.slack.dev/reference/methods/chat.postMessage#errors: the bot may not post there, whoever asks. */
export const closedPlaces: ReadonlySet<string> = new Set([
  "is_archived",
  "restricted_action",
  "restricted_action_read_only_channel",
  "restricted_action_thread_only_channel",
  "restricted_action_non_threadable_channel",
  "restricted_action_thread_locked",
  "access_denied",
  "missing_scope",
  "team_access_not_granted",
  "cannot_reply_to_message",
]);

/** What an invitation of the bot mends. */
export const uninvited: ReadonlySet<string> = new Set(["not_in_channel", "channel_not_found"]);

/** Slack's own word for what went wrong, or the kind of error of the transport. */
export function codeOf(error: unknown): string {
  if (error instanceof WebAPIPlatformError) return error.data.error;
  return error instanceof Error ? error.name : "unknown";
}

/** Slack's word for why a call failed; undefined when it did not. */
export async function errorOf(call: () => Promise<unknown>): Promise<string | undefined> {
  try {
    await call();
    return undefined;
  } catch (error) {
    return codeOf(error);
  }
}
