import type { AccountRef } from "../accounts/account.ts";
import type { Risk } from "../policy/question.ts";
import type { Terms } from "../policy/verdict.ts";
import type { WorkloadRef, WriteOperationId, Outcome } from "./change.ts";

/**
 * `pending` waits for votes, `approved` for its turn (what needs no approval begins here), `claimed` was or is about to
 * be sent, `unknown` may have reached the service. Nothing leads back from `claimed`: a Change is sent at most once.
 *
 *   pending → approved → claimed → done | failed | unknown      unknown → done | failed, by reading back
 *   approved → pending, when the current policy requires more approvals than it has
 *   pending → rejected | cancelled | expired      approved → failed (refused before sending) | cancelled | expired | drifted
 */
export const changeStates = [
  "pending",
  "approved",
  "claimed",
  "done",
  "failed",
  "unknown",
  "rejected",
  "cancelled",
  "expired",
  "drifted",
] as const;
export type ChangeState = (typeof changeStates)[number];

/** A person by Slack id, with the real name they had then. */
export type Who = { readonly userId: string; readonly name: string };

export type Vote = Who & { readonly at: Date };

/** How a Change ended that was not sent; of one that was sent, its Outcome. */
export type Ending =
  | { readonly kind: "run"; readonly outcome: Outcome }
  | { readonly kind: "rejected"; readonly by: Who; readonly reason: string | undefined }
  | { readonly kind: "cancelled"; readonly by: Who }
  /** Nobody decided in time, or nobody carried it out in time. */
  | { readonly kind: "expired"; readonly was: "pending" | "approved" }
  /** The workload moved between request and execution: a row for each field, in words. */
  | { readonly kind: "drifted"; readonly drift: readonly Drift[] };

export type Drift = {
  readonly field: string;
  /** As it was when it was asked for. */
  readonly then: string;
  readonly now: string;
  /** What the Change would make of it; undefined where it only depends on it. */
  readonly asked: string | undefined;
};

/** What became of the workload after the Change was done. */
export type Health = {
  readonly kind: "reached" | "trouble" | "not-yet" | "unwatched";
  /** One line for the card: "2 instances run, 12 s after"; empty where there is nothing to say. */
  readonly line: string;
  /** The failing instance's last lines, redacted, for the thread; empty when there is nothing to show. */
  readonly excerpt: readonly string[];
};

/** Where its card stands. */
export type Card = { readonly channelId: string; readonly ts: string };

/** A Change that was asked for, with everything that happened to it: what a card is drawn from. */
export type StoredChange = {
  /** Short enough to type: six characters of Crockford's base 32. */
  readonly id: string;
  /** What Slack calls the delivery that asked for it; the same delivery again is the same Change. */
  readonly deliveryId: string;
  readonly state: ChangeState;
  /** Counts everything that happened to it; a card is drawn of one version. */
  readonly version: number;
  readonly teamId: string;
  readonly requester: Who;
  /** Where it was asked for. */
  readonly channelId: string;
  readonly verb: string;
  readonly reason: string | undefined;
  readonly op: WriteOperationId;
  readonly workload: WorkloadRef;
  readonly risk: Risk;
  readonly diff: readonly string[];
  /** Over the workload's identity and the fields that the Change depends on. */
  readonly digest: string;
  /** The Change and the Ask, sealed: they can hold values of environment variables. */
  readonly sealed: string;
  readonly account: AccountRef;
  /** The name of the rule that let it come this far. */
  readonly rule: string;
  /** Undefined for what needed no approval. */
  readonly terms: Terms | undefined;
  readonly breakGlass: boolean;
  /** The Change that this one takes back, by id. */
  readonly undoOf: string | undefined;
  /** Those that count; in the order in which they came. */
  readonly votes: readonly Vote[];
  readonly createdAt: Date;
  /** Of a pending one. */
  readonly expiresAt: Date | undefined;
  readonly approvedAt: Date | undefined;
  readonly claimedAt: Date | undefined;
  /** When it came to its end; an `unknown` without it is still being read back. */
  readonly settledAt: Date | undefined;
  readonly ending: Ending | undefined;
  readonly health: Health | undefined;
  /** Whether an Undo was asked for, so that the button is drawn once. */
  readonly isUndone: boolean;
  /** Why it needs approval again, in a sentence or two; undefined when it never did. */
  readonly notice: string | undefined;
  readonly card: Card | undefined;
};
