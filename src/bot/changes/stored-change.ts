import type { Redacted } from "../../api/redacted.ts";
import type { AccountRef } from "../accounts/resolve.ts";
import type { Level } from "../../api/workload-status.ts";
import type { Terms } from "../policy/policy.ts";
import type { Risk } from "../policy/operation-facts.ts";
import type { WorkloadRef, Outcome } from "./change.ts";
import type { WriteOperationId } from "../policy/operation-facts.ts";

/** Time of unfinished work that a restored backup contained: it may have been done since. */
export const RESTORED_AT = new Date("2000-01-01T00:00:00.000Z");

/**
 * `pending` waits for approvals, `approved` for its turn (the first state without approvals), `claimed` was sent or is
 * about to be, `unknown` may have reached the service. Nothing leads back from `claimed`: a Change is sent at most once.
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

/** A Slack id with the real name at that time. */
export type Who = { readonly userId: string; readonly name: string };

export type Vote = Who & { readonly at: Date };

/** How a Change ended: the outcome of its Run, or why it didn't run. */
export type Ending =
  | { readonly kind: "run"; readonly outcome: Outcome }
  | { readonly kind: "rejected"; readonly by: Who; readonly reason: string | undefined }
  | { readonly kind: "cancelled"; readonly by: Who }
  /** Not decided in time, or approved and not run in time. */
  | { readonly kind: "expired"; readonly was: "pending" | "approved" }
  /** The workload changed between request and Run. */
  | { readonly kind: "drifted"; readonly drift: readonly Drift[] };

export type Drift = {
  readonly field: string;
  /** The value at the time of the request. */
  readonly then: string;
  readonly now: string;
  /** The requested value; undefined when the Change doesn't set the field. */
  readonly asked: string | undefined;
};

/**
 * How the workload is after the Change was done.
 * - `reached`: as requested, and well for a while; of a job, complete
 * - `watching`: not yet, or a job runs; this is the last poll
 * - `trouble`: it fails
 * - `not-yet`: accepted, but not visible; after the last poll also: never got well
 * - `unwatched`: never polled
 */
export type Health = {
  readonly kind: "reached" | "trouble" | "not-yet" | "unwatched" | "watching";
  /** The workload's level at the last poll. Rows of older versions have none. */
  readonly level?: Level | undefined;
  /** Follows the workload's name or "but" in a headline: `keeps crashing`, `failed after 4 attempts`. */
  readonly outcome?: string | undefined;
  /** The workload was deleted or replaced, meanwhile or by a later request: nothing is left to check or to undo. */
  readonly gone?: "deleted" | "replaced" | undefined;
  /** The later request that changed the workload while this one was still checked. */
  readonly overtakenBy?: Pick<StoredChange, "id" | "verb"> | undefined;
  /** A fact without the time: `3 of 3 running`, `exited with code 137`. Can be empty. */
  readonly line: string;
  /** What runs of the image that was changed, in short: `3f2a9c1d5b6e`. */
  readonly digest?: string | undefined;
  /** Milliseconds from the request to the fact; how long a job ran that has ended. */
  readonly afterMs?: number | undefined;
  /** Of a job, as the workload API reports them, in ISO 8601. */
  readonly startedAt?: string | undefined;
  readonly endedAt?: string | undefined;
  /** It is well, and was in trouble before. */
  readonly recovered?: boolean | undefined;
  /** Of a job, how long earlier ones of its kind took that completed; undefined without any. */
  readonly usual?: UsualTime | undefined;
  /** The failing instance's last lines, for the thread. Can be empty. */
  readonly excerpt: readonly Redacted[];
  /** Only while a service is polled. */
  readonly watch?: PollState | undefined;
};

/** The median of so many earlier runs, in milliseconds. */
export type UsualTime = { readonly ms: number; readonly runs: number };

/** State between two polls of a service, for any replica. */
export type PollState = {
  /** Polls of a rollout that goes on or is stuck. */
  readonly rolling?: number | undefined;
  /** The first poll that saw it in trouble, in milliseconds since 1970. */
  readonly troubleSinceMs?: number | undefined;
  /** Calls of the workload API since the read-back. */
  readonly calls: number;
  /** Since when it has been well, in milliseconds since 1970; undefined while it isn't. */
  readonly wellSinceMs?: number | undefined;
  /** The healthy period, where the workload API has its own. */
  readonly periodMs?: number | undefined;
  /** At the last poll, as far as the API reports them. */
  readonly restarts?: number | undefined;
  readonly statusSince?: string | undefined;
};

/** The message that is its card. */
export type Card = { readonly channelId: string; readonly ts: string };

/** A requested Change with everything that happened to it. Cards are drawn from it. */
export type StoredChange = {
  /** Six characters of Crockford's base 32, short enough to type. */
  readonly id: string;
  /** Slack's id of the delivery. The same delivery again is the same Change. */
  readonly deliveryId: string;
  readonly state: ChangeState;
  /** Increases with every change of the row. A card shows one version. */
  readonly version: number;
  readonly teamId: string;
  readonly requester: Who;
  /** The channel of the request. */
  readonly channelId: string;
  readonly verb: string;
  readonly reason: string | undefined;
  readonly op: WriteOperationId;
  readonly workload: WorkloadRef;
  readonly risk: Risk;
  readonly diff: readonly string[];
  /** See `digestOf`. */
  readonly digest: string;
  /** The sealed Change and Ask: they can contain values of environment variables. */
  readonly sealed: string;
  readonly account: AccountRef;
  /** The policy rule that allowed the request. */
  readonly rule: string;
  /** Undefined when no approval was needed. */
  readonly terms: Terms | undefined;
  readonly breakGlass: boolean;
  /** The id of the Change that this one reverts. */
  readonly undoOf: string | undefined;
  /** Of an automatic way back: the id of the request that it takes back, whose requester it has. */
  readonly wayBackOf?: string | undefined;
  /** The requester asked to be told in a direct message how the job ends. */
  readonly notifies?: boolean | undefined;
  /** The approvals that count, oldest first. */
  readonly votes: readonly Vote[];
  readonly createdAt: Date;
  /** Only while pending. */
  readonly expiresAt: Date | undefined;
  readonly approvedAt: Date | undefined;
  readonly claimedAt: Date | undefined;
  /** When it ended. An `unknown` Change without it is still being read back. */
  readonly settledAt: Date | undefined;
  readonly ending: Ending | undefined;
  /** Set by the last poll. */
  readonly health: Health | undefined;
  /** Result of the latest poll while polling goes on: see `seenOf`. */
  readonly progress: Health | undefined;
  /** An Undo was requested, so the button disappears. */
  readonly isUndone: boolean;
  /** The Change that takes this one back is under way, or done and healthy. */
  readonly wayBack?: "going" | "gone" | undefined;
  /** Set on an automatic way back that wasn't run, and on the Change that it would have taken back. */
  readonly wayBackEnd?: WayBackEnd | undefined;
  /** Why it needs approval again, in a sentence or two. */
  readonly notice: string | undefined;
  readonly card: Card | undefined;
  /**
   * The parts of a request for several workloads, in the order in which they run. The request has the `op` and `workload` of the
   * first part and the highest risk; its diff names the workloads that were left out.
   */
  readonly parts?: readonly StoredChange[];
};

/**
 * Id of a part. A request for several workloads is one Change with a part for each: a Change without decisions, card or lease of its
 * own. The slash in `7QK2MP/2` keeps people from typing such an id.
 */
export function partId(requestId: string, place: number): string {
  return `${requestId}/${place}`;
}

/** The id of the request that a part belongs to; of any other Change, its own. */
export function requestIdOf(id: string): string {
  return id.split("/", 1)[0] ?? id;
}

/** Stands in for the delivery id of an automatic way back. It is unique per Change, so that there is at most one. */
export function wayBackDelivery(id: string): string {
  return `back ${id}`;
}

/** Why an automatic way back wasn't run. */
export type WayBackEnd = {
  /** False: the version that it would have left got healthy meanwhile. */
  readonly isNeeded: boolean;
  /** "not rolled back: web changed meanwhile" */
  readonly why: string;
};

/** The field of a `Drift` about a version that got healthy before its way back was sent. */
export const HEALTH_FIELD = "health";

/** Undefined while an automatic way back may still be run, and once it was. Pure. */
export function wayBackEnd({
  ending,
  workload: { name },
}: Pick<StoredChange, "ending" | "workload">): WayBackEnd | undefined {
  const failed = (why: string): WayBackEnd => ({ isNeeded: true, why: `not rolled back: ${why}` });
  switch (ending?.kind) {
    case "drifted": {
      const health = ending.drift.find(({ field }) => field === HEALTH_FIELD);
      if (health === undefined) return failed(`${name} changed meanwhile`);
      return { isNeeded: false, why: `${name} got ${health.now} meanwhile; nothing was rolled back` };
    }
    case "rejected":
      return failed(`${ending.by.name} rejected the way back`);
    case "cancelled":
      return failed(`${ending.by.name} cancelled the way back`);
    case "expired":
      return failed(ending.was === "pending" ? "nobody approved the way back in time" : "it couldn't start in time");
    case "run":
      return ending.outcome.kind === "failed" ? failed(ending.outcome.why.replace(/\.$/u, "")) : undefined;
    case undefined:
      return undefined;
  }
}

export function isPartId(id: string): boolean {
  return requestIdOf(id) !== id;
}

/** Whether to notify a requester who asked for it: their job ended, or wasn't created. */
export function isNotifying({ notifies, state, settledAt, health }: StoredChange): boolean {
  if (notifies !== true || settledAt === undefined) return false;
  return state === "failed" || state === "unknown" || (state === "done" && health !== undefined);
}

/** What a request is about: its parts, or itself. */
export function partsOf(change: StoredChange): readonly StoredChange[] {
  return change.parts ?? [change];
}

/** Undefined unless its run is done. */
export function doneOf({ ending }: Pick<StoredChange, "ending">) {
  return ending?.kind === "run" && ending.outcome.kind === "done" ? ending.outcome : undefined;
}

/** The uid of what it created, if the workload API sent one. */
export function uidOf(change: Pick<StoredChange, "ending">): string | undefined {
  return doneOf(change)?.after?.uid;
}
