import { WebAPIHTTPError, WebAPIPlatformError, WebAPIRateLimitedError, WebAPIRequestError } from "@slack/web-api";

/**
 * Everything a failed call to Slack can mean:
 * - `closed`: the bot can't do this in this conversation; an admin can change that
 * - `uninvited`: the same, and inviting the bot fixes it
 * - `gone`: the message, thread, view, person or group doesn't exist any more, or an address or trigger ran out
 * - `uneditable`: our message exists but can't be updated or removed, now or ever
 * - `superseded`: somebody updated the view first
 * - `content`: Slack refuses what we built; plain text may pass
 * - `ours`: another bug of ours, or a setting of the app
 * - `token`: Slack refuses the bot token; `scope`: the app lacks a scope
 * - `limited`: too many calls; `temporary`: not done, a retry may work
 * - `unsure`: the answer was lost, so it may have been done
 * - `unknown`: a code that isn't in our table
 */
export type FailureKind =
  | "closed"
  | "uninvited"
  | "gone"
  | "uneditable"
  | "superseded"
  | "content"
  | "ours"
  | "token"
  | "scope"
  | "limited"
  | "temporary"
  | "unsure"
  | "unknown";

export type SlackFailure = {
  /** Slack's method: "chat.update"; or "response_url". */
  readonly method: string;
  /** The channel, view or person it was for. */
  readonly target: string | undefined;
  /** Slack's error code, or the name of a transport error. */
  readonly code: string;
  readonly kind: FailureKind;
  /** The missing scope. */
  readonly needed: string | undefined;
  /** Slack may have done it, in this attempt or in one before, so that it may be there twice if it is sent again. */
  readonly mayBeDone: boolean;
  /** After a 429; at most ten minutes. */
  readonly retryAfterMs: number | undefined;
  /** Finds the cause in the log; shown to people. */
  readonly reference: string;
};

/**
 * One table for all methods the bot calls. Sources: https://docs.slack.dev/reference/methods (each method's errors) and
 * https://docs.slack.dev/apis/web-api#responses. A code means the same in each of them.
 */
const codes: Readonly<Record<Exclude<FailureKind, "unknown">, string>> = {
  closed: `is_archived is_inactive restricted_action restricted_action_read_only_channel restricted_action_thread_only_channel
    restricted_action_non_threadable_channel restricted_action_thread_locked access_denied no_permission accesslimited
    team_access_not_granted ekm_access_denied app_access_restricted enterprise_is_restricted cannot_reply_to_message
    messages_tab_disabled posting_to_channel_denied user_not_in_channel user_disabled channel_is_limited_access
    plan_upgrade_required method_not_supported_for_channel_type send_on_behalf_not_allowed not_enabled
    file_uploads_disabled file_uploads_except_images_disabled file_upload_size_restricted storage_limit_reached
    slack_connect_canvas_sharing_blocked slack_connect_file_link_sharing_blocked slack_connect_lists_sharing_blocked
    slack_connect_blocked_file_type slack_connect_clip_sharing_blocked slack_connect_file_upload_sharing_blocked
    file_type_not_allowed blocked_file_type unable_to_share_files file_share_limit_reached max_file_sharing_exceeded
    channels_limit_exceeded channel_type_not_supported`,
  uninvited: "not_in_channel channel_not_found invalid_channel",
  gone: `message_not_found thread_not_found not_found user_not_found users_not_found user_not_visible no_such_subteam
    file_not_found file_deleted file_is_deleted missing_file_data team_not_found expired_trigger_id exchanged_trigger_id
    invalid_trigger_id used_url expired_url invalid_url cant_update_message`,
  uneditable: `edit_window_closed block_mismatch cant_broadcast_message cant_delete_message
    no_dual_broadcast_content_update`,
  superseded: "hash_conflict",
  content: `invalid_blocks invalid_blocks_format msg_blocks_too_long msg_too_long invalid_arguments invalid_attachments
    too_many_attachments attachment_payload_limit_exceeded markdown_text_conflict too_many_contact_cards msg_blocks_too_many`,
  ours: `no_text invalid_arg_name invalid_array_arg invalid_charset invalid_form_data invalid_post_type missing_post_type
    missing_argument unknown_method method_deprecated deprecated_endpoint as_user_not_supported not_allowed_token_type
    invalid_metadata_format invalid_metadata_schema metadata_must_be_sent_from_app metadata_too_large missing_profile_id
    duplicate_external_id view_too_large not_implemented draft_already_deleted draft_already_sent draft_has_conflict
    draft_not_found duplicate_channel_not_found duplicate_message_not_found alt_txt_too_large snippet_too_large
    unknown_snippet_type unknown_subtype too_many_users invalid_cursor invalid_limit invalid_team invalid_types limit_required
    invalid_user_combination not_enough_users users_list_not_supplied`,
  token:
    "token_revoked invalid_auth account_inactive token_expired not_authed org_login_required two_factor_setup_required",
  scope: "missing_scope",
  limited: "ratelimited rate_limited",
  temporary:
    "message_limit_exceeded messaging_processing_failed streaming_state_conflict fetch_members_failed external_channel_migrating team_added_to_org file_update_failed",
  unsure: "internal_error fatal_error request_timeout service_unavailable update_failed",
};

// cant_update_message: a deleted message with replies stays as Slackbot's, and we update only messages that were ours.

const kindOfCode: ReadonlyMap<string, FailureKind> = new Map(
  Object.entries(codes).flatMap(
    ([kind, list]) => list.split(/\s+/u).map((code) => [code, kind as FailureKind] as const), // a key of `codes`
  ),
);

export function kindOf(code: string): FailureKind {
  return kindOfCode.get(code) ?? "unknown";
}

/** Upper bound for Slack's Retry-After, which is usually 30 s. */
const MOST_RETRY_AFTER_MS = 10 * 60_000;

export type Classified = Omit<SlackFailure, "method" | "target" | "reference">;

/** Classifies an error of the Web API client. */
export function classify(error: unknown): Classified {
  const none = { needed: undefined, retryAfterMs: undefined, mayBeDone: false };
  if (error instanceof ThreadGone) return { ...none, code: "thread_not_found", kind: "gone" };
  if (error instanceof WebAPIRateLimitedError) {
    const retryAfterMs = Math.min(error.retryAfter * 1_000, MOST_RETRY_AFTER_MS);
    return { ...none, code: "ratelimited", kind: "limited", retryAfterMs };
  }
  if (error instanceof WebAPIPlatformError) {
    const { data } = error;
    const needed = "needed" in data && typeof data.needed === "string" ? data.needed : undefined;
    // The client takes a body that is no JSON for a code: a page of a proxy's.
    if (!/^\w{1,100}$/u.test(data.error)) return { ...none, code: "no JSON", kind: "unsure", mayBeDone: true };
    const kind = kindOf(data.error);
    return { ...none, code: data.error, kind, needed, mayBeDone: kind === "unsure" };
  }
  const cause = error instanceof WebAPIRequestError ? error.original : error;
  const code = isUnconnected(cause) ? NO_CONNECTION : cause instanceof Error ? cause.name : "unknown";
  // Slack refuses with 200 and a code. A 4xx comes from a proxy, and after a 5xx or a broken connection the result is unknown.
  const isRefused = error instanceof WebAPIHTTPError && error.statusCode < 500;
  if (isRefused) return { ...none, code, kind: "temporary" };
  return { ...none, code, kind: "unsure", mayBeDone: code !== NO_CONNECTION };
}

const passing: ReadonlySet<FailureKind> = new Set(["limited", "temporary", "unsure"]);

/** True if the same call may work later without anybody changing anything. */
export function isTemporary({ kind }: Pick<SlackFailure, "kind">): boolean {
  return passing.has(kind);
}

/** Code of a call whose answer didn't come in time. */
export const LATE = "TimeoutError";
const NO_CONNECTION = "NoConnection";

/** Of Node and undici. After any other failure of the network, Slack may have read the request. */
const UNCONNECTED: ReadonlySet<unknown> = new Set([
  "EAI_AGAIN",
  "ECONNREFUSED",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "ENOTFOUND",
  "UND_ERR_CONNECT_TIMEOUT",
]);

/** True if no connection came about, which `answerTo` tells with a TypeError and its cause. */
function isUnconnected(error: unknown): boolean {
  const { cause } = error instanceof TypeError ? error : {};
  return cause instanceof Error && "code" in cause && UNCONNECTED.has(cause.code);
}

const reasons: Readonly<Record<string, string>> = {
  is_archived: "the channel is archived",
  is_inactive: "the channel is archived",
  restricted_action: "posting in the channel is restricted",
  restricted_action_read_only_channel: "the channel is read-only",
  user_not_in_channel: "the person isn't in the channel",
  message_not_found: "the message was deleted",
  cant_update_message: "the message was deleted",
  thread_not_found: "the thread's first message was deleted",
  file_uploads_disabled: "file uploads are disabled in this workspace",
  file_uploads_except_images_disabled: "file uploads are disabled in this workspace",
  storage_limit_reached: "the workspace's file storage is full",
  user_disabled: "the person's account is deactivated",
};

const reasonsByKind: Readonly<Partial<Record<FailureKind, string>>> = {
  uninvited: "I'm not in the channel",
  superseded: "somebody else updated it first",
  limited: "Slack's rate limit is reached",
  unsure: "Slack didn't answer",
};

/** Why a call failed, in plain English, as the end of a sentence: "the Slack app lacks the channels:read scope". */
export function reasonFor({ kind, code, needed }: Pick<SlackFailure, "kind" | "code" | "needed">): string {
  if (kind === "scope") return `the Slack app lacks ${needed === undefined ? "a scope" : `the ${needed} scope`}`;
  if (kind === "token") return `Slack rejected the bot token (${code})`;
  return reasons[code] ?? reasonsByKind[kind] ?? `Slack refused it (${code})`;
}

/**
 * The first message of the thread was deleted. Slack then posts a reply in the channel itself, and reports no error:
 * https://github.com/slackapi/python-slack-events-api/issues/87
 */
export class ThreadGone extends Error {
  override readonly name = "ThreadGone";
}
