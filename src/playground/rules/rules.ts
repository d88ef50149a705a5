import { delivery, type LimitId, limits, oauth, pace, sockets, times } from "./limits.ts";
import type { JsonObject } from "../json.ts";

const docs = "https://docs.slack.dev";
const blocks = `${docs}/reference/block-kit/blocks`;
const elements = `${docs}/reference/block-kit/block-elements`;
const method = (name: string): string => `${docs}/reference/methods/${name}`;
const handling = times.ack.link;
const manifest = `${docs}/reference/app-manifest`;
const installing = `${docs}/authentication/installing-with-oauth`;
const access = method("oauth.v2.access");
const socketMode = sockets.lifetime.link;
const open = sockets.ticket.link;

type Rule = { readonly says: string; readonly link: string };
type Named = Readonly<Record<string, Rule>>;

/** Rules of installing an app in several workspaces. */
const installRules = {
  "oauth.client": { says: "the app's client id and secret are the right ones", link: access },
  "oauth.scope": {
    says: "the link to install asks for at least one scope, and only for those of the manifest (ours: Slack knows more scopes than the manifest's)",
    link: installing,
  },
  "oauth.redirect": {
    says: "redirect_uri begins with one of the app's, and is the same when the code is traded",
    link: `${installing}#redirect_urls`,
  },
  "oauth.code": {
    says: `a code is traded once, within ${oauth.codeMs.max / 60_000} minutes`,
    link: oauth.codeMs.link,
  },
  "oauth.refresh": { says: "a refresh token is traded once", link: oauth.tokenSeconds.link },
  "oauth.org": {
    says: "a workspace doesn't install what its organization has installed for all",
    link: access,
  },
  "auth.fresh": {
    says: `a token that rotates lives ${oauth.tokenSeconds.max / 3600} hours, and at most ${oauth.activeTokens.max} of them at a time`,
    link: oauth.tokenSeconds.link,
  },
  "auth.team": {
    says: "with the token of an organization, methods about a workspace name one that the app was added to",
    link: `${docs}/enterprise/developing-for-enterprise-orgs`,
  },
  "install.here": { says: "an app hears only of workspaces that it is installed in", link: installing },
} as const satisfies Named;

/** Rules without a number. The limits are rules too, under the names they have in `limits`. */
const others = {
  "block.type": {
    says: "blocks, elements and parts of rich text have types that the playground shows (ours: those that Gantry sends)",
    link: blocks,
  },
  "block.surface": {
    says: "a block is only where its kind is allowed: message, modal, home (a plan is in messages only)",
    link: blocks,
  },
  "block.id-unique": { says: "a block_id is unique in its message or view", link: blocks },
  "url.value": {
    says: "the URL of a button or a link is whole, and one that a browser opens (ours: http, https, mailto, tel, slack)",
    link: `${elements}/button-element`,
  },
  "element.block": { says: "an element is only in a block that takes its kind", link: elements },
  "action.id-unique": { says: "an action_id is unique in its block", link: elements },
  "object.property": {
    says: "an object has only properties that Slack documents, and here of these only what Gantry sends",
    link: blocks,
  },
  "object.required": { says: "an object has all required properties", link: blocks },
  "object.value": { says: "a property has the type and one of the values Slack documents", link: blocks },
  "text.empty": {
    says: "a text has at least one character (ours also for ids and values, where Slack's pages are silent)",
    link: `${docs}/reference/block-kit/composition-objects/text-object`,
  },
  "list.empty": { says: "a list has at least one item", link: blocks },
  "option.initial": { says: "an initial option is one of the options", link: `${elements}/select-menu-element` },
  "select.source": {
    says: "the answer to block_suggestion has options or option_groups, not both",
    link: `${elements}/select-menu-element`,
  },
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
  "app.command-name": { says: "a slash command is a slash and one word", link: manifest },
  "app.bot-letters": { says: "a bot's display name has only a-z, 0-9, ., _ and -", link: manifest },
  "trigger.known": { says: "a trigger_id is one that Slack gave out", link: method("views.open") },
  "trigger.fresh": { says: `a trigger_id lives ${times.trigger.ms / 1000} s`, link: times.trigger.link },
  "trigger.once": { says: "a trigger_id is used once", link: times.trigger.link },
  "message.text-needed": {
    says: "a message has a top-level text, which screen readers and notifications read (ours: Slack only warns when blocks are there)",
    link: `${docs}/reference/methods/chat.postMessage#text_usage`,
  },
  "message.format": { says: "blocks are a JSON list of objects", link: method("chat.postMessage") },
  "message.known": { says: "a message that is changed, deleted or linked exists", link: method("chat.update") },
  "message.own": { says: "a bot changes and deletes only its own messages", link: method("chat.update") },
  "message.ephemeral": {
    says: "an ephemeral message is changed only through its response_url",
    link: method("chat.postEphemeral"),
  },
  "ephemeral.thread": {
    says: "an ephemeral reply goes only into a thread that has replies (ours: Slack takes it and shows it to nobody)",
    link: method("chat.postEphemeral"),
  },
  "thread.parent": {
    says: "thread_ts is the ts of a message that is no reply itself (ours for replies: Slack only advises against it)",
    link: method("chat.postMessage"),
  },
  "channel.known": { says: "a channel exists and the bot may know it", link: method("chat.postMessage") },
  "channel.member": { says: "the bot is a member of the channel", link: method("chat.postMessage") },
  "channel.archived": {
    says: "nothing is posted in an archived channel (is_archived), and no message in it is changed (is_inactive; ours for a response_url, where Slack's pages are silent)",
    link: method("chat.update"),
  },
  "user.known": { says: "a user exists", link: method("users.info") },
  "user.in-channel": { says: "who gets an ephemeral message is in the channel", link: method("chat.postEphemeral") },
  "group.known": { says: "a user group exists", link: method("usergroups.users.list") },
  "list.page": {
    says: "a cursor comes from an answer, and a limit is 1 to 999",
    link: `${docs}/apis/web-api/pagination`,
  },
  "method.known": { says: "a method exists (here: is one that Gantry calls)", link: `${docs}/reference/methods` },
  "method.rate": {
    says: "a method is called at most as often in a minute as its tier allows: 20, 50 or 100 times (kept where a test asks for it)",
    link: `${docs}/apis/web-api/rate-limits`,
  },
  "message.pace": {
    says: `a channel gets about one message a second by chat.postMessage, after a burst of ${pace.burst} (ours: Slack does not say how many)`,
    link: pace.link,
  },
  "method.arguments": {
    says: "a method gets only arguments it documents, here of these only what Gantry sends, all required ones, of the right type (ours: Slack ignores some unknown ones)",
    link: `${docs}/reference/methods`,
  },
  "auth.token": { says: "a request carries the bot's token", link: `${docs}/authentication/tokens` },
  "auth.scope": { says: "the manifest has a scope the method needs", link: `${docs}/reference/scopes` },
  "file.upload": {
    says: "an upload has the announced length and goes to an open upload_url",
    link: method("files.getUploadURLExternal"),
  },
  "upload.allowed": {
    says: "files are uploaded where the workspace allows it",
    link: method("files.getUploadURLExternal"),
  },
  "file.known": { says: "a file is uploaded and not yet completed", link: method("files.completeUploadExternal") },
  "response-url.known": { says: "a response_url is one that Slack gave out", link: handling },
  "response-url.fresh": { says: `a response_url lives ${times.responseUrl.ms / 60_000} minutes`, link: handling },
  "response-url.public": { says: "an ephemeral message cannot become in_channel", link: handling },
  "response-url.thread": {
    says: "an answer in a thread has response_type in_channel and replace_original false (ours: Slack shows it elsewhere)",
    link: handling,
  },
  "ack.in-time": { says: `the bot answers 2xx within ${times.ack.ms / 1000} s`, link: handling },
  "ack.body": { says: "the answer to a click is empty: Slack shows nobody what it says", link: handling },
  "options.answer": {
    says: "the answer to block_suggestion has options or option_groups",
    link: `${elements}/select-menu-element`,
  },
  "options.address": {
    says: "over HTTP, an external select needs the Options Load URL (message_menu_options_url) in the manifest",
    link: `${elements}/select-menu-element#external_select`,
  },
  "event.failures": {
    says: `an hour with ${delivery.failures.fewest} or more event deliveries of which more than ${delivery.failures.share * 100} % failed ends the subscription`,
    link: delivery.failures.link,
  },
  "event.rate": { says: `at most ${delivery.rate.max} events in an hour`, link: delivery.rate.link },
  "socket.token": {
    says: "apps.connections.open takes an app-level token (xapp-), and no other method does",
    link: open,
  },
  "socket.scope": { says: "an app-level token that opens connections has the scope connections:write", link: open },
  "socket.post": { says: "apps.connections.open is called by POST", link: open },
  "socket.on": { says: "Socket Mode is on in the app's settings", link: socketMode },
  "socket.ticket": {
    says: `an address from apps.connections.open is good for one connection (ours: within ${sockets.ticket.ms / 1000} s)`,
    link: open,
  },
  "socket.connected": { says: "an app in Socket Mode has an open connection when something happens", link: socketMode },
  "socket.ack-shape": {
    says: "an ack is a JSON object with envelope_id, and a payload if one is read",
    link: socketMode,
  },
  "socket.ack-known": {
    says: "an ack names an envelope that waits for it on the same connection (ours: Slack doesn't say what other connections may ack)",
    link: socketMode,
  },
  "socket.ack-payload": {
    says: "an ack has a payload only if the envelope says accepts_response_payload",
    link: socketMode,
  },
} as const satisfies Named;

export type OtherRuleId = keyof typeof others;
export type InstallRuleId = keyof typeof installRules;
export type RuleId = LimitId | OtherRuleId | InstallRuleId;

/** Every rule of Slack that can be broken, by id. Breaking it is refused, or recorded in the transcript. */
export const rules: Readonly<Record<RuleId, Rule>> = {
  ...(Object.fromEntries(
    Object.entries(limits).map(([id, { max, what, link }]) => [id, { says: `at most ${max} ${what}`, link }]),
  ) as Readonly<Record<LimitId, Rule>>), // the keys of limits
  ...others,
  ...installRules,
};

/** The reason of a refusal: the rule, its page, and a sentence about this case. */
export type Refusal = { readonly rule: RuleId; readonly link: string; readonly sentence: string };

export type Problem = { readonly rule: RuleId; readonly at: string; readonly message: string };

/** Thrown for what Slack would refuse. `error` is Slack's code; `problems` become its response_metadata. */
export class Refused extends Error {
  readonly error: string;
  readonly problems: readonly Problem[];
  readonly extra: JsonObject;

  constructor(error: string, problems: readonly Problem[], extra: JsonObject = {}) {
    super(error);
    this.name = "Refused";
    this.error = error;
    this.problems = problems;
    this.extra = extra;
  }
}

/** Refuses with one problem and without a JSON pointer. */
export function refuse(error: string, rule: RuleId, message: string): never {
  throw new Refused(error, [{ rule, at: "", message }]);
}

export function refusalOf(refused: Refused): Refusal {
  const problem = refused.problems[0];
  const rule = problem?.rule ?? "method.arguments";
  const more = refused.problems.length > 1 ? ` (and ${refused.problems.length - 1} more)` : "";
  const where = problem === undefined || problem.at === "" ? "" : ` at ${problem.at}`;
  return {
    rule,
    link: rules[rule].link,
    sentence: `${refused.error}: ${problem?.message ?? refused.message}${where}${more}. Rule: ${rules[rule].says}.`,
  };
}

/** The body that Slack sends: `{ok: false, error, response_metadata: {messages}}`. */
export function errorBody(refused: Refused): JsonObject {
  const located = refused.problems.filter((problem) => problem.at !== "");
  const messages = located.map((problem) => `[ERROR] ${problem.message} [json-pointer:${problem.at}]`);
  const metadata = messages.length === 0 ? {} : { response_metadata: { messages } };
  return { ok: false, error: refused.error, ...refused.extra, ...metadata };
}
