import type { Who } from "./stored-change.ts";

/** What happened, in one word. `refused` is a request that policy did not let through; it has no Change. */
export const eventKinds = [
  "requested",
  "refused",
  "voted",
  "vote-refused",
  "approved",
  "returned",
  "rejected",
  "cancelled",
  "expired",
  "drifted",
  "claimed",
  "done",
  "failed",
  "unknown",
  "health",
  "connected",
  "disconnected",
  "bound",
  "unbound",
] as const;
export type EventKind = (typeof eventKinds)[number];

/** A row of history before it has its number and its time. Append-only; never with a token, a value or log text. */
export type NewEvent = {
  readonly kind: EventKind;
  readonly teamId: string;
  readonly changeId: string | undefined;
  /** Undefined for what the bot did by itself. */
  readonly who: Who | undefined;
  readonly channelId: string | undefined;
  readonly verb: string | undefined;
  readonly workload: { readonly kind: string; readonly region: string; readonly name: string } | undefined;
  /** The user name of the account. */
  readonly account: string | undefined;
  readonly rule: string | undefined;
  readonly breakGlass: boolean;
  /** What it came to, in words: the diff, the reason, why it was refused, what was found. */
  readonly result: string;
  /** From the request on, in milliseconds, where it has one. */
  readonly elapsedMs: number | undefined;
  /** What stands in the log beside an error. */
  readonly reference: string | undefined;
};

export type HistoryEvent = NewEvent & { readonly seq: number; readonly at: Date };

export type HistoryQuery = {
  readonly teamId: string;
  readonly name?: string;
  readonly userId?: string;
  readonly since?: Date;
  /** Only what lies before this number: how a page goes on. */
  readonly before?: number;
  readonly limit: number;
};
