import { type Json, type JsonObject, parseJson } from "../json.ts";
import { type Problem, type Refusal, refusalOf, Refused } from "../rules/refusal.ts";
import { rules } from "../rules/rules.ts";
import type { World } from "../world.ts";
import { createHmac } from "node:crypto";

/** Records a request that Slack would not send to the bot, with the reason. */
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
 * Slack's signature headers, dated `ageSeconds` ago.
 * https://docs.slack.dev/authentication/verifying-requests-from-slack
 */
function signedHeaders(signingSecret: string, body: string, ageSeconds: number): Record<string, string> {
  // Wall time, not the playground's clock: the bot compares it with its own.
  const timestamp = String(Math.floor(Date.now() / 1000) - ageSeconds);
  const signature = createHmac("sha256", signingSecret).update(`v0:${timestamp}:${body}`).digest("hex");
  return { "x-slack-request-timestamp": timestamp, "x-slack-signature": `v0=${signature}` };
}

/** The outcome of a person's action. */
export type Delivery = {
  /** "slash_command", "block_actions" …, or "message" if it was only posted. */
  readonly kind: string;
  readonly acked: boolean;
  readonly status: number | undefined;
  /** Ack latency. */
  readonly ms: number;
  /** Slack's error code: operation_timeout, dispatch_failed. */
  readonly error?: string;
  readonly refusal?: Refusal;
  /** The body of the ack. */
  readonly answer?: Json | undefined;
  /** The ts of the posted message. */
  readonly ts?: string;
};

export type BotRequest = {
  readonly kind: string;
  /** As the transcript keeps it. */
  readonly payload: JsonObject;
  readonly body: string;
  readonly contentType: string;
  /** Additional headers. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Reads the ack's body; throws Refused if Slack would not accept it. */
  readonly onAck?: (answer: Json | undefined) => void;
};

/** Slash commands are sent as a flat form. */
export function commandRequest(payload: Readonly<Record<string, string>>): Omit<BotRequest, "onAck"> {
  // Bolt accepts exactly this content type, without a charset.
  const contentType = "application/x-www-form-urlencoded";
  return { kind: "slash_command", payload, body: new URLSearchParams(payload).toString(), contentType };
}

/** Interactions are sent as a form with one field, `payload`. */
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
  /** The reason for a failure, as in x-slack-retry-reason. */
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

/** A delivery, and the facts that decide about a retry. */
export type Attempt = {
  readonly delivery: Delivery;
  readonly reason: RetryReason | undefined;
  readonly wantsNoRetry: boolean;
};

/** Signs and sends a request to the bot once. */
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
 * Delivers a command or an interaction, twice if `faults.deliverTwice` is set. Resolves with the first ack and never
 * rejects because of the bot. Slack does not retry these.
 */
export async function deliver(world: World, parcel: BotRequest): Promise<Delivery> {
  const [first] = await Promise.all([
    deliverOnce(world, parcel),
    world.faults.deliverTwice ? deliverOnce(world, parcel) : undefined,
  ]);
  return first.delivery;
}
