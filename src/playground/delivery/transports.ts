import { machineClock } from "../../platform/clock.ts";
import { createHmac } from "node:crypto";
import { type Json, type JsonObject, parseJson, textOf } from "../json.ts";
import type { World } from "../world.ts";
import type { Ack, BotRequest, Way } from "./bot-request.ts";
import { refuse } from "../rules/refusal.ts";
import { envelopeOf, takesPayload } from "../sockets/link.ts";

/** Signs the request and posts it to the bot's request URL. */
export function overHttp(world: World, request: BotRequest): Way {
  return { send: () => post(world, request) };
}

async function post(world: World, request: BotRequest): Promise<Ack> {
  const { faults, signingSecret } = world;
  const { body, contentType } = encoded(request);
  const signal = world.clock.limit(world.ackMs);
  const secret = faults.signsWrongly ? `not ${signingSecret}` : signingSecret;
  try {
    await faults.network.passes(signal);
    const signed = signedHeaders(secret, body, faults.signatureAgeSeconds);
    const { retry } = request;
    const headers = {
      "content-type": contentType,
      ...signed,
      ...(retry && { "x-slack-retry-num": String(retry.attempt), "x-slack-retry-reason": retry.reason }),
    };
    return await ackOf(await fetch(world.requestUrl(), { method: "POST", headers, body, signal, redirect: "manual" }));
  } catch (error) {
    const isLate = error instanceof DOMException && error.name === "TimeoutError";
    const failed = { status: undefined, answer: undefined, wantsNoRetry: false };
    if (isLate) return { ...failed, error: "operation_timeout", reason: "http_timeout" };
    return { ...failed, error: "dispatch_failed", reason: "connection_failed" };
  }
}

function encoded({ type, payload }: BotRequest): { readonly body: string; readonly contentType: string } {
  switch (type) {
    case "slash_commands":
      return { body: flatForm(payload), contentType: form };
    case "interactive":
      return { body: flatForm({ payload: JSON.stringify(payload) }), contentType: form };
    case "events_api":
      return { body: JSON.stringify(payload), contentType: "application/json" };
  }
}

// Bolt accepts exactly this content type, without a charset.
const form = "application/x-www-form-urlencoded";

function flatForm(payload: JsonObject): string {
  return new URLSearchParams(Object.entries(payload).map(([name, value]) => [name, textOf(value)])).toString();
}

/**
 * Slack's signature headers, dated `ageSeconds` ago.
 * https://docs.slack.dev/authentication/verifying-requests-from-slack
 */
function signedHeaders(signingSecret: string, body: string, ageSeconds: number): Record<string, string> {
  // Bolt, which checks it, always compares it with this machine's time.
  const timestamp = String(Math.floor(machineClock.now().getTime() / 1000) - ageSeconds);
  const signature = createHmac("sha256", signingSecret).update(`v0:${timestamp}:${body}`).digest("hex");
  return { "x-slack-request-timestamp": timestamp, "x-slack-signature": `v0=${signature}` };
}

async function ackOf(response: Response): Promise<Ack> {
  const text = await response.text();
  const answer = text === "" ? undefined : (parseJson(text) ?? text);
  const wantsNoRetry = response.headers.get("x-slack-no-retry") === "1";
  if (response.ok) return { status: response.status, answer, wantsNoRetry };
  const isRedirect = response.status >= 300 && response.status < 400;
  const reason = isRedirect ? "too_many_redirects" : "http_error";
  return { status: response.status, answer, error: "dispatch_failed", reason, wantsNoRetry };
}

/** Puts the request into an envelope and sends it on one of the app's connections. */
export function overSocket(world: World, request: BotRequest): Way {
  const link = world.links.pick();
  if (link === undefined) return { send: () => Promise.resolve(notConnected) };
  const envelope = envelopeOf(request);
  const { payload: _payload, ...head } = envelope;
  return {
    envelope: { ...head, connection: link.name },
    send: () => link.deliver(envelope, world.ackMs),
    checkAnswer(answer: Json | undefined) {
      if (answer === undefined || takesPayload(request)) return;
      refuse("unexpected_payload", "socket.ack-payload", `the ack of a ${request.kind} has a payload`);
    },
  };
}

const notConnected: Ack = {
  status: undefined,
  answer: undefined,
  error: "dispatch_failed",
  reason: "not_connected",
  wantsNoRetry: false,
};
