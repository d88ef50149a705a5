import { type Json, type JsonObject, textOf } from "../json.ts";

/** Over Socket Mode each is a type of envelope; over HTTP, a form, a form with the field `payload`, or JSON. */
export type RequestType = "slash_commands" | "interactive" | "events_api";

/** The number and the reason of a retry. https://docs.slack.dev/apis/events-api#retries */
export type Retry = { readonly attempt: number; readonly reason: RetryReason };

/**
 * Over HTTP, the reasons of x-slack-retry-reason; ssl_error and unknown_error can't happen on a loopback address. Over
 * Socket Mode, `timeout` (https://github.com/slackapi/bolt-js/issues/2487), and ours for an app without a connection.
 */
export type RetryReason =
  | "http_timeout"
  | "connection_failed"
  | "http_error"
  | "too_many_redirects"
  | "timeout"
  | "not_connected";

/** A delivery to the bot, over either transport. */
export type BotRequest = {
  /** "slash_command", "block_actions" … */
  readonly kind: string;
  readonly type: RequestType;
  readonly payload: JsonObject;
  readonly retry?: Retry;
  /** Reads the ack's body; throws Refused if Slack would not accept it. */
  readonly onAck?: (answer: Json | undefined) => void;
};

export function commandRequest(payload: Readonly<Record<string, string>>): BotRequest {
  return { kind: "slash_command", type: "slash_commands", payload };
}

export function interactionRequest(kind: string, payload: JsonObject): BotRequest {
  return { kind, type: "interactive", payload };
}

export function eventRequest(payload: JsonObject): BotRequest {
  return { kind: "event_callback", type: "events_api", payload };
}

/** The request for a payload of any kind. */
export function requestOf(payload: JsonObject): BotRequest {
  const type = textOf(payload["type"]);
  if (type === "event_callback") return eventRequest(payload);
  return type === "" ? { ...commandRequest({}), payload } : interactionRequest(type, payload);
}

/** The bot's answer to a delivery, or the reason why there is none. */
export type Ack = {
  /** Of HTTP; an ack over Socket Mode has none. */
  readonly status: number | undefined;
  readonly answer: Json | undefined;
  /** Slack's error code: operation_timeout, dispatch_failed. */
  readonly error?: string;
  readonly reason?: RetryReason;
  readonly wantsNoRetry: boolean;
};

export function noAck(error: string, reason: RetryReason): Ack {
  return { status: undefined, answer: undefined, wantsNoRetry: false, error, reason };
}

/** How one request gets to the bot. */
export type Way = {
  /** Over Socket Mode: the envelope without its payload, and its connection. */
  readonly envelope?: JsonObject;
  readonly send: () => Promise<Ack>;
  /** Throws Refused if this transport would not take the answer. */
  readonly checkAnswer?: (answer: Json | undefined) => void;
};
