import { delivery, query, times } from "./limits.ts";

const docs = "https://docs.slack.dev";
const handling = `${docs}/interactivity/handling-user-interaction`;
const commands = `${docs}/interactivity/implementing-slash-commands`;
const shortcuts = `${docs}/interactivity/implementing-shortcuts`;
const events = `${docs}/reference/events`;
const connect = `${docs}/apis/slack-connect`;

/** Behaviour of the workspace itself, which a bot can't break. */
export const behaviour = {
  "ack.empty-closes": {
    says: "an empty answer to a view_submission closes the form",
    link: `${docs}/surfaces/modals`,
  },
  "ack.view-answers": {
    says: "the answer to a view_submission may update the form, or show errors under input blocks",
    link: `${docs}/surfaces/modals`,
  },
  "event.retries": {
    says: "an event that fails comes again at once, after a minute and after five, with its number and reason in headers",
    link: delivery.retries.link,
  },
  "event.no-retry": { says: "x-slack-no-retry: 1 ends the retries of an event", link: delivery.retries.link },
  "event.rate-notice": {
    says: "a bot with too many events gets app_rate_limited, once a minute",
    link: delivery.rate.link,
  },
  "command.in-thread": { says: "slash commands of apps do not work in threads", link: commands },
  "command.form": { says: "a slash command is a form, with no thread_ts in it", link: commands },
  "command.channel-name": {
    says: "channel_name is directmessage or privategroup where the channel is not public",
    link: commands,
  },
  "command.escape": {
    says: "with should_escape, names become <@U…|name> and <#C…|name>; without it, they stay as typed",
    link: commands,
  },
  "response-url.ephemeral": { says: "an answer is for one person unless it says in_channel", link: handling },
  "response-url.anywhere": {
    says: "a response_url works where the bot is no member: private channels and direct messages too",
    link: handling,
  },
  "shortcut.message": {
    says: "a message shortcut carries the message (a reply with its thread_ts), the channel, a response_url and a trigger_id",
    link: shortcuts,
  },
  "shortcut.global": { says: "a global shortcut carries no channel and no response_url", link: shortcuts },
  "mention.event": {
    says: "a mention comes as app_mention, and as a message too if the bot subscribed to both; in threads as well",
    link: `${events}/app_mention`,
  },
  "mention.member": { says: "a bot hears only of channels it is in", link: `${events}/app_mention` },
  "mention.edited": {
    says: "an edited message that mentions the app comes again as app_mention: with a new event_id, the same ts, and edited",
    link: `${events}/app_mention`,
  },
  "message.changed": {
    says: "where the app hears messages, an edit comes as message_changed with the message in it, and a deletion as message_deleted",
    link: `${events}/message/message_changed`,
  },
  "message.tombstone": {
    says: "a deleted message that has replies stays as a tombstone of Slackbot's until they are gone: it comes as message_changed",
    link: `${events}/message/message_deleted`,
  },
  "thread.deleted": {
    says: "a reply to a message that was deleted is posted in the channel instead: the answer has no thread_ts, and no error",
    link: "https://github.com/slackapi/python-slack-events-api/issues/87",
  },
  "channel.id-changed": {
    says: "a private channel that is shared with another organization gets a new id, which channel_id_changed tells; the old one is unknown from then on",
    link: `${events}/channel_id_changed`,
  },
  "channel.archived-people": {
    says: "people write nothing in an archived channel, and edit nothing there",
    link: "https://docs.slack.dev/reference/methods/conversations.archive",
  },
  "user.deactivated": {
    says: "deactivated people have deleted true and lack most of a user's fields; no channel lists them, and they do nothing any more once Slack has signed them out",
    link: `${docs}/reference/objects/user-object`,
  },
  "user.changed": {
    says: "an app with users:read hears user_change when anything of a person changes, and team_join when somebody joins the workspace, each with the user object",
    link: `${events}/user_change`,
  },
  "shared.teams": {
    says: "people of another organization carry their own team: team_id of a user and of their commands, user.team_id of a click, team and user_team of a message",
    link: connect,
  },
  "shared.channel": {
    says: "a channel with people of another organization is is_shared and is_ext_shared, and its events say is_ext_shared_channel",
    link: connect,
  },
  "shared.stranger": {
    says: "is_stranger marks only people who share no channel with the app; for the others, team_id shows that they are from elsewhere",
    link: `${docs}/reference/objects/user-object`,
  },
  "shared.user-fields": {
    says: "the fields of a user object vary with how the app meets that person: somebody of another organization can come without team_id",
    link: `${docs}/reference/methods/users.info`,
  },
  "home.opened": {
    says: "app_home_opened carries the tab, and the view as published",
    link: `${events}/app_home_opened`,
  },
  "view.keeps-input": {
    says: "what was filled in stays when a view is updated, under the same block_id and action_id",
    link: `${docs}/surfaces/modals`,
  },
  "input.dispatch": {
    says: "an element in an input block sends block_actions only with dispatch_action",
    link: `${docs}/reference/block-kit/blocks/input-block`,
  },
  "select.query-length": {
    says: `an external select asks from ${query.min} characters on, or from min_query_length`,
    link: query.link,
  },
  "request.signed": {
    says: `each request is signed (v0, HMAC-SHA256); a bot refuses what was signed wrongly, or more than ${times.signature.ms / 60_000} minutes ago`,
    link: times.signature.link,
  },
} as const satisfies Readonly<Record<string, { readonly says: string; readonly link: string }>>;
