import { isList, isObject, type Json, type JsonObject, parseJson, textOf } from "../json.ts";
import { argumentsOf, checkAccess, type Methods, readArguments } from "./methods/method.ts";
import { files, receive } from "./methods/files.ts";
import { refuse, Refused } from "../rules/refusal.ts";
import { bot, directId, findChannel } from "../workspace/workspace.ts";
import { faultOutcome, json, type Outcome, refusedOutcome, responseUrlStatus, toResponse } from "./outcome.ts";
import { respond, spend } from "./response-url.ts";
import type { PlannedFault } from "../faults/faults.ts";
import type { World } from "../world.ts";
import { auth } from "./methods/auth.ts";
import { chat } from "./methods/chat.ts";
import { conversations } from "./methods/conversations.ts";
import { people } from "./methods/users.ts";
import { streams } from "./methods/streams.ts";
import { views } from "./methods/views.ts";

/** Every Web API method the playground answers. */
export const methods: Methods = { ...auth, ...chat, ...conversations, ...files, ...people, ...streams, ...views };

function tokenOf(request: Request, args: JsonObject): string | undefined {
  const bearer = /^Bearer (.+)$/.exec(request.headers.get("authorization") ?? "")?.[1];
  const token = args["token"];
  return bearer ?? (typeof token === "string" ? token : undefined);
}

/** `channel` is the channel argument; "" if there is none. */
type Asked = { readonly request: Json; readonly channel: string; readonly run: () => Outcome };

function overRate(name: string, retryAfterSeconds: number): Outcome {
  const problem = { rule: "method.rate", at: "", message: `${name} has had its calls of the last minute` } as const;
  return { ...refusedOutcome(new Refused("ratelimited", [problem]), 429), retryAfterSeconds };
}

async function askMethod(world: World, name: string, request: Request): Promise<Asked> {
  const args = await argumentsOf(request);
  const { token: _token, ...shown } = args;
  const run = (): Outcome => {
    try {
      const method = Object.hasOwn(methods, name) ? methods[name] : undefined;
      if (method === undefined) refuse("unknown_method", "method.known", `no method ${name}`);
      checkAccess(world, method, tokenOf(request, args));
      const retryAfterSeconds = world.faults.overRate(name, world.clock.now());
      if (retryAfterSeconds !== undefined) return overRate(name, retryAfterSeconds);
      return json({ ok: true, ...method.run(world, readArguments(method, args)) });
    } catch (error) {
      return refusedOutcome(error, 200);
    }
  };
  return { request: shown, channel: textOf(args["channel"]) || textOf(args["channel_id"]), run };
}

async function askResponse(world: World, id: string, request: Request): Promise<Asked> {
  const text = await request.text();
  const body = parsedBody(text);
  const run = (): Outcome => {
    try {
      respond(world, spend(world, id), body);
      return { answer: "ok", status: 200, body: "ok", contentType: "text/plain" };
    } catch (error) {
      return refusedOutcome(error, error instanceof Refused ? responseUrlStatus(error.error) : 400);
    }
  };
  return { request: body ?? text, channel: world.state.responseUrls.get(id)?.channel ?? "", run };
}

function parsedBody(text: string): Json | undefined {
  try {
    const parsed: unknown = JSON.parse(text);
    return isObject(parsed) ? parsed : undefined;
  } catch {
    return undefined;
  }
}

/** The bytes of an upload: the file of a form, or the raw body. */
async function uploadedBytes(request: Request): Promise<Uint8Array> {
  const type = request.headers.get("content-type") ?? "";
  if (!type.startsWith("multipart/form-data")) return new Uint8Array(await request.arrayBuffer());
  const parts = [...(await request.formData()).values()];
  const file = parts.find((part) => typeof part !== "string") ?? parts[0];
  return typeof file === "string" ? new TextEncoder().encode(file) : new Uint8Array((await file?.arrayBuffer()) ?? []);
}

async function askUpload(world: World, id: string, request: Request): Promise<Asked> {
  const bytes = await uploadedBytes(request);
  const run = (): Outcome => {
    try {
      receive(world, id, bytes);
      return { answer: "OK", status: 200, body: `OK - ${bytes.byteLength}`, contentType: "text/plain" };
    } catch (error) {
      return refusedOutcome(error, 400);
    }
  };
  return { request: { file: id, bytes: bytes.byteLength }, channel: "", run };
}

/** Blocks come as a list, or as JSON text in a form. */
function hasBlocks(request: Json): boolean {
  const blocks = isObject(request) ? request["blocks"] : undefined;
  const list = typeof blocks === "string" ? parseJson(blocks) : blocks;
  return isList(list) && list.length > 0;
}

/** All names of a channel, so that a fault can be planned for any of them. */
function channelNames(world: World, named: string): readonly string[] {
  if (world.state.users.has(named)) return [named, directId(named, bot.user)];
  const channel = findChannel(world.state, named);
  if (channel === undefined) return named === "" ? [] : [named];
  return [channel.id, ...(channel.kind === "im" ? channel.members : [channel.name])];
}

type Sent = { readonly what: Asked; readonly signal: AbortSignal };

/** "lost" and "late" requests are carried out; other faults prevent it. */
async function fail(
  world: World,
  kind: string,
  { what, signal, plan }: Sent & { plan: PlannedFault },
): Promise<Outcome> {
  const done = plan.fault === "lost" || plan.fault === "late" ? what.run() : undefined;
  await world.faults.delay(plan.fault === "late");
  if (plan.fault === "hang") await world.faults.hang(signal);
  return plan.fault === "late" && done !== undefined ? done : faultOutcome(world, kind, plan);
}

async function succeed(world: World, what: Asked): Promise<Outcome> {
  const done = what.run();
  await world.faults.delay(false);
  return done;
}

async function answer(world: World, kind: string, { what, signal }: Sent): Promise<Response> {
  const finish = world.transcript.begin({ direction: "from bot", kind, request: what.request });
  const channels = channelNames(world, what.channel);
  const plan = world.faults.next(kind, { hasBlocks: hasBlocks(what.request), channels });
  const outcome = await (plan === undefined ? succeed(world, what) : fail(world, kind, { what, signal, plan }));
  finish({
    answer: outcome.answer,
    status: outcome.status,
    ...(outcome.refusal === undefined ? {} : { refusal: outcome.refusal }),
  });
  return toResponse(world, outcome);
}

/** The bot's requests to Slack: /api/:method, /response/:id and /upload/:id. */
export const webApi = {
  method: async (world: World, name: string, request: Request): Promise<Response> => {
    const what = await askMethod(world, name, request).catch((error: unknown): Asked => {
      // An unreadable body is refused and recorded like any other request.
      const unreadable = refusedOutcome(error, 200);
      return { request: null, channel: "", run: () => unreadable };
    });
    return answer(world, name, { what, signal: request.signal });
  },
  response: async (world: World, id: string, request: Request): Promise<Response> =>
    answer(world, "response_url", { what: await askResponse(world, id, request), signal: request.signal }),
  upload: async (world: World, id: string, request: Request): Promise<Response> =>
    answer(world, "upload", { what: await askUpload(world, id, request), signal: request.signal }),
};
