import { z } from "zod";
import { Redacted } from "../../api/redacted.ts";
import { levels } from "../../api/workload-status.ts";
import type { AccountRef } from "../accounts/resolve.ts";
import { optional } from "../optional.ts";
import type { Risk, WriteOperationId } from "../policy/operation-facts.ts";
import type { Terms } from "../policy/policy.ts";
import { Outcome, type WorkloadRef } from "./change.ts";

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
const Who = z.object({ userId: z.string(), name: z.string() }).readonly();
export type Who = z.output<typeof Who>;

export type Vote = Who & { readonly at: Date };

const Drift = z
  .object({
    field: z.string(),
    /** The value at the time of the request. */
    // oxlint-disable-next-line unicorn/no-thenable -- a word, not a function; nobody awaits a row
    then: z.string(),
    now: z.string(),
    /** The requested value; undefined when the Change doesn't set the field. */
    asked: optional(z.string()),
  })
  .readonly();
export type Drift = z.output<typeof Drift>;

/** How a Change ended: the outcome of its Run, or why it didn't run. */
export const Ending = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("run"), outcome: Outcome }).readonly(),
  z.object({ kind: z.literal("rejected"), by: Who, reason: optional(z.string()) }).readonly(),
  z.object({ kind: z.literal("cancelled"), by: Who }).readonly(),
  /** Not decided in time, or approved and not run in time. */
  z.object({ kind: z.literal("expired"), was: z.enum(["pending", "approved"]) }).readonly(),
  /** The workload changed between request and Run. */
  z.object({ kind: z.literal("drifted"), drift: z.array(Drift).readonly() }).readonly(),
]);
export type Ending = z.output<typeof Ending>;

/** The median of so many earlier runs, in milliseconds. */
const UsualTime = z.object({ ms: z.number(), runs: z.number() }).readonly();
export type UsualTime = z.output<typeof UsualTime>;

function missing<Schema extends z.ZodType>(schema: Schema) {
  return optional(schema).optional();
}

/** State between two polls of a service, for any replica. */
const PollState = z
  .object({
    /** Calls of the workload API since the read-back. */
    calls: z.number(),
    /** Polls of a rollout that goes on or is stuck. */
    rolling: missing(z.number()),
    /** The first poll that saw it in trouble, in milliseconds since 1970. */
    troubleSinceMs: missing(z.number()),
    /** Since when it has been well, in milliseconds since 1970; undefined while it isn't. */
    wellSinceMs: missing(z.number()),
    /** The healthy period, where the workload API has its own. */
    periodMs: missing(z.number()),
    /** Whether the thread was told that the old instances of a stuck rollout stopped serving. They may come and go, so it is told once. */
    hadOutage: missing(z.boolean()),
    /** At the last poll, as far as the API reports them. */
    restarts: missing(z.number()),
    statusSince: missing(z.string()),
  })
  .readonly();
export type PollState = z.output<typeof PollState>;

/**
 * How the workload is after the Change was done.
 * - `reached`: as requested, and well for a while; of a job, complete
 * - `watching`: not yet, or a job runs; this is the last poll
 * - `trouble`: it fails
 * - `not-yet`: accepted, but not visible; after the last poll also: never got well
 * - `unwatched`: never polled
 */
export const Health = z
  .object({
    kind: z.enum(["reached", "trouble", "not-yet", "unwatched", "watching"]),
    /** The workload's level at the last poll. Rows of older versions have none. */
    level: missing(z.enum(levels)),
    /** Follows the workload's name or "but" in a headline: `keeps crashing`, `failed after 4 attempts`. */
    outcome: missing(z.string()),
    /** The workload was deleted or replaced, meanwhile or by a later request: nothing is left to check or to undo. */
    gone: missing(z.enum(["deleted", "replaced"])),
    /** The later request that changed the workload while this one was still checked. */
    overtakenBy: missing(z.object({ id: z.string(), verb: z.string() }).readonly()),
    /** A fact without the time: `3 of 3 running`, `exited with code 137`. Can be empty. */
    line: z.string(),
    /** What runs of the image that was changed, in short: `3f2a9c1d5b6e`. */
    digest: missing(z.string()),
    /** Milliseconds from the request to the fact; how long a job ran that has ended. */
    afterMs: missing(z.number()),
    /** Of a job, as the workload API reports them, in ISO 8601. */
    startedAt: missing(z.string()),
    endedAt: missing(z.string()),
    /** It is well, and was in trouble before. */
    recovered: missing(z.boolean()),
    /** Of a job, how long earlier ones of its kind took that completed; undefined without any. */
    usual: missing(UsualTime),
    /** The failing instance's last lines, for the thread. Can be empty. */
    excerpt: z.array(Redacted).readonly(),
    /** Only while a service is polled. */
    watch: missing(PollState),
  })
  .readonly();
export type Health = z.output<typeof Health>;

/** The message that is its card. */
export type Card = { readonly channelId: string; readonly ts: string };

/** A Change as it was requested. */
export type RequestedChange = {
  /** Six characters of Crockford's base 32, short enough to type. */
  readonly id: string;
  /** Slack's id of the delivery. The same delivery again is the same Change. */
  readonly deliveryId: string;
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
};

/** The same with everything that happened to it. Cards are drawn from it. */
export type StoredChange = RequestedChange & {
  readonly state: ChangeState;
  /** Increases with every change of the row. A card shows one version. */
  readonly version: number;
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
  readonly wayBack?: WayBack | undefined;
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

/** How far the Change that takes another one back has come. */
export type WayBack = {
  /** `gone`: done and healthy. Of an automatic one also `failing`: in trouble, and `unclear`: without a known end. */
  readonly state: "going" | "gone" | "failing" | "unclear";
  /** The request for it; undefined of an automatic one, which has no card unless it needs approval. */
  readonly by: string | undefined;
  /** What it changes: where it leads may be another version than the one before. */
  readonly diff: readonly string[];
  /** When it was done. */
  readonly at: Date | undefined;
  /** "3 of 3 running", "keeps crashing". Can be empty. */
  readonly line: string;
};

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

/** The one of several that is about this workload. */
export function partAbout<Part extends { readonly workload: Pick<WorkloadRef, "name"> & { readonly kind: string } }>(
  parts: readonly Part[],
  workload: { readonly kind: string; readonly name: string } | undefined,
): Part | undefined {
  return parts.find(({ workload: { kind, name } }) => kind === workload?.kind && name === workload.name);
}

/** Undefined unless its run is done. */
export function doneOf({ ending }: Pick<StoredChange, "ending">) {
  return ending?.kind === "run" && ending.outcome.kind === "done" ? ending.outcome : undefined;
}

/** The uid of what it created, if the workload API sent one. */
export function uidOf(change: Pick<StoredChange, "ending">): string | undefined {
  return doneOf(change)?.after?.uid;
}
