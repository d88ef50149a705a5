import { isList, isObject, type Json, type JsonObject, parseJson, textOf } from "../json.ts";
import { oauthAccess } from "../installs/oauth.ts";
import { argumentsOf, checkAccess, everywhere, type Method, type Methods, readArguments } from "./methods/method.ts";
import { files, receive, chat } from "./methods/messages.ts";
import { errorBody, refusalOf, refuse, Refused } from "../rules/rules.ts";
import { directId, findChannel } from "../workspace/workspace.ts";
import type { Install } from "../installs/installs.ts";
import { scopesIn, type Slack, type World } from "../world.ts";
import { checkAppToken, installOfToken, worldOfCall } from "./find-world.ts";
import { respond, useResponseUrl } from "./response-url.ts";
import type { PlannedFault, SlackError } from "../faults.ts";
import { auth, people, conversations } from "./methods/directory.ts";
import { views } from "./methods/views.ts";
import type { Answered } from "../transcript.ts";

/** Every Web API method the playground answers. */
const methods: Methods = {
  ...auth,
  ...chat,
  ...conversations,
  ...files,
  ...people,
  ...views,
};

/** `channel` is the channel argument; "" if there is none. */
type PreparedRequest = {
  readonly world: World;
  readonly request: Json;
  readonly channel: string;
  readonly run: () => Outcome;
};

function overRate(rule: "method.rate" | "message.pace", message: string, retryAfterSeconds: number): Outcome {
  const problem = { rule, at: "", message } as const;
  return { ...refusedOutcome(new Refused("ratelimited", [problem]), 429), retryAfterSeconds };
}

function methodNamed(name: string): Method | undefined {
  return Object.hasOwn(methods, name) ? methods[name] : undefined;
}

/** The workspace that a call belongs to, and the installation of its token, or the refusal. */
function placeOf(
  slack: Slack,
  token: string | undefined,
  call: Call,
): { readonly world: World; readonly by: Install | Refused | undefined } {
  try {
    if (methodNamed(call.name)?.isForApp === true) {
      checkAppToken(slack, token);
      return { world: slack.worlds()[0], by: undefined };
    }
    const install = installOfToken(slack, token);
    return { world: worldOfCall(slack, install, call), by: install };
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    return { world: slack.worlds()[0], by: error };
  }
}

type Call = { readonly name: string; readonly args: JsonObject };

async function askMethod(slack: Slack, name: string, request: Request): Promise<PreparedRequest> {
  const args = await argumentsOf(request);
  if (name === "oauth.v2.access") return askAccess(slack, request, args);
  const bearer = /^Bearer (.+)$/.exec(request.headers.get("authorization") ?? "")?.[1];
  const { world, by } = placeOf(slack, bearer ?? textOf(args["token"]), { name, args });
  const { token: _token, ...shown } = args;
  const run = guarded(200, () => {
    const method = methodNamed(name);
    if (method === undefined) {
      const message = `the playground has no method ${name}: add it in src/playground/web-api/methods/`;
      throw new Refused("unknown_method", [{ rule: "method.known", at: "", message }], { req_method: name });
    }
    if (method.isForApp === true && request.method !== "POST") {
      refuse("insecure_request", "socket.post", `called by ${request.method}`);
    }
    if (by instanceof Refused) throw by;
    checkAccess(world, method);
    const retryAfterSeconds = world.faults.overRate(name, world.clock.nowMs());
    if (retryAfterSeconds !== undefined) {
      return overRate("method.rate", `${name} has had its calls of the last minute`, retryAfterSeconds);
    }
    const read = readArguments({ ...method, optional: { ...everywhere, ...method.optional } }, args);
    const channel = name === "chat.postMessage" ? textOf(read["channel"]) : "";
    const laterSeconds = channel === "" ? undefined : world.faults.overPace(channel, world.clock.nowMs());
    if (laterSeconds !== undefined) return overRate("message.pace", `${channel} has had its burst`, laterSeconds);
    return json({ ok: true, ...method.run(world, read, by) });
  });
  return { world, request: shown, channel: textOf(args["channel"]) || textOf(args["channel_id"]), run };
}

/** oauth.v2.access has no token: the app's id and secret stand in for it. */
function askAccess(slack: Slack, request: Request, args: JsonObject): PreparedRequest {
  const { client_secret: _secret, refresh_token: _refresh, code: _code, ...shown } = args;
  const [world] = slack.worlds();
  const asked = { authorization: request.headers.get("authorization"), args };
  const run = guarded(200, () => json({ ok: true, ...oauthAccess(slack, asked) }));
  return { world, request: shown, channel: "", run };
}

async function askResponse(world: World, id: string, request: Request): Promise<PreparedRequest> {
  const text = await request.text();
  const body = parseJson(text);
  const run = guarded(responseUrlStatus, () => {
    respond(world, useResponseUrl(world, id), body);
    return { answer: "ok", status: 200, body: "ok", contentType: "text/plain" };
  });
  return { world, request: body ?? text, channel: world.state.responseUrls.get(id)?.channel ?? "", run };
}

/** The bytes of an upload: the file of a form, or the raw body. */
async function uploadedBytes(request: Request): Promise<Uint8Array> {
  const type = request.headers.get("content-type") ?? "";
  if (!type.startsWith("multipart/form-data")) return new Uint8Array(await request.arrayBuffer());
  const parts = [...(await formIn(request)).values()];
  const file = parts.find((part) => typeof part !== "string") ?? parts[0];
  return typeof file === "string" ? new TextEncoder().encode(file) : new Uint8Array((await file?.arrayBuffer()) ?? []);
}

/** A body that is no form has no parts. */
async function formIn(request: Request): Promise<FormData> {
  try {
    return await request.formData();
  } catch {
    return new FormData();
  }
}

async function askUpload(world: World, id: string, request: Request): Promise<PreparedRequest> {
  const bytes = await uploadedBytes(request);
  const run = guarded(400, () => {
    receive(world, id, bytes);
    return { answer: "OK", status: 200, body: `OK - ${bytes.byteLength}`, contentType: "text/plain" };
  });
  return { world, request: { file: id, bytes: bytes.byteLength }, channel: "", run };
}

/** Blocks of a message or a view; in a form they are JSON text. */
function blocksOf(request: Json): readonly Json[] {
  if (!isObject(request)) return [];
  const view = parsed(request["view"]);
  const list = parsed(isObject(view) ? view["blocks"] : request["blocks"]);
  return isList(list) ? list : [];
}

function parsed(value: Json | undefined): Json | undefined {
  return typeof value === "string" ? parseJson(value) : value;
}

/** All names of a channel, so that a fault can be planned for any of them. */
function channelNames(world: World, named: string): readonly string[] {
  if (world.state.users.has(named)) return [named, directId(named, world.state.bot.user)];
  const channel = findChannel(world.state, named);
  if (channel === undefined) return named === "" ? [] : [named];
  return [channel.id, ...(channel.kind === "im" ? channel.members : [channel.name])];
}

type Sent = { readonly what: PreparedRequest; readonly signal: AbortSignal };

/** "lost", "late" and "slow" requests are carried out; other faults prevent it. */
async function runWithFault(
  world: World,
  kind: string,
  { what, signal, plan }: Sent & { plan: PlannedFault },
): Promise<Outcome> {
  const done = plan.fault === "lost" || plan.fault === "late" ? what.run() : undefined;
  await world.faults.delay(plan.fault === "late" || plan.fault === "slow");
  if (plan.fault === "slow") return what.run();
  if (plan.fault === "hang") await world.faults.hang(signal);
  return plan.fault === "late" && done !== undefined ? done : faultOutcome(world, kind, plan);
}

async function answer(kind: string, { what, signal }: Sent): Promise<Response> {
  const { world } = what;
  try {
    await world.faults.network.passes(signal);
  } catch {
    // It never arrived, and nobody waits for an answer.
    return new Response(null, { status: 504 });
  }
  const finish = world.transcript.begin({ direction: "from bot", kind, request: what.request });
  const channels = channelNames(world, what.channel);
  const blocks = blocksOf(what.request);
  const plan = world.faults.next(kind, {
    hasBlocks: blocks.length > 0,
    hasPlan: blocks.some((block) => isObject(block) && block["type"] === "plan"),
    channels,
  });
  const outcome = plan === undefined ? what.run() : await runWithFault(world, kind, { what, signal, plan });
  if (plan === undefined) await world.faults.delay(false);
  const { body, contentType, retryAfterSeconds = world.faults.retryAfterSeconds, ...answered } = outcome;
  finish(answered);
  const { status = 500 } = answered;
  const headers = new Headers({ "content-type": contentType, "x-oauth-scopes": scopesIn(world).join(",") });
  if (status === 429) headers.set("retry-after", String(retryAfterSeconds));
  // More is announced than comes before the end of the connection.
  const broken = { "content-length": "9999", connection: "close" };
  if (plan?.fault === "cut") for (const [name, value] of Object.entries(broken)) headers.set(name, value);
  return new Response(body, { status, headers });
}

/** The workspace in which something with this id is; the first one if there is none. */
function worldWith({ worlds }: Slack, has: (world: World) => boolean): World {
  return worlds().find(has) ?? worlds()[0];
}

/** The bot's requests to Slack: /api/:method, /response/:id and /upload/:id. */
export const webApi = {
  method: async (slack: Slack, name: string, request: Request): Promise<Response> => {
    const what = await askMethod(slack, name, request).catch((error: unknown): PreparedRequest => {
      const unreadable = refusedOutcome(error, 200);
      return { world: slack.worlds()[0], request: null, channel: "", run: () => unreadable };
    });
    return answer(name, { what, signal: request.signal });
  },
  response: async (slack: Slack, id: string, request: Request): Promise<Response> => {
    const world = worldWith(slack, ({ state }) => state.responseUrls.has(id));
    return answer("response_url", { what: await askResponse(world, id, request), signal: request.signal });
  },
  upload: async (slack: Slack, id: string, request: Request): Promise<Response> => {
    const world = worldWith(slack, ({ state }) => state.uploads.has(id));
    return answer("upload", { what: await askUpload(world, id, request), signal: request.signal });
  },
};

/** An answer to the bot, with the refusal that the transcript notes. */
type Outcome = Answered & {
  readonly body: string;
  readonly contentType: string;
  readonly retryAfterSeconds?: number | undefined;
};

function json(answer: JsonObject, status = 200): Outcome {
  const contentType = "application/json; charset=utf-8";
  return { answer, status, body: JSON.stringify(answer), contentType };
}

/** Answers a refusal with this status. */
function guarded(status: number | ((error: string) => number), run: () => Outcome): () => Outcome {
  return () => {
    try {
      return run();
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      return refusedOutcome(error, typeof status === "number" ? status : status(error.error));
    }
  };
}

/** Rethrows other errors: they are bugs of the playground. */
function refusedOutcome(error: unknown, status: number): Outcome {
  if (!(error instanceof Refused)) throw error;
  return { ...json(errorBody(error), status), refusal: refusalOf(error) };
}

/** A response_url answers 404 if it is spent, and 400 for a wrong body. */
function responseUrlStatus(error: string): 400 | 404 {
  return ["invalid_url", "expired_url", "used_url"].includes(error) ? 404 : 400;
}

function slackError(world: World, kind: string, { error, needed, provided }: SlackError): Outcome {
  const scopes = needed === undefined ? {} : { needed, provided: provided ?? scopesIn(world).join(",") };
  return json({ ok: false, error, ...scopes }, kind === "response_url" ? responseUrlStatus(error) : 200);
}

/** The answer to a request with a planned fault. "lost" looks like a 500. */
function faultOutcome(world: World, kind: string, { fault, retryAfterSeconds }: PlannedFault): Outcome {
  if (typeof fault === "object") return slackError(world, kind, fault);
  if (fault === "blocks" || fault === "plans") return slackError(world, kind, { error: "invalid_blocks" });
  if (fault === "429") return { ...json({ ok: false, error: "ratelimited" }, 429), retryAfterSeconds };
  if (fault === "garbage") {
    return { answer: "<html>", status: 200, body: "<html><body>Something is off", contentType: "text/html" };
  }
  const status = fault === "503" ? 503 : 500;
  return { answer: "", status, body: "Internal Server Error", contentType: "text/plain" };
}
