/**
 * The errors that Slack's pages list for the methods the bot calls, https://docs.slack.dev/reference/methods; and those of
 * every method, https://docs.slack.dev/apis/web-api#responses.
 */
export const documented: Readonly<Record<string, string>> = {
  "any method": `access_denied accesslimited account_inactive deprecated_endpoint ekm_access_denied enterprise_is_restricted
    fatal_error internal_error invalid_arg_name invalid_arguments invalid_array_arg invalid_auth invalid_charset
    invalid_form_data invalid_post_type method_deprecated missing_post_type missing_scope no_permission not_allowed_token_type
    not_authed org_login_required ratelimited request_timeout service_unavailable team_access_not_granted team_added_to_org
    token_expired token_revoked two_factor_setup_required`,
  "chat.postMessage": `app_access_restricted as_user_not_supported attachment_payload_limit_exceeded cannot_reply_to_message
    channel_not_found draft_already_deleted draft_already_sent draft_has_conflict draft_not_found duplicate_channel_not_found
    duplicate_message_not_found ekm_access_denied invalid_blocks invalid_blocks_format invalid_metadata_format
    invalid_metadata_schema is_archived markdown_text_conflict message_limit_exceeded messages_tab_disabled
    metadata_must_be_sent_from_app metadata_too_large missing_file_data msg_blocks_too_long no_text not_in_channel rate_limited
    restricted_action restricted_action_non_threadable_channel restricted_action_read_only_channel
    restricted_action_thread_locked restricted_action_thread_only_channel send_on_behalf_not_allowed
    slack_connect_canvas_sharing_blocked slack_connect_file_link_sharing_blocked slack_connect_lists_sharing_blocked
    team_not_found too_many_attachments too_many_contact_cards`,
  "chat.postEphemeral": `cannot_reply_to_message channel_not_found invalid_attachments invalid_blocks invalid_blocks_format
    is_archived markdown_text_conflict message_limit_exceeded messages_tab_disabled msg_too_long no_text not_in_channel
    restricted_action too_many_attachments user_not_in_channel`,
  "chat.update": `as_user_not_supported block_mismatch blocked_file_type cant_broadcast_message cant_update_message
    channel_not_found edit_window_closed external_channel_migrating file_deleted file_is_deleted file_not_found
    file_share_limit_reached invalid_attachments invalid_blocks invalid_blocks_format invalid_metadata_format
    invalid_metadata_schema is_inactive markdown_text_conflict max_file_sharing_exceeded message_limit_exceeded
    message_not_found metadata_must_be_sent_from_app metadata_too_large msg_too_long no_dual_broadcast_content_update no_text
    posting_to_channel_denied slack_connect_blocked_file_type slack_connect_canvas_sharing_blocked
    slack_connect_clip_sharing_blocked slack_connect_file_link_sharing_blocked slack_connect_file_upload_sharing_blocked
    streaming_state_conflict team_not_found too_many_attachments unable_to_share_files update_failed`,
  "chat.delete": "cant_delete_message channel_not_found message_not_found",
  "chat.getPermalink": "channel_not_found message_not_found",
  "views.open": "duplicate_external_id exchanged_trigger_id expired_trigger_id invalid_trigger_id view_too_large",
  "views.update": "duplicate_external_id hash_conflict not_found view_too_large",
  "views.publish": `duplicate_external_id hash_conflict missing_profile_id not_allowed_token_type not_enabled not_implemented
    view_too_large`,
  "files.getUploadURLExternal": `alt_txt_too_large file_type_not_allowed file_upload_size_restricted file_uploads_disabled
    file_uploads_except_images_disabled missing_argument snippet_too_large storage_limit_reached unknown_snippet_type
    unknown_subtype`,
  "files.completeUploadExternal": `access_denied channel_not_found channels_limit_exceeded file_not_found file_type_not_allowed
    file_update_failed file_uploads_except_images_disabled invalid_blocks invalid_channel not_in_channel
    posting_to_channel_denied`,
  "auth.test": "internal_error invalid_auth",
  "users.conversations": `invalid_cursor invalid_limit invalid_types method_not_supported_for_channel_type missing_argument
    missing_scope`,
  "users.info": "too_many_users user_not_found user_not_visible",
  "users.list": "invalid_cursor limit_required missing_argument",
  "usergroups.list": "invalid_cursor invalid_team missing_argument plan_upgrade_required users_not_found",
  "usergroups.users.list": "invalid_cursor no_such_subteam plan_upgrade_required",
  "conversations.members": `channel_not_found fetch_members_failed invalid_cursor invalid_limit
    method_not_supported_for_channel_type missing_scope`,
};

/** What a method may answer, each once. */
export function errorsOf(method: string): readonly string[] {
  const words = [documented["any method"], documented[method]].join(" ").split(/\s+/u);
  return [...new Set(words.filter((code) => code !== ""))];
}
