import { isObject, type Json, type JsonObject, parseJson } from "../../json.ts";
import { type Problem, refuse, Refused } from "../../rules/refusal.ts";
import type { World } from "../../world.ts";

/** The type of an argument: forms carry everything as text, JSON bodies carry typed values. */
export type Kind = "text" | "flag" | "number" | "json";

export type Method = {
  /** The bot needs one of these scopes; [] for none. */
  readonly scopes: readonly string[];
  readonly required: Readonly<Record<string, Kind>>;
  readonly optional: Readonly<Record<string, Kind>>;
  /** Runs the method; throws Refused. The answer gets `ok: true`. */
  readonly run: (world: World, args: JsonObject) => JsonObject;
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

/** Checks the token and its scopes; throws Refused. */
export function checkAccess(world: World, method: Method, token: string | undefined): void {
  const problem = (message: string): Problem => ({ rule: "auth.token", at: "", message });
  if (token === undefined || token === "") throw new Refused("not_authed", [problem("no token")]);
  const { tokenError } = world.faults;
  if (tokenError !== "") throw new Refused(tokenError, [problem("the token was revoked")]);
  if (token !== world.botToken) throw new Refused("invalid_auth", [problem("not this app's token")]);
  needScopes(world, method.scopes);
}

/** Refuses unless the manifest has one of the scopes. */
export function needScopes(world: World, scopes: readonly string[]): void {
  if (scopes.length === 0 || scopes.some((scope) => world.app.scopes.includes(scope))) return;
  const needed = scopes.join(",");
  throw new Refused("missing_scope", [{ rule: "auth.scope", at: "", message: `needs ${scopes.join(" or ")}` }], {
    needed,
    provided: world.app.scopes.join(","),
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
