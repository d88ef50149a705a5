import { expect, test } from "vitest";
import { type AnyRuleId, rules } from "../../../src/playground/rules/rules.ts";

type Line = readonly [row: string, ...ids: readonly [AnyRuleId, ...AnyRuleId[]]];

// Slack's platform rules as its pages state them, each with the workspace's rules for it. Every rule is tested at its
// limit and one past it: numbers in limits.test.ts and app.test.ts, other refusals in rules.test.ts, the workspace's
// own behaviour in behaviour/, installations in installs/.

const timing: readonly Line[] = [
  ["an interaction is acked within 3 s, or its user sees operation_timeout", "ack.in-time"],
  ["the ack of a click has no body", "ack.body"],
  ["events are acked within 3 s, or come again three times", "ack.in-time", "event.retries", "event.reasons"],
  ["x-slack-no-retry ends the retries; delayed events are a setting", "event.no-retry", "event.delayed"],
  ["too many failures end the subscription", "event.failures"],
  ["30,000 events in an hour, then app_rate_limited", "event.rate", "event.rate-notice"],
  ["a trigger_id lives 3 s and works once", "trigger.known", "trigger.fresh", "trigger.once"],
  ["a response_url works five times in 30 minutes", "response-url.known", "response-url.uses", "response-url.fresh"],
  ["its answers are ephemeral at first, and need no membership", "response-url.ephemeral", "response-url.anywhere"],
  ["an ephemeral message cannot become public", "response-url.public"],
  ["it answers in a thread in public only", "response-url.thread"],
  ["slash commands are no threads' business, and are forms", "command.in-thread", "command.form"],
  ["channel_name may hide the name; should_escape marks names", "command.channel-name", "command.escape"],
  ["a message shortcut knows its message", "shortcut.message"],
  ["a global shortcut knows no channel", "shortcut.global"],
  ["app_mention comes beside message, in threads too, to members", "mention.event", "mention.member"],
  ["an edit of a mention is another app_mention", "mention.edited"],
  ["edits and deletions come as message_changed and message_deleted", "message.changed", "message.tombstone"],
  ["app_home_opened comes when somebody looks", "home.opened"],
  ["a submission is answered by update or errors", "ack.view-answers", "view.answer", "view.error-block"],
  ["an empty answer closes the form", "ack.empty-closes"],
  ["a hash guards against races", "view.hash"],
  ["what was filled in stays under the same ids", "view.keeps-input"],
  ["input blocks are silent without dispatch_action", "input.dispatch"],
  ["an external select asks from min_query_length on", "select.query-length"],
  [
    "its options are at most 100, or 100 groups of 100",
    "options.answer",
    "select.options",
    "select.groups",
    "group.options",
  ],
  ["it needs an address of its own", "options.address"],
  ["an ephemeral message is for a member of the channel", "user.in-channel"],
  ["it may get lost, and is gone after a reload", "ephemeral.delivery"],
  ["in a thread it is seen only when the thread is active", "ephemeral.thread"],
  ["it is not updated by chat.update", "message.ephemeral"],
  ["requests are signed, and old ones refused by the bot", "request.signed"],
];

const sizes: readonly Line[] = [
  ["50 blocks in a message", "message.blocks"],
  ["all blocks of a message together", "message.blocks-size"],
  ["40,000 characters of text, best 4,000", "message.text", "update.text", "message.short-text"],
  ["a top-level text always", "message.text-needed"],
  ["100 blocks and 250 KB in a view", "view.blocks", "view.size"],
  ["24 for title, submit and close", "view.title", "view.submit", "view.close"],
  ["3,000 of private_metadata", "view.private-metadata"],
  ["255 for ids", "view.callback-id", "view.external-id", "block.id", "action.id"],
  ["submit beside any input", "view.submit-needed"],
  ["a section's text", "section.text", "text.text"],
  ["header, context, actions", "header.text", "context.elements", "actions.elements"],
  ["inputs", "input.label", "input.hint", "input.max-length", "placeholder.text", "input.range"],
  ["buttons", "button.text", "button.value", "button.url"],
  ["options", "option.text", "option.value", "option.description", "group.label", "option.initial"],
  ["menus", "select.source", "overflow.options", "checkboxes.options", "radio.options"],
];

const surfaces: readonly Line[] = [
  ["which block stands in a message, a modal, a home tab", "block.surface", "block.type"],
  ["all the rest is refused by its name", "block-kit.others", "surfaces.others"],
];

const sockets: readonly Line[] = [
  ["apps.connections.open needs an app-level token and its scope", "socket.token", "socket.scope", "socket.post"],
  ["its address is good for one connection", "socket.ticket", "socket.on"],
  ["a connection begins with hello", "socket.hello"],
  ["up to ten connections, and a delivery on any of them", "socket.connections", "socket.any", "socket.connected"],
  ["a delivery is an envelope, and its ack names it", "socket.envelope", "socket.ack-shape", "socket.ack-known"],
  ["an ack has a payload where Slack reads one", "socket.ack-payload"],
  ["an event that isn't acked comes again", "socket.retries"],
  ["a connection is refreshed every few hours, after a warning", "socket.refresh", "socket.lifetime"],
  ["turned off, Socket Mode ends every connection", "socket.disabled"],
  ["a dead connection says nothing", "socket.silence"],
];

/** Other rules: Block Kit's shapes, Web API, manifest. */
const besides: readonly Line[] = [
  ["ids of blocks and elements", "block.id-unique", "action.id-unique", "element.block"],
  ["objects", "object.property", "object.required", "object.value", "text.empty", "list.empty"],
  ["views", "view.focus", "view.known", "view.external-id-unique"],
  ["messages", "message.format", "message.known", "message.own", "thread.parent", "thread.deleted"],
  ["who is where", "channel.known", "channel.member", "user.known", "group.known"],
  ["archived channels", "channel.archived", "channel.archived-people"],
  ["channels that change", "channel.id-changed"],
  ["who was deactivated", "user.deactivated", "group.deactivated"],
  ["whose profile changed, and who joined", "user.changed"],
  [
    "people of other organizations",
    "shared.teams",
    "shared.channel",
    "shared.stranger",
    "shared.user-fields",
    "shared.commands",
  ],
  ["methods", "method.known", "method.arguments", "auth.token", "auth.scope", "list.page", "method.rate"],
  ["one message a second in a channel", "message.pace", "posting.workspace-rate"],
  ["what opens in a browser", "url.value"],
  ["files", "file.upload", "file.known", "upload.allowed"],
  ["the app's names", "app.name", "app.bot-name", "app.bot-letters", "app.command", "app.command-name"],
  ["its shortcuts", "app.shortcuts", "app.shortcut-name", "app.shortcut-description", "app.callback-id"],
  ["how many of each", "app.commands", "app.events", "app.scopes"],
  ["installing by OAuth", "oauth.client", "oauth.scope", "oauth.redirect", "oauth.code", "oauth.denied", "oauth.again"],
  ["what an installation brings", "oauth.bot-user", "install.here"],
  ["tokens that rotate", "oauth.refresh", "auth.fresh"],
  ["organizations", "oauth.org", "auth.team", "org.added", "org.payloads", "org.identity", "team-id.ignored"],
  ["the end of an installation", "install.ends", "install.revoked"],
];

const lines = [...timing, ...sizes, ...surfaces, ...sockets, ...besides];

const known = lines.map(([row, ...ids]) => ({ row, ids }));

test.each(known)("Slack's rule is known: $row", ({ ids }) => {
  const links = ids.map((id) => rules[id].link);

  for (const link of links) expect(link).toMatch(/^https:\/\/(docs\.slack\.dev|github\.com\/slackapi)\//);
});

test("each rule of the workspace belongs to one of Slack's", () => {
  const named = new Set(lines.flatMap(([, ...ids]) => ids));

  expect(Object.keys(rules).filter((id) => !named.has(id as AnyRuleId))).toEqual([]); // the keys of rules are its ids
});

test("rules that are not simulated say why", () => {
  const exempt = Object.values(rules).filter((rule) => rule.kind === "not simulated");

  expect(exempt.map((rule) => rule.says)).toMatchInlineSnapshot(`
    [
      "a message's text is best within 4,000 characters: advice, so that nothing is refused before the limit",
      "an ephemeral message may never arrive, and is gone when the client reloads: here it always arrives, since chance would break tests; the page forgets it at a reload",
      "whether people of another organization can use an app's commands and buttons in a shared channel is up to both workspaces: here all of it reaches the bot, which has to refuse them",
      "whether a user group still lists somebody who was deactivated is not documented: here it does, since a bot must not count on it",
      "Delayed Events (hourly for 24 hours after the last retry): a setting of the app outside of its manifest, off at first",
      "the retry reasons ssl_error and unknown_error: there is no TLS on a loopback address",
      "blocks, elements, objects, methods and arguments that Gantry doesn't use: each is refused with an error that names it",
      "stacked forms, streamed messages, attachments, assistant views, Work Objects and steps of the Workflow Builder: Gantry has none",
      "several hundred messages a minute for a whole workspace: only the pace of each channel is kept",
    ]
  `);
});
