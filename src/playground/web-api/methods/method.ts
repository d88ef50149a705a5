import type { Install } from "../../installs/installs.ts";
import { isObject, type Json, type JsonObject, parseJson, textOf } from "../../json.ts";
import { type Problem, refuse, Refused } from "../../rules/rules.ts";
import { isBots, scopesIn, type World } from "../../world.ts";
import type { Channel, Message, User } from "../../workspace/state.ts";
import { directChannel, findChannel } from "../../workspace/workspace.ts";

/** The type of an argument: forms carry everything as text, JSON bodies carry typed values. */
export type Kind = "text" | "flag" | "number" | "json";

export type Method = {
  /** It takes the app-level token instead of the bot's. */
  readonly isForApp?: true;
  /** The token needs one of these scopes; [] for none. */
  readonly scopes: readonly string[];
  readonly required: Readonly<Record<string, Kind>>;
  readonly optional: Readonly<Record<string, Kind>>;
  /**
   * Runs the method for the installation of the token, undefined for the app's own; throws Refused. The answer gets
   * `ok: true`.
   */
  readonly run: (world: World, args: JsonObject, install: Install | undefined) => JsonObject;
};

export type Methods = Readonly<Record<string, Method>>;

/** Arguments of every method: https://docs.slack.dev/apis/web-api */
export const everywhere: Readonly<Record<string, Kind>> = { token: "text", team_id: "text" };

const readers: Readonly<Record<Kind, (value: Json) => Json | undefined>> = {
  text: (value) => (typeof value === "string" ? value : undefined),
  flag: (value) => {
    if (typeof value === "boolean") return value;
    if (value === "true" || value === "1") return true;
    return value === "false" || value === "0" ? false : undefined;
  },
  number: (value) => {
    const number = typeof value === "string" && value !== "" ? Number(value) : value;
    return typeof number === "number" && Number.isFinite(number) ? number : undefined;
  },
  // Invalid JSON is passed on: the method knows Slack's error code for it.
  json: (value) => (typeof value === "string" ? (parseJson(value) ?? value) : value),
};

/** Reads the arguments by type; throws Refused for unknown, missing and wrong ones. */
export function readArguments(method: Pick<Method, "optional" | "required">, args: JsonObject): JsonObject {
  const kinds: Method["optional"] = { ...method.optional, ...method.required };
  const problems: Problem[] = [];
  const read: Record<string, Json> = {};
  for (const [name, value] of Object.entries(args)) {
    const kind = Object.hasOwn(kinds, name) ? kinds[name] : undefined;
    if (kind === undefined) problems.push(wrong(name, `invalid additional property: ${name}`));
    else if (value !== null) {
      const understood = readers[kind](value);
      if (understood === undefined) problems.push(wrong(name, `must be a ${kind}`));
      else read[name] = understood;
    }
  }
  for (const name of Object.keys(method.required)) {
    if (read[name] === undefined || read[name] === "") problems.push(wrong(name, `missing required field: ${name}`));
  }
  if (problems.length > 0) throw new Refused("invalid_arguments", problems);
  return read;
}

function wrong(name: string, message: string): Problem {
  return { rule: "method.arguments", at: `/${name}`, message };
}

/** Checks that the token still holds in this workspace, and its scopes; throws Refused. */
export function checkAccess(world: World, method: Method): void {
  const { tokenError } = world.faults;
  if (tokenError !== "") refuse(tokenError, "auth.token", "the token was revoked");
  if (method.isForApp === true) return checkAppScopes(world, method);
  needScopes(world, method.scopes);
}

function checkAppScopes({ appToken }: World, method: Method): void {
  if (method.scopes.some((scope) => appToken.scopes.includes(scope))) return;
  const needed = method.scopes.join(",");
  throw new Refused("missing_scope", [{ rule: "socket.scope", at: "", message: `needs ${needed}` }], {
    needed,
    provided: appToken.scopes.join(","),
  });
}

/** Refuses unless the app was installed with one of the scopes. */
export function needScopes(world: World, scopes: readonly string[]): void {
  const provided = scopesIn(world);
  if (scopes.length === 0 || scopes.some((scope) => provided.includes(scope))) return;
  const needed = scopes.join(",");
  throw new Refused("missing_scope", [{ rule: "auth.scope", at: "", message: `needs ${scopes.join(" or ")}` }], {
    needed,
    provided: provided.join(","),
  });
}

/** A request's arguments from its query and body: a form, JSON, or nothing. */
export async function argumentsOf(request: Request): Promise<JsonObject> {
  const inUrl = Object.fromEntries(new URL(request.url).searchParams);
  if (request.method === "GET") return inUrl;
  const type = request.headers.get("content-type") ?? "";
  const body = await request.text();
  if (type.startsWith("application/json")) {
    const parsed = parseJson(body);
    if (isObject(parsed)) return { ...inUrl, ...parsed };
    return refuse("invalid_json", "method.arguments", "the body is not a JSON object");
  }
  return { ...inUrl, ...Object.fromEntries(new URLSearchParams(body)) };
}

// "Must be an integer under 1000": https://docs.slack.dev/reference/methods/conversations.list
const largestPage = 999;

/** One page of a list, with the cursor of the next: https://docs.slack.dev/apis/web-api/pagination */
export function page<T>(items: readonly T[], args: JsonObject): { items: readonly T[]; response_metadata: JsonObject } {
  const limit = args["limit"] ?? 100;
  if (typeof limit !== "number" || !Number.isInteger(limit) || limit < 1 || limit > largestPage) {
    const message = `limit must be at least 1 and < 1000, not ${JSON.stringify(limit)}`;
    throw new Refused("invalid_limit", [{ rule: "list.page", at: "/limit", message }]);
  }
  const cursor = textOf(args["cursor"]);
  const start = cursor === "" ? 0 : Number(Buffer.from(cursor, "base64url").toString());
  if (!Number.isInteger(start) || start < 0 || start > items.length)
    refuse("invalid_cursor", "list.page", "unknown cursor");
  const end = start + limit;
  const next = end < items.length ? Buffer.from(String(end)).toString("base64url") : "";
  return { items: items.slice(start, end), response_metadata: { next_cursor: next } };
}

/** The channel of an argument, if the bot may see it. A user's id means the direct conversation with the bot. */
export function knownChannel(world: World, name: string): Channel {
  const { users, bot } = world.state;
  const user = users.get(name);
  const channel = user === undefined ? findChannel(world.state, name) : directChannel(world.state, user.id, bot.user);
  if (channel === undefined) refuse("channel_not_found", "channel.known", `no channel ${name}`);
  if (channel.kind !== "public" && !channel.members.has(bot.user)) {
    refuse("channel_not_found", "channel.known", `the bot is not in ${name}, and only members know of it`);
  }
  return channel;
}

export function checkOpen(channel: Channel, error = "is_archived"): void {
  if (channel.isArchived) refuse(error, "channel.archived", `#${channel.name} is archived`);
}

/** The channel of an argument, if the bot is a member and it is not archived. */
export function joinedChannel(world: World, name: string): Channel {
  const channel = knownChannel(world, name);
  checkOpen(channel);
  if (!channel.members.has(world.state.bot.user))
    refuse("not_in_channel", "channel.member", `the bot is not in #${channel.name}`);
  return channel;
}

export function knownUser(world: World, id: string): User {
  const user = world.state.users.get(id);
  if (user === undefined) refuse("user_not_found", "user.known", `no user ${id}`);
  return user;
}

function findMessage(world: World, channel: Channel, ts: string): Message | undefined {
  return world.state.messages.find((message) => message.channel === channel.id && message.ts === ts);
}

/** A message that everybody in the channel sees, so not an ephemeral one. */
export function publicMessage(world: World, channel: Channel, ts: string): Message {
  const message = findMessage(world, channel, ts);
  if (message === undefined) refuse("message_not_found", "message.known", `no message ${ts} in ${channel.id}`);
  if (message.ephemeralTo !== undefined) {
    refuse("message_not_found", "message.ephemeral", `message ${ts} is ephemeral`);
  }
  return message;
}

export function ownMessage(world: World, args: JsonObject, error: string): Message {
  const channel = knownChannel(world, textOf(args["channel"]));
  const message = publicMessage(world, channel, textOf(args["ts"]));
  if (!isBots(world, message)) refuse(error, "message.own", `message ${message.ts} is not the bot's`);
  // chat.update has its own error code for it: https://docs.slack.dev/reference/methods/chat.update#errors
  checkOpen(channel, "is_inactive");
  return message;
}

/**
 * The thread of an argument; undefined if there is none, or if its first message was deleted:
 * https://github.com/slackapi/python-slack-events-api/issues/87
 */
export function threadOf(world: World, channel: Channel, ts: string): string | undefined {
  if (ts === "") return undefined;
  if (!/^\d{10}\.\d{6}$/u.test(ts)) refuse("invalid_thread_ts", "thread.parent", `${ts} is no ts`);
  const parent = findMessage(world, channel, ts);
  const wasDeleted = world.state.deletions.some((each) => each.channel === channel.id && each.ts === ts);
  if (parent === undefined && wasDeleted) return undefined;
  if (parent === undefined) refuse("thread_not_found", "thread.parent", `no message ${ts} in ${channel.id}`);
  if (parent.ephemeralTo !== undefined)
    refuse("cannot_reply_to_message", "thread.parent", `message ${ts} is ephemeral`);
  if (parent.threadTs !== undefined)
    refuse("cannot_reply_to_message", "thread.parent", `message ${ts} is a reply itself`);
  return ts;
}

/** The thread of an ephemeral message. It must have replies; otherwise nobody would see the message. */
export function activeThread(world: World, channel: Channel, ts: string): string | undefined {
  const thread = threadOf(world, channel, ts);
  const isReply = (message: Message): boolean =>
    message.channel === channel.id && message.threadTs === thread && message.ephemeralTo === undefined;
  if (thread !== undefined && !world.state.messages.some(isReply)) {
    refuse("cannot_reply_to_message", "ephemeral.thread", `message ${ts} has no reply yet`);
  }
  return thread;
}
