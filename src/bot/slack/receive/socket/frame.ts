import { z } from "zod";
import { jsonIn } from "../payload.ts";

/** The first message of a connection that works, with how many the app has: https://docs.slack.dev/apis/events-api/using-socket-mode */
export type Hello = { readonly connections: number | undefined };

/** Something that Slack delivers: a command, a click, an event. */
export type Delivery = {
  readonly envelopeId: string;
  readonly body: Readonly<Record<string, unknown>>;
  /** How often Slack has sent it before, and why again. */
  readonly retry: { readonly retryNum?: number; readonly retryReason?: string };
};

export type Frame =
  | ({ readonly kind: "hello" } & Hello)
  | { readonly kind: "disconnect"; readonly reason: string }
  | ({ readonly kind: "delivery" } & Delivery)
  | { readonly kind: "unreadable" };

const Message = z.object({
  type: z.string(),
  envelope_id: z.string().optional(),
  payload: z.unknown().optional(),
  reason: z.string().optional().catch(undefined),
  num_connections: z.number().optional().catch(undefined),
  retry_attempt: z.number().optional().catch(undefined),
  retry_reason: z.string().optional().catch(undefined),
});

/** One text frame of Slack's. Kinds that Slack may add are deliveries when they have an id to ack. Never throws. */
export function readFrame(text: string): Frame {
  const message = Message.safeParse(jsonIn(text)).data;
  if (message === undefined) return { kind: "unreadable" };
  const { type, envelope_id: envelopeId, payload } = message;
  if (envelopeId !== undefined) {
    const { retry_attempt: retryNum, retry_reason: retryReason } = message;
    const retry = { ...(retryNum !== undefined && { retryNum }), ...(retryReason !== undefined && { retryReason }) };
    return { kind: "delivery", envelopeId, body: isRecord(payload) ? payload : {}, retry };
  }
  if (type === "hello") return { kind: "hello", connections: message.num_connections };
  if (type === "disconnect") return { kind: "disconnect", reason: message.reason ?? "unknown" };
  return { kind: "unreadable" };
}

/** Not a schema, which would copy each payload. */
function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The answer to a delivery. */
export function ackFrame(envelopeId: string, body: object | undefined): string {
  return JSON.stringify({ envelope_id: envelopeId, ...(body !== undefined && { payload: body }) });
}
