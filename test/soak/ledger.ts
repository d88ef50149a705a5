import type { Delivery } from "../../src/playground/delivery/deliver.ts";

export const faults = [
  /** A change that was acked, and neither stored nor refused. */
  "lost",
  /** A second answer, a second change of one request, or a write too many. */
  "duplicated",
  /** Acked, and nobody was told anything. */
  "unanswered",
  /** The database, the card and the workload API don't say the same, or a change has no end. */
  "untrue",
] as const;
export type Fault = (typeof faults)[number];

export const kinds = ["command", "form", "click", "mention", "message", "home"] as const;
export type Kind = (typeof kinds)[number];

/** What the soak has seen so far. */
export type Ledger = {
  readonly delivered: Map<Kind, number>;
  readonly ackMs: number[];
  /** From the delivery to what its person sees. */
  readonly answerMs: number[];
  /** What Slack told people instead of an ack, by its code. */
  readonly refused: Map<string, number>;
  /** Answers to what Slack had given up on. */
  lateAnswers: number;
  /** Answers whose connection or replica ended before Slack's answer to them arrived, and that were given once more. */
  answeredAgain: number;
  /** Reads that a replica had acked, and not answered when it was killed: they are not stored. */
  diedWithReplica: number;
  /** Requests by the state in which they ended. */
  readonly outcomes: Map<string, number>;
  readonly found: { readonly fault: Fault; readonly what: string }[];
  /** What people were told when it didn't work, and the log's errors, each with its count. */
  readonly refusals: Map<string, number>;
  readonly errors: Map<string, number>;
};

export function newLedger(): Ledger {
  return {
    delivered: new Map(),
    ackMs: [],
    answerMs: [],
    refused: new Map(),
    lateAnswers: 0,
    answeredAgain: 0,
    diedWithReplica: 0,
    outcomes: new Map(),
    found: [],
    refusals: new Map(),
    errors: new Map(),
  };
}

export function countDelivery(ledger: Ledger, kind: Kind, { acked, ms, error = "no ack" }: Delivery): void {
  count(ledger.delivered, kind);
  if (acked) ledger.ackMs.push(ms);
  else count(ledger.refused, error);
}

export function count<Key>(counts: Map<Key, number>, key: Key): void {
  counts.set(key, (counts.get(key) ?? 0) + 1);
}
