import { randomUUID } from "node:crypto";
import type { BotRequest } from "../delivery/bot-request.ts";
import type { JsonObject } from "../json.ts";
import type { Envelope } from "./link.ts";

// https://docs.slack.dev/apis/events-api/using-socket-mode

/** `link_disabled`: Socket Mode was turned off. `warning` comes about 10 s before `refresh_requested`. */
export type DisconnectReason = "warning" | "refresh_requested" | "link_disabled" | "too_many_websockets";

export function disconnectFrame(reason: DisconnectReason, host: string): JsonObject {
  return { type: "disconnect", reason, debug_info: { host } };
}

export function helloFrame(about: {
  readonly appId: string;
  readonly host: string;
  /** Connections of the app, with the new one. */
  readonly connections: number;
  /** Seconds until Slack refreshes the connection. */
  readonly lifetimeSeconds: number;
}): JsonObject {
  return {
    type: "hello",
    num_connections: about.connections,
    debug_info: { host: about.host, build_number: 10, approximate_connection_time: about.lifetimeSeconds },
    connection_info: { app_id: about.appId },
  };
}

/** Whether Slack reads a payload in the ack. */
export function takesPayload({ type, kind }: Pick<BotRequest, "type" | "kind">): boolean {
  if (type === "events_api") return false;
  // Slack's page shows true for buttons, forms, menus and commands; its SDK's samples show false for a shortcut.
  return kind !== "shortcut" && kind !== "message_action" && kind !== "view_closed";
}

/** A new envelope each time: a retry has the same payload in another one. */
export function envelopeOf(request: BotRequest): Envelope {
  const { type, payload, retry } = request;
  return {
    envelope_id: randomUUID(),
    payload,
    type,
    accepts_response_payload: takesPayload(request),
    ...(retry !== undefined && { retry_attempt: retry.attempt, retry_reason: retry.reason }),
  };
}
