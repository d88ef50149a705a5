import { isList, isObject, type Json, type JsonObject, parseJson } from "../json.ts";
import { methods } from "./methods/all.ts";
import { argumentsOf, checkAccess, readArguments } from "./methods/method.ts";
import { receive } from "./methods/files.ts";
import { errorBody, refusalOf, refuse, Refused } from "../rules/refusal.ts";
import { respond, spend } from "./response-url.ts";
import type { Answered } from "../transcript.ts";
import type { Failure } from "../faults/faults.ts";
import type { World } from "../world.ts";

/** What a handler came to: the body, its status, and the refusal the transcript notes. */
type Outcome = Answered & { readonly body: string; readonly contentType: string };

function json(answer: JsonObject, status = 200): Outcome {
  const contentType = "application/json; charset=utf-8";
  return { answer, status, body: JSON.stringify(answer), contentType };
}

function refusedOutcome(error: unknown, status: number): Outcome {
  if (!(error instanceof Refused)) throw error;
  return { ...json(errorBody(error), status), refusal: refusalOf(error) };
}

function tokenOf(request: Request, args: JsonObject): string | undefined {
  const bearer = /^Bearer (.+)$/.exec(request.headers.get("authorization") ?? "")?.[1];
  const given = args["token"];
  return bearer ?? (typeof given === "string" ? given : undefined);
}

type Asked = { readonly request: Json; readonly run: () => Outcome };

async function askMethod(world: World, name: string, request: Request): Promise<Asked> {
  const args = await argumentsOf(request);
  const { token: _token, ...shown } = args;
  const run = (): Outcome => {
    try {
      const method = Object.hasOwn(methods, name) ? methods[name] : undefined;
      if (method === undefined) refuse("unknown_method", "method.known", `no method ${name}`);
      checkAccess(world, method, tokenOf(request, args));
      return json({ ok: true, ...method.run(world, readArguments(method, args)) });
    } catch (error) {
      return refusedOutcome(error, 200);
    }
  };
  return { request: shown, run };
}

async function askResponse(world: World, id: string, request: Request): Promise<Asked> {
  const text = await request.text();
  const body = parsedBody(text);
  const run = (): Outcome => {
    try {
      respond(world, spend(world, id), body);
      return { answer: "ok", status: 200, body: "ok", contentType: "text/plain" };
    } catch (error) {
      const isGone = error instanceof Refused && ["invalid_url", "expired_url", "used_url"].includes(error.error);
      return refusedOutcome(error, isGone ? 404 : 400);
    }
  };
  return { request: body ?? text, run };
}

function parsedBody(text: string): Json | undefined {
  try {
    const parsed: unknown = JSON.parse(text);
    return isObject(parsed) ? parsed : undefined;
  } catch {
    return undefined;
  }
}

/** The bytes of an upload: the file in a form, or the body as it is. */
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
  return { request: { file: id, bytes: bytes.byteLength }, run };
}

/** Blocks as a list, or as the JSON of one in a form. */
function hasBlocks(request: Json): boolean {
  const blocks = isObject(request) ? request["blocks"] : undefined;
  const list = typeof blocks === "string" ? parseJson(blocks) : blocks;
  return isList(list) && list.length > 0;
}

function failed(failure: Failure, kind: string): Outcome {
  if (failure === "blocks") return json({ ok: false, error: "invalid_blocks" }, kind === "response_url" ? 400 : 200);
  if (failure === "429") return json({ ok: false, error: "ratelimited" }, 429);
  if (failure === "garbage") {
    return { answer: "<html>", status: 200, body: "<html><body>Something is off", contentType: "text/html" };
  }
  return { answer: "", status: 500, body: "Internal Server Error", contentType: "text/plain" };
}

function toResponse(world: World, outcome: Outcome): Response {
  const headers = new Headers({ "content-type": outcome.contentType, "x-oauth-scopes": world.app.scopes.join(",") });
  if (outcome.status === 429) headers.set("retry-after", String(world.faults.retryAfterSeconds));
  return new Response(outcome.body, { status: outcome.status ?? 500, headers });
}

async function answer(world: World, kind: string, asked: { what: Asked; signal: AbortSignal }): Promise<Response> {
  const finish = world.transcript.begin({ direction: "from bot", kind, request: asked.what.request });
  const failure = world.faults.next(kind, { hasBlocks: hasBlocks(asked.what.request) });
  // "lost" and "hang" differ in this: what is lost was done.
  const isDone = failure === undefined || failure === "lost" || failure === "late";
  const done = isDone ? asked.what.run() : undefined;
  await world.faults.delay(failure === "late");
  if (failure === "hang") await world.faults.hang(asked.signal);
  const outcome = done !== undefined && failure !== "lost" ? done : failed(failure ?? "500", kind);
  finish({
    answer: outcome.answer,
    status: outcome.status,
    ...(outcome.refusal === undefined ? {} : { refusal: outcome.refusal }),
  });
  return toResponse(world, outcome);
}

/** Answers what a bot asks of Slack: /api/:method, /response/:id and /upload/:id. */
export const webApi = {
  method: async (world: World, name: string, request: Request): Promise<Response> => {
    const what = await askMethod(world, name, request).catch((error: unknown): Asked => {
      // A body that cannot be read is refused like any other request, and noted.
      const unreadable = refusedOutcome(error, 200);
      return { request: null, run: () => unreadable };
    });
    return answer(world, name, { what, signal: request.signal });
  },
  response: async (world: World, id: string, request: Request): Promise<Response> =>
    answer(world, "response_url", { what: await askResponse(world, id, request), signal: request.signal }),
  upload: async (world: World, id: string, request: Request): Promise<Response> =>
    answer(world, "upload", { what: await askUpload(world, id, request), signal: request.signal }),
};
