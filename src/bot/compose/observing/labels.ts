import { operationTable } from "../../../api/operations.ts";
import type { Call } from "../../../platform/trail.ts";
import { commands } from "../../commands/verbs.ts";
import { kindOf } from "../../slack/send/slack-error.ts";

// The values that labels and names of spans may have. Each list is closed, whatever people, Slack or the workload API
// send: another value counts as `other`.

/** How people reach the bot, and what Slack tells it. `resumed`: what another replica or an outage left. */
export const kinds = [
  "command",
  "mention",
  "message",
  "button",
  "form",
  "options",
  "shortcut",
  "home",
  "event",
  "resumed",
  "other",
] as const;
export type Kind = (typeof kinds)[number];

/** https://docs.slack.dev/reference/interaction-payloads */
const ofInteraction: Readonly<Record<string, Kind>> = {
  block_actions: "button",
  view_submission: "form",
  block_suggestion: "options",
  shortcut: "shortcut",
  message_action: "shortcut",
};

const ofEvent: Readonly<Record<string, Kind>> = {
  app_mention: "mention",
  message: "message",
  app_home_opened: "home",
};

/** The kind of anything that Slack delivers. Never throws. */
export function kindOfPayload(body: unknown): Kind {
  if (typeof body !== "object" || body === null) return "other";
  if ("command" in body) return "command";
  if ("event" in body) return typeIn(body.event, ofEvent) ?? "event";
  return typeIn(body, ofInteraction) ?? "other";
}

function typeIn(value: unknown, table: Readonly<Record<string, Kind>>): Kind | undefined {
  if (typeof value !== "object" || value === null || !("type" in value) || typeof value.type !== "string")
    return undefined;
  return Object.hasOwn(table, value.type) ? table[value.type] : undefined;
}

/** What became of a request: each counts once, when it happens. Parts of a request for several workloads don't count. */
export const changeStates = [
  "requested",
  "approved",
  "returned",
  "rejected",
  "cancelled",
  "expired",
  "drifted",
  "sent",
  "doubted",
  "done",
  "failed",
  "unknown",
] as const;
export type ChangeMove = (typeof changeStates)[number];

/** Those of the list, and what is done without being typed. */
const verbs: ReadonlySet<string> = new Set([...commands.map(({ name }) => name), "again", "move"]);

/** `none` for what has no verb: a form that is opened, a mistake. */
export function verbLabel(verb: string | undefined): string {
  if (verb === undefined || verb === "?") return "none";
  return verbs.has(verb) ? verb : "other";
}

/** Every method that the bot calls, and `response_url`. */
export const slackMethods = [
  "apps.connections.open",
  "auth.test",
  "chat.delete",
  "chat.getPermalink",
  "chat.postEphemeral",
  "chat.postMessage",
  "chat.update",
  "conversations.members",
  "files.completeUploadExternal",
  "files.getUploadURLExternal",
  "oauth.v2.access",
  "response_url",
  "usergroups.list",
  "usergroups.users.list",
  "users.conversations",
  "users.info",
  "users.list",
  "views.open",
  "views.publish",
  "views.update",
] as const;

const names: Readonly<Record<Exclude<Call["to"], "store">, ReadonlySet<string>>> = {
  slack: new Set(slackMethods),
  api: new Set(Object.keys(operationTable)),
};

/** Names of statements are those of the store's own functions. */
export function callLabel({ to, name }: Call): string {
  return to === "store" || names[to].has(name) ? name : "other";
}

const SLACK_API = /\/api\/([a-zA-Z0-9.]+)$/u;

/** The method in an address of the Web API; `other` for an address that a file is uploaded to. */
export function slackMethodOf(url: string): string {
  const method = SLACK_API.exec(URL.canParse(url) ? new URL(url).pathname : "")?.[1] ?? "";
  return callLabel({ to: "slack", name: method });
}

const ACCEPTED = /^\s*\{\s*"ok"\s*:\s*true\b/u;
const REFUSED = /"error"\s*:\s*"([a-z_]{1,60})"/u;

/** How Slack answered: `ok`, or a kind of failure. */
export function slackStatus(status: number, text: string): string {
  if (status === 429) return "limited";
  if (status >= 500) return "unsure";
  if (status >= 400) return status === 404 ? "gone" : "temporary";
  if (ACCEPTED.test(text) || text.trim() === "ok") return "ok";
  const code = REFUSED.exec(text)?.[1] ?? /^\s*([a-z_]{3,60})\s*$/u.exec(text)?.[1];
  return code === undefined ? "ok" : kindOf(code);
}
