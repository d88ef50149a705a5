import type { Post } from "../../views/kit/message.ts";

/** Answers a payload to Slack, with a body or without. At most once for each. Rejects with `AckLostError`. */
export type Ack = (body?: object) => Promise<void>;

/** Slack gives up at 3 s; a write may take 1 s to be stored. */
export const LATEST_ACK_MS = 2_500;

/** The connection that a delivery came over is closed, so nobody sees its ack. */
export class AckLostError extends Error {}

/** An answer that reads nothing is the ack itself: one message, and no second request. */
export function ackBody({ text, blocks }: Post, isShared = false): object {
  return {
    response_type: isShared ? "in_channel" : "ephemeral",
    text,
    ...(blocks.length > 0 && { blocks }),
  };
}
