import { type LimitId, limits, times } from "./limits.ts";

const docs = "https://docs.slack.dev";
const blocks = `${docs}/reference/block-kit/blocks`;
const elements = `${docs}/reference/block-kit/block-elements`;
const method = (name: string): string => `${docs}/reference/methods/${name}`;
const handling = times.ack.link;

export type Rule = { readonly says: string; readonly link: string };

/** The rules that are not a number; the numbers are rules too, under the names they have in `limits`. */
const others = {
  "block.type": { says: "a block has a type that exists", link: blocks },
  "block.surface": { says: "a block stands only where its kind is allowed (message, modal, home)", link: blocks },
  "block.id-unique": { says: "a block_id is unique in its message or view", link: blocks },
  "block.place": { says: "an element stands only in a block that takes its kind", link: elements },
  "action.id-unique": { says: "an action_id is unique in its block", link: elements },
  "object.property": { says: "an object has only the properties Slack documents for it", link: blocks },
  "object.required": { says: "an object has all required properties", link: blocks },
  "object.value": { says: "a property has the type and one of the values Slack documents", link: blocks },
  "text.empty": {
    says: "a text has at least one character (ours also for ids and values, where Slack's pages are silent)",
    link: `${docs}/reference/block-kit/composition-objects/text-object`,
  },
  "list.empty": { says: "a list has at least one item", link: blocks },
  "option.initial": { says: "an initial option is one of the options", link: `${elements}/select-menu-element` },
  "select.source": {
    says: "a static select has options or option_groups, not both",
    link: `${elements}/select-menu-element`,
  },
  "section.content": { says: "a section has text or fields", link: `${blocks}/section-block` },
  "image.source": { says: "an image has an image_url or a slack_file, not both", link: `${blocks}/image-block` },
  "input.range": { says: "a lower bound is not above its upper bound", link: `${elements}/plain-text-input-element` },
  "view.submit-needed": { says: "a modal with an input block has a submit button", link: `${docs}/reference/views` },
  "view.focus": { says: "one element of a view has focus_on_load", link: elements },
  "view.known": { says: "a view that is updated is still open", link: method("views.update") },
  "view.hash": { says: "a hash is the one of the view as it is now", link: method("views.update") },
  "view.external-id-unique": { says: "an external_id is unique in the workspace", link: method("views.open") },
  "view.answer": {
    says: "the answer to a view_submission is empty or a known response_action",
    link: `${docs}/surfaces/modals`,
  },
  "view.error-block": {
    says: "an error names the block_id of an input block of the view",
    link: `${docs}/surfaces/modals`,
  },
  "trigger.known": { says: "a trigger_id is one that Slack gave out", link: method("views.open") },
  "trigger.fresh": { says: `a trigger_id lives ${times.trigger.ms / 1000} s`, link: times.trigger.link },
  "trigger.once": { says: "a trigger_id is used once", link: times.trigger.link },
  "message.text-needed": {
    says: "a message has a top-level text, which screen readers and notifications read (ours: Slack only warns when blocks are there)",
    link: `${docs}/reference/methods/chat.postMessage#text_usage`,
  },
  "message.format": { says: "blocks and attachments are JSON lists of objects", link: method("chat.postMessage") },
  "message.markdown-alone": { says: "markdown_text stands without text and blocks", link: method("chat.postMessage") },
  "message.known": { says: "a message that is changed, deleted or linked exists", link: method("chat.update") },
  "message.own": { says: "a bot changes and deletes only its own messages", link: method("chat.update") },
  "message.ephemeral": {
    says: "an ephemeral message is changed only through its response_url",
    link: method("chat.postEphemeral"),
  },
  "thread.parent": {
    says: "thread_ts names a message that is no reply itself (ours for replies: Slack only advises against it)",
    link: method("chat.postMessage"),
  },
  "channel.known": { says: "a channel exists and the bot may know it", link: method("chat.postMessage") },
  "channel.member": { says: "the bot is a member of the channel", link: method("chat.postMessage") },
  "user.known": { says: "a user exists", link: method("users.info") },
  "user.in-channel": { says: "who gets an ephemeral message is in the channel", link: method("chat.postEphemeral") },
  "group.known": { says: "a user group exists", link: method("usergroups.users.list") },
  "bot.known": { says: "a bot exists", link: method("bots.info") },
  "list.page": {
    says: "a cursor comes from an answer, and a limit is 1 to 1000",
    link: `${docs}/apis/web-api/pagination`,
  },
  "method.known": { says: "a method exists (here: is one the playground answers)", link: `${docs}/reference/methods` },
  "method.arguments": {
    says: "a method gets only the arguments it documents, all required ones, of the right type (ours: Slack ignores some unknown ones)",
    link: `${docs}/reference/methods`,
  },
  "auth.token": { says: "a request carries the bot's token", link: `${docs}/authentication/tokens` },
  "auth.scope": { says: "the manifest has a scope the method needs", link: `${docs}/reference/scopes` },
  "file.upload": {
    says: "an upload has the announced length and goes to an open upload_url",
    link: method("files.getUploadURLExternal"),
  },
  "file.known": { says: "a file is uploaded and not yet completed", link: method("files.completeUploadExternal") },
  "response-url.known": { says: "a response_url is one that Slack gave out", link: handling },
  "response-url.fresh": { says: `a response_url lives ${times.responseUrl.ms / 60_000} minutes`, link: handling },
  "response-url.public": { says: "an ephemeral message cannot become in_channel", link: handling },
  "response-url.original": { says: "there is no original message to delete after a slash command", link: handling },
  "ack.in-time": { says: `the bot answers 2xx within ${times.ack.ms / 1000} s`, link: handling },
  "ack.body": { says: "the answer to a click is empty: Slack shows nobody what it says", link: handling },
  "options.answer": {
    says: "the answer to block_suggestion has options or option_groups",
    link: `${elements}/select-menu-element`,
  },
} as const satisfies Record<string, Rule>;

export type OtherRuleId = keyof typeof others;
export type RuleId = LimitId | OtherRuleId;

function sizeRules(): readonly (readonly [string, Rule])[] {
  return Object.entries(limits).map(([id, limit]) => [
    id,
    { says: `at most ${limit.max} ${limit.what}`, link: limit.link },
  ]);
}

/** Every rule the playground keeps, by id. */
export const rules = Object.fromEntries([...sizeRules(), ...Object.entries(others)]) as Readonly<Record<RuleId, Rule>>; // both tables together are all of RuleId
