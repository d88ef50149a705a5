import type { Install } from "../../installs/installs.ts";
import { isObject, type Json, type JsonObject, parseJson, textOf } from "../../json.ts";
import { type Problem, refuse, Refused } from "../../rules/refusal.ts";
import { scopesIn, type World } from "../../world.ts";

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
const everywhere: Readonly<Record<string, Kind>> = { token: "text", team_id: "text" };

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
export function readArguments(method: Method, args: JsonObject): JsonObject {
  const kinds = { ...everywhere, ...method.optional, ...method.required };
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
