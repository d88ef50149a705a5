import { type Json, type JsonObject, parseJson } from "../json.ts";
import { type Problem, type Refusal, refusalOf, Refused } from "../rules/refusal.ts";
import { rules } from "../rules/rules.ts";
import type { World } from "../world.ts";
import { createHmac } from "node:crypto";

/** Notes what Slack would not even send to the bot, and why. */
export function notDelivered(
  world: World,
  kept: { readonly kind: string; readonly payload: JsonObject },
  why: { readonly error: string; readonly problem: Problem },
): Delivery {
  const { kind, payload } = kept;
  const refusal = refusalOf(new Refused(why.error, [why.problem]));
  const finish = world.transcript.begin({ direction: "to bot", kind, request: payload });
  finish({ answer: undefined, status: undefined, refusal });
  return { kind, acked: false, status: undefined, ms: 0, error: why.error, refusal };
}

/**
 * The headers that prove a request comes from Slack, signed `ageSeconds` ago.
 * https://docs.slack.dev/authentication/verifying-requests-from-slack
 */
function signedHeaders(signingSecret: string, body: string, ageSeconds: number): Record<string, string> {
  // Wall time, not the playground's clock: the bot checks it against its own, five minutes either way.
  const timestamp = String(Math.floor(Date.now() / 1000) - ageSeconds);
  const signature = createHmac("sha256", signingSecret).update(`v0:${timestamp}:${body}`).digest("hex");
  return { "x-slack-request-timestamp": timestamp, "x-slack-signature": `v0=${signature}` };
}

/** What became of something a person did. */
export type Delivery = {
  /** "slash_command", "block_actions" …, or "message" when it was only posted. */
  readonly kind: string;
  /** The bot answered 2xx in time. */
  readonly acked: boolean;
  readonly status: number | undefined;
  /** How long the ack took. */
  readonly ms: number;
  /** Slack's code for what went wrong: operation_timeout, dispatch_failed. */
  readonly error?: string;
  readonly refusal?: Refusal;
  /** What stood in the ack's body. */
  readonly answer?: Json | undefined;
  /** The message that was posted. */
  readonly ts?: string;
};

export type BotRequest = {
  readonly kind: string;
  /** What the transcript keeps. */
  readonly payload: JsonObject;
  readonly body: string;
  readonly contentType: string;
  /** Sent besides the usual ones. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Reads the ack's body; throws Refused when Slack would not take it. */
  readonly onAck?: (answer: Json | undefined) => void;
};

/** Slash commands travel as a flat form. */
export function commandRequest(payload: Readonly<Record<string, string>>): Omit<BotRequest, "onAck"> {
  // Bolt takes exactly this content type and no charset behind it.
  const contentType = "application/x-www-form-urlencoded";
  return { kind: "slash_command", payload, body: new URLSearchParams(payload).toString(), contentType };
}

/** Interactions travel as a form with one field, `payload`. */
export function interactionRequest(kind: string, payload: JsonObject): Omit<BotRequest, "onAck"> {
  const body = new URLSearchParams({ payload: JSON.stringify(payload) }).toString();
  return { kind, payload, body, contentType: "application/x-www-form-urlencoded" };
}

export function eventRequest(payload: JsonObject): Omit<BotRequest, "onAck"> {
  return { kind: "event_callback", payload, body: JSON.stringify(payload), contentType: "application/json" };
}

type Ack = {
  readonly status: number | undefined;
  readonly answer: Json | undefined;
  readonly error?: string;
  /** Why it failed, in the words of x-slack-retry-reason. */
  readonly reason?: RetryReason;
  readonly wantsNoRetry: boolean;
};

/** https://docs.slack.dev/apis/events-api#retries; ssl_error and unknown_error cannot happen on a loopback address. */
type RetryReason = "http_timeout" | "connection_failed" | "http_error" | "too_many_redirects";

async function read(response: Response): Promise<Ack> {
  const text = await response.text();
  const answer = text === "" ? undefined : (parseJson(text) ?? text);
  const wantsNoRetry = response.headers.get("x-slack-no-retry") === "1";
  if (response.ok) return { status: response.status, answer, wantsNoRetry };
  const isRedirect = response.status >= 300 && response.status < 400;
  const reason = isRedirect ? "too_many_redirects" : "http_error";
  return { status: response.status, answer, error: "dispatch_failed", reason, wantsNoRetry };
}

async function send(world: World, parcel: BotRequest): Promise<Ack> {
  const { faults, signingSecret } = world;
  const signed = signedHeaders(
    faults.signsWrongly ? `not ${signingSecret}` : signingSecret,
    parcel.body,
    faults.signatureAgeSeconds,
  );
  try {
    const response = await fetch(world.requestUrl(), {
      method: "POST",
      headers: { "content-type": parcel.contentType, ...signed, ...parcel.headers },
      body: parcel.body,
      signal: AbortSignal.timeout(world.ackMs),
      redirect: "manual",
    });
    return await read(response);
  } catch (error) {
    const isLate = error instanceof DOMException && error.name === "TimeoutError";
    const failed = { status: undefined, answer: undefined, wantsNoRetry: false };
    if (isLate) return { ...failed, error: "operation_timeout", reason: "http_timeout" };
    return { ...failed, error: "dispatch_failed", reason: "connection_failed" };
  }
}

function lateness(ack: Ack): Refusal {
  const rule = rules["ack.in-time"];
  const what = ack.status === undefined ? "no answer" : `status ${ack.status}`;
  return { rule: "ack.in-time", link: rule.link, sentence: `${ack.error ?? ""}: ${what}. Rule: ${rule.says}.` };
}

function taken(parcel: BotRequest, answer: Json | undefined): Refusal | undefined {
  try {
    parcel.onAck?.(answer);
    return undefined;
  } catch (error) {
    if (error instanceof Refused) return refusalOf(error);
    throw error;
  }
}

/** A delivery, and what decides whether an event comes again. */
export type Attempt = {
  readonly delivery: Delivery;
  readonly reason: RetryReason | undefined;
  readonly wantsNoRetry: boolean;
};

/** Signs and sends a parcel to the bot once. */
export async function deliverOnce(world: World, parcel: BotRequest): Promise<Attempt> {
  const finish = world.transcript.begin({ direction: "to bot", kind: parcel.kind, request: parcel.payload });
  const ack = await send(world, parcel);
  const refusal = ack.error === undefined ? taken(parcel, ack.answer) : lateness(ack);
  const { ms } = finish({ answer: ack.answer, status: ack.status, ...(refusal === undefined ? {} : { refusal }) });
  const delivery: Delivery = {
    kind: parcel.kind,
    acked: ack.error === undefined,
    status: ack.status,
    ms: ms ?? 0,
    answer: ack.answer,
    ...(ack.error === undefined ? {} : { error: ack.error }),
    ...(refusal === undefined ? {} : { refusal }),
  };
  return { delivery, reason: ack.reason, wantsNoRetry: ack.wantsNoRetry };
}

/**
 * Delivers a command or an interaction, twice when `faults.deliverTwice` is set; resolves with the first ack, never rejects for the
 * bot's sake. Slack does not send these again when they fail.
 */
export async function deliver(world: World, parcel: BotRequest): Promise<Delivery> {
  const [first] = await Promise.all([
    deliverOnce(world, parcel),
    world.faults.deliverTwice ? deliverOnce(world, parcel) : undefined,
  ]);
  return first.delivery;
}
