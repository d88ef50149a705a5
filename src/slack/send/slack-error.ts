import { WebAPIHTTPError, WebAPIPlatformError, WebAPIRateLimitedError } from "@slack/web-api";

/** https://docs.slack.dev/reference/methods/chat.postMessage#errors: the bot may not post there, whoever asks. */
export const closedPlaces: ReadonlySet<string> = new Set([
  "is_archived",
  // https://docs.slack.dev/reference/methods/chat.update#errors: its name for is_archived.
  "is_inactive",
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

/** Slack refuses the content, but accepts plain text. */
export const refusedContent: ReadonlySet<string> = new Set([
  "invalid_blocks",
  "invalid_blocks_format",
  "msg_blocks_too_long",
  "msg_too_long",
  "invalid_arguments",
  "invalid_attachments",
]);

/** https://docs.slack.dev/apis/web-api#responses: Slack's errors when the outcome is unknown. */
const unsure: ReadonlySet<string> = new Set([
  "internal_error",
  "fatal_error",
  "request_timeout",
  "service_unavailable",
]);

/** Slack's own word for what went wrong, or the kind of error of the transport. */
export function codeOf(error: unknown): string {
  if (error instanceof WebAPIPlatformError) return error.data.error;
  return error instanceof Error ? error.name : "unknown";
}

/** Whether asking again later may help: Slack was away, or had too much to do, and did not say no. */
export function isForTheMoment(error: unknown): boolean {
  if (!(error instanceof WebAPIPlatformError)) return true;
  const code = codeOf(error);
  return code === "ratelimited" || unsure.has(code);
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

export type CallFailure = {
  readonly code: string;
  /** Slack may have done it anyway: the answer was lost or unclear. */
  readonly isUnsure: boolean;
  /** After a 429. */
  readonly retryAfterMs: number | undefined;
};

/** How a call failed; undefined when it did not. */
export async function failureOf(call: () => Promise<unknown>): Promise<CallFailure | undefined> {
  try {
    await call();
    return undefined;
  } catch (error) {
    const code = codeOf(error);
    const isLimited = error instanceof WebAPIRateLimitedError;
    const isRefused = error instanceof WebAPIHTTPError && error.statusCode < 500;
    const isSure = isLimited || isRefused || (error instanceof WebAPIPlatformError && !unsure.has(code));
    return { code, isUnsure: !isSure, retryAfterMs: isLimited ? error.retryAfter * 1_000 : undefined };
  }
}
