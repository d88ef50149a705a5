import type { Post } from "../../views/kit/message.ts";

/** Sends the HTTP answer to a payload, with a body or without. At most once for each. */
export type Ack = (body?: object) => Promise<void>;

/** An answer that reads nothing is the ack itself: one message, and no second request. */
export function ackBody({ text, blocks }: Post, isShared = false): object {
  return {
    response_type: isShared ? "in_channel" : "ephemeral",
    text,
    ...(blocks.length > 0 && { blocks }),
  };
}
