import type { Ack } from "../delivery/bot-request.ts";
import { isObject, type Json, textOf } from "../json.ts";
import { refuse } from "../rules/refusal.ts";

/** The envelopes of one connection that wait for their ack. */
export type AwaitedAcks = {
  /** Resolves with the ack; without one after the limit, or when the connection ends. */
  readonly wait: (envelopeId: string, limitMs: number) => Promise<Ack>;
  /** Throws Refused unless it is the ack of an envelope that waits here. */
  readonly take: (frame: Json | undefined) => void;
  /** No ack can arrive any more. */
  readonly end: () => void;
};

const noAck = { status: undefined, answer: undefined, wantsNoRetry: false } as const;
const late: Ack = { ...noAck, error: "operation_timeout", reason: "timeout" };
const lost: Ack = { ...noAck, error: "dispatch_failed", reason: "timeout" };

export function createAwaitedAcks(): AwaitedAcks {
  const waiting = new Map<string, (ack: Ack) => void>();
  return {
    async wait(envelopeId, limitMs) {
      const { promise, resolve } = Promise.withResolvers<Ack>();
      const timer = setTimeout(resolve, limitMs, late);
      waiting.set(envelopeId, resolve);
      return promise.finally(() => {
        clearTimeout(timer);
        waiting.delete(envelopeId);
      });
    },
    take(frame) {
      const id = isObject(frame) ? textOf(frame["envelope_id"]) : "";
      if (!isObject(frame) || id === "")
        refuse("invalid_ack", "socket.ack-shape", "no JSON object with an envelope_id");
      const payload = frame["payload"] ?? {};
      if (!isObject(payload)) refuse("invalid_ack", "socket.ack-shape", "the payload is no object");
      const settle = waiting.get(id);
      if (settle === undefined) refuse("unknown_envelope", "socket.ack-known", `no envelope ${id} waits here`);
      waiting.delete(id);
      // Libraries send an empty payload with every ack.
      settle({ ...noAck, answer: Object.keys(payload).length === 0 ? undefined : payload });
    },
    end() {
      for (const settle of waiting.values()) settle(lost);
    },
  };
}
