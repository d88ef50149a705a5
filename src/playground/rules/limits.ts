// Slack's limits, each with its page. The bot has a copy of its own, because a simulator that imported the bot's
// numbers could not find them wrong; a test compares both. Characters are UTF-16 units: Slack does not say what it
// counts, and this is the larger of the two usual counts.

const docs = "https://docs.slack.dev";
const block = (name: string): string => `${docs}/reference/block-kit/blocks/${name}-block`;
const element = (name: string): string => `${docs}/reference/block-kit/block-elements/${name}-element`;
const part = (name: string): string => `${docs}/reference/block-kit/composition-objects/${name}-object`;
const view = `${docs}/reference/views`;
const messages = `${docs}/reference/methods/chat.postMessage`;
const manifest = `${docs}/reference/app-manifest`;

export type Limit = { readonly max: number; readonly what: string; readonly link: string };

export const limits = {
  "message.blocks": { max: 50, what: "blocks in a message", link: `${docs}/reference/block-kit/blocks` },
  "message.blocks-size": {
    // Undocumented. Reported and confirmed: "12,000 text characters with a buffer for block containers"; respond() is exempt.
    max: 13_200,
    what: "characters of JSON in all blocks of one chat.* message",
    link: "https://github.com/slackapi/bolt-js/issues/2867",
  },
  "message.text": {
    max: 40_000,
    what: "characters in a message's text (Slack would cut the rest off)",
    link: messages,
  },
  "update.text": {
    max: 4000,
    what: "characters in the text of chat.update",
    link: `${docs}/reference/methods/chat.update`,
  },
  "view.blocks": { max: 100, what: "blocks in a view", link: view },
  "view.size": { max: 250_000, what: "bytes in a view", link: `${docs}/reference/methods/views.open` },
  "view.title": { max: 24, what: "characters in a view's title", link: view },
  "view.submit": { max: 24, what: "characters in a view's submit button", link: view },
  "view.close": { max: 24, what: "characters in a view's close button", link: view },
  "view.private-metadata": { max: 3000, what: "characters in private_metadata", link: view },
  "view.callback-id": { max: 255, what: "characters in a callback_id", link: view },
  "view.external-id": { max: 255, what: "characters in an external_id", link: view },
  "block.id": { max: 255, what: "characters in a block_id", link: `${docs}/reference/block-kit/blocks` },
  "action.id": { max: 255, what: "characters in an action_id", link: `${docs}/reference/block-kit/block-elements` },
  "text.text": { max: 3000, what: "characters in a text object", link: part("text") },
  "section.text": { max: 3000, what: "characters in a section's text", link: block("section") },
  "header.text": { max: 150, what: "characters in a header", link: block("header") },
  "context.elements": { max: 10, what: "elements in a context block", link: block("context") },
  "actions.elements": { max: 25, what: "elements in an actions block", link: block("actions") },
  "input.label": { max: 2000, what: "characters in an input's label", link: block("input") },
  "input.hint": { max: 2000, what: "characters in an input's hint", link: block("input") },
  "button.text": { max: 75, what: "characters in a button's text", link: element("button") },
  "button.value": { max: 2000, what: "characters in a button's value", link: element("button") },
  "button.url": { max: 3000, what: "characters in a button's url", link: element("button") },
  "placeholder.text": { max: 150, what: "characters in a placeholder", link: element("select-menu") },
  "select.options": { max: 100, what: "options in a select menu", link: element("select-menu") },
  "select.groups": { max: 100, what: "option groups in a select menu", link: element("select-menu") },
  "overflow.options": { max: 5, what: "options in an overflow menu", link: element("overflow-menu") },
  "checkboxes.options": { max: 10, what: "options in a checkbox group", link: element("checkboxes") },
  "radio.options": { max: 10, what: "options in a radio button group", link: element("radio-button-group") },
  "option.text": { max: 75, what: "characters in an option's text", link: part("option") },
  // The pages say 150, @slack/types says 75: the smaller number is safe.
  "option.value": { max: 75, what: "characters in an option's value", link: part("option") },
  "option.description": { max: 75, what: "characters in an option's description", link: part("option") },
  "group.label": { max: 75, what: "characters in an option group's label", link: part("option-group") },
  "group.options": { max: 100, what: "options in an option group", link: part("option-group") },
  "input.max-length": { max: 3000, what: "for max_length of a plain_text_input", link: element("plain-text-input") },
  "response-url.uses": {
    max: 5,
    what: "uses of a response_url",
    link: `${docs}/interactivity/handling-user-interaction`,
  },
  "socket.connections": {
    max: 10,
    what: "connections of an app at the same time",
    link: `${docs}/apis/events-api/using-socket-mode#multiple-connections`,
  },
  "app.name": { max: 35, what: "characters in an app's name", link: manifest },
  "app.bot-name": { max: 80, what: "characters in a bot's display name", link: manifest },
  "app.commands": { max: 50, what: "slash commands of an app", link: manifest },
  "app.command": { max: 32, what: "characters in a slash command, its slash among them", link: manifest },
  "app.shortcuts": { max: 10, what: "shortcuts of an app", link: manifest },
  "app.shortcut-name": { max: 24, what: "characters in a shortcut's name", link: manifest },
  "app.shortcut-description": { max: 150, what: "characters in a shortcut's description", link: manifest },
  "app.callback-id": { max: 255, what: "characters in a shortcut's callback_id", link: manifest },
  "app.events": { max: 100, what: "events that a bot subscribes to", link: manifest },
  "app.scopes": { max: 255, what: "scopes of a bot", link: manifest },
} as const satisfies Record<string, Limit>;

export type LimitId = keyof typeof limits;

const interaction = `${docs}/interactivity/handling-user-interaction`;

/** Times in milliseconds. */
export const times = {
  ack: { ms: 3000, link: interaction },
  trigger: { ms: 3000, link: `${docs}/interactivity/handling-user-interaction#modal_responses` },
  responseUrl: { ms: 30 * 60_000, link: interaction },
  signature: { ms: 5 * 60_000, link: `${docs}/authentication/verifying-requests-from-slack` },
} as const;

const installing = `${docs}/authentication/installing-with-oauth`;
const rotation = `${docs}/authentication/using-token-rotation`;

/** Installing by OAuth. */
export const oauth = {
  /** A code that isn't traded expires. */
  codeMs: { max: 10 * 60_000, link: `${installing}#exchanging` },
  tokenSeconds: { max: 43_200, link: rotation },
  /** Asking for one more ends the oldest. */
  activeTokens: { max: 2, link: rotation },
} as const;

const eventsApi = `${docs}/apis/events-api`;

/** Retries and limits of event delivery. */
export const delivery = {
  /** The wait before each retry. */
  retries: { waitsMs: [0, 60_000, 5 * 60_000], link: `${eventsApi}#retries` },
  /** More than this share of failures within an hour ends the subscription, unless there were few events. */
  failures: { share: 0.95, fewest: 1000, windowMs: 60 * 60_000, link: `${eventsApi}#failure-limits` },
  rate: { max: 30_000, windowMs: 60 * 60_000, link: `${docs}/apis/web-api/rate-limits#events` },
} as const;

const socketMode = `${eventsApi}/using-socket-mode`;

/** Socket Mode. Times in milliseconds. */
export const sockets = {
  /** What hello calls approximate_connection_time; and that time for an address with &debug_reconnects=true. */
  lifetime: { ms: 60 * 60_000, link: socketMode },
  debugLifetime: { ms: 360_000, link: socketMode },
  /** From the warning to refresh_requested. */
  warning: { ms: 10_000, link: socketMode },
  // Ours, as Slack's pages are silent: each is what a bot has to cope with, seen in the logs of issues.
  /** From the last word of a connection to its end: time for the acks that are under way. */
  closing: { ms: times.ack.ms, link: socketMode },
  /** Until an address that apps.connections.open gave has to be used. */
  ticket: { ms: 30_000, link: `${docs}/reference/methods/apps.connections.open` },
  /** Slack pings the app, and forgets a connection that has not answered so many pings. */
  ping: { ms: 10_000, tries: 3, link: "https://github.com/slackapi/node-slack-sdk/issues/2254" },
} as const;

/** An external select asks from this many characters on, by default. */
export const query = { min: 3, link: element("select-menu") } as const;

/** chat.postMessage: "one message per second per channel, short bursts of more are allowed". */
export const pace = { everyMs: 1_000, burst: 20, link: `${docs}/apis/web-api/rate-limits#posting` } as const;
