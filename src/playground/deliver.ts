import { type Json, type JsonObject, parseJson } from "./json.ts";
import { refusalOf, type Refusal, Refused } from "./refusal.ts";
import { rules } from "./rules.ts";
import { signedHeaders } from "./signature.ts";
import type { World } from "./world.ts";

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

export type Parcel = {
  readonly kind: string;
  /** What the transcript keeps. */
  readonly payload: JsonObject;
  readonly body: string;
  readonly contentType: string;
  /** Reads the ack's body; throws Refused when Slack would not take it. */
  readonly onAck?: (answer: Json | undefined) => void;
};

/** Slash commands travel as a flat form. */
export function commandParcel(payload: Readonly<Record<string, string>>): Omit<Parcel, "onAck"> {
  // Bolt takes exactly this content type and no charset behind it.
  const contentType = "application/x-www-form-urlencoded";
  return { kind: "slash_command", payload, body: new URLSearchParams(payload).toString(), contentType };
}

/** Interactions travel as a form with one field, `payload`. */
export function interactionParcel(kind: string, payload: JsonObject): Omit<Parcel, "onAck"> {
  const body = new URLSearchParams({ payload: JSON.stringify(payload) }).toString();
  return { kind, payload, body, contentType: "application/x-www-form-urlencoded" };
}

export function eventParcel(payload: JsonObject): Omit<Parcel, "onAck"> {
  return { kind: "event_callback", payload, body: JSON.stringify(payload), contentType: "application/json" };
}

type Ack = { readonly status: number | undefined; readonly answer: Json | undefined; readonly error?: string };

async function send(world: World, parcel: Parcel): Promise<Ack> {
  try {
    const response = await fetch(world.requestUrl(), {
      method: "POST",
      headers: { "content-type": parcel.contentType, ...signedHeaders(world.signingSecret, parcel.body) },
      body: parcel.body,
      signal: AbortSignal.timeout(world.ackMs),
      redirect: "error",
    });
    const text = await response.text();
    const answer = text === "" ? undefined : (parseJson(text) ?? text);
    return { status: response.status, answer, ...(response.ok ? {} : { error: "dispatch_failed" }) };
  } catch (error) {
    const isLate = error instanceof DOMException && error.name === "TimeoutError";
    return { status: undefined, answer: undefined, error: isLate ? "operation_timeout" : "dispatch_failed" };
  }
}

function lateness(ack: Ack): Refusal {
  const rule = rules["ack.in-time"];
  const what = ack.status === undefined ? "no answer" : `status ${ack.status}`;
  return { rule: "ack.in-time", link: rule.link, sentence: `${ack.error ?? ""}: ${what}. Rule: ${rule.says}.` };
}

function taken(parcel: Parcel, answer: Json | undefined): Refusal | undefined {
  try {
    parcel.onAck?.(answer);
    return undefined;
  } catch (error) {
    if (error instanceof Refused) return refusalOf(error);
    throw error;
  }
}

async function deliverOnce(world: World, parcel: Parcel): Promise<Delivery> {
  const finish = world.transcript.begin({ direction: "to bot", kind: parcel.kind, request: parcel.payload });
  const ack = await send(world, parcel);
  const refusal = ack.error === undefined ? taken(parcel, ack.answer) : lateness(ack);
  const { ms } = finish({ answer: ack.answer, status: ack.status, ...(refusal === undefined ? {} : { refusal }) });
  return {
    kind: parcel.kind,
    acked: ack.error === undefined,
    status: ack.status,
    ms: ms ?? 0,
    answer: ack.answer,
    ...(ack.error === undefined ? {} : { error: ack.error }),
    ...(refusal === undefined ? {} : { refusal }),
  };
}

/** Signs and sends a parcel to the bot, twice when trouble says so; resolves with the first ack, never rejects for the bot's sake. */
export async function deliver(world: World, parcel: Parcel): Promise<Delivery> {
  const [first] = await Promise.all([
    deliverOnce(world, parcel),
    world.trouble.deliverTwice ? deliverOnce(world, parcel) : undefined,
  ]);
  return first;
}
