import type { ChangeState, Drift, Health, StoredChange, Who } from "../changes/stored-change.ts";
import type { HistoryEventKind, NewHistoryEvent } from "../changes/history-event.ts";
import type { Terms } from "../policy/policy.ts";
import type { Outcome } from "../changes/change.ts";
import type { Due } from "./due-kinds.ts";

/**
 * The life of a request, one row per step. A step is one conditional UPDATE, together with its row of history: when two
 * replicas try, one wins and the other sees that nothing moved.
 *
 *   accepted   `inbox/accept.ts` stores the interaction before its ack.
 *   proposed   `propose.ts` reads the workload, computes the Change and asks policy. Ends here, with nothing stored, when
 *              policy refuses it, there is nothing to do, or the same request already waits.
 *   waiting    `pending`: the card shows who may approve.
 *   approved   by people, or at once when no approval is needed.
 *   claimed    `claimed`: from here on it is sent at most once, ever.
 *   sent       the request left. `unknown` without an end: no answer came, and the workload is being read back.
 *   settled    `done`, `failed` or `unknown`, with an end.
 *   followed   the workload is polled a few times in ten minutes, a job until it ends. Each poll is stored with the
 *              request, with the time of the next one, so any replica goes on.
 */
export const lifecycle = {
  approve: { from: ["pending"], to: "pending", event: "voted" },
  askAgain: { from: ["approved"], to: "pending", event: "returned" },
  reject: { from: ["pending"], to: "rejected", event: "rejected" },
  cancel: { from: ["pending", "approved"], to: "cancelled", event: "cancelled" },
  /** Not enough approvals in time, or approved and not started in time. */
  expire: { from: ["pending", "approved"], to: "expired", event: "expired" },
  drift: { from: ["approved"], to: "drifted", event: "drifted" },
  refuse: { from: ["approved"], to: "failed", event: "failed" },
  /** The turn of a part has come. It writes no history. */
  begin: { from: ["approved"], to: "approved", event: "claimed" },
  claim: { from: ["approved"], to: "claimed", event: "claimed" },
  doubt: { from: ["claimed"], to: "unknown", event: "unknown" },
  succeed: { from: ["claimed", "unknown"], to: "done", event: "done" },
  fail: { from: ["claimed", "unknown"], to: "failed", event: "failed" },
  giveUp: { from: ["claimed", "unknown"], to: "unknown", event: "unknown" },
  /** A poll that isn't the last one. It writes no history. */
  observe: { from: ["done"], to: "done", event: "health" },
  /** The workload shows the accepted Change. */
  confirm: { from: ["done"], to: "done", event: "confirmed" },
  /** The last poll. It writes no history. */
  follow: { from: ["done"], to: "done", event: "health" },
  /** The workload isn't well: after the Change, or after its card was green. */
  trouble: { from: ["done"], to: "done", event: "health" },
  /** It got well after that. */
  recover: { from: ["done"], to: "done", event: "recovered" },
} as const satisfies Readonly<Record<string, Row>>; // literal states

type Row = { readonly from: readonly ChangeState[]; readonly to: ChangeState; readonly event: HistoryEventKind };
export type StepName = keyof typeof lifecycle;

/** The sealed content and the diff of a Change as they are when it is sent. */
export type Found = { readonly sealed: string; readonly diff: readonly string[] };

/** A step that needs the lease of the request: without it, nothing moves. */
type Carried = { readonly due: Due };

/** The lease after the step: `kept`, `over`, or ended with the next attempt in `ms`. */
export type Next = "kept" | "over" | { readonly ms: number };

type Moving = Carried & { readonly next: Next };

/** The details that each step needs. A step with `Carried` alone ends the lease of the request, except a claim. */
type Details = {
  /** The last approval that is needed also makes it `approved`, with this row of history. */
  readonly approve: { readonly by: Who; readonly last: NewHistoryEvent };
  /** The current policy needs more approvals than `counting`. Nothing moves when the Change is past `version`. */
  readonly askAgain: Carried & {
    readonly version: number;
    readonly rule: string;
    readonly terms: Terms;
    readonly counting: readonly string[];
    readonly notice: string;
  };
  readonly reject: { readonly by: Who; readonly reason: string | undefined };
  readonly cancel: { readonly by: Who };
  /** Only after its deadline, by the database's clock: the time to decide, or `withinMs` after the approval. */
  readonly expire: Carried & { readonly was: "pending" | "approved"; readonly withinMs: number };
  readonly drift: Carried & { readonly drift: readonly Drift[] };
  readonly refuse: Carried & { readonly outcome: Outcome };
  /** With the lease of the request that it is a part of. */
  readonly begin: Carried;
  /** `found` replaces the stored content, unless that is new. Erased content stays erased. */
  readonly claim: Carried & { readonly found?: Found | undefined };
  readonly doubt: Carried & { readonly outcome: Outcome };
  /**
   * With `health`, it isn't polled. `progress` is the health as the read-back shows it. With `drawsForMs`, the replica also gets a
   * lease on the card, for that time.
   */
  readonly succeed: Moving & {
    readonly outcome: Outcome;
    readonly health?: Health | undefined;
    readonly progress?: Health | undefined;
    readonly drawsForMs?: number | undefined;
  };
  readonly fail: Moving & { readonly outcome: Outcome };
  readonly giveUp: Moving & { readonly outcome: Outcome };
  /** Without `isNews`, the card stays as it is. */
  readonly observe: Moving & { readonly progress: Health; readonly isNews: boolean };
  readonly confirm: Moving & { readonly outcome: Outcome; readonly progress?: Health | undefined };
  /** Without `isNews`, the card stays as it is. */
  readonly follow: FinalPoll & { readonly isNews: boolean };
  readonly trouble: AnyPoll;
  readonly recover: AnyPoll;
};

type FinalPoll = Moving & { readonly health: Health };
type AnyPoll = FinalPoll | (Moving & { readonly progress: Health });

export type Step = {
  readonly [Name in StepName]: { readonly name: Name } & Omit<Row, "event"> & Details[Name];
}[StepName];

export function step<Name extends StepName>(
  name: Name,
  details: Details[Name],
): Extract<Step, { readonly name: Name }> {
  const { from, to } = lifecycle[name];
  const made: unknown = { name, from, to, ...details };
  return made as Extract<Step, { readonly name: Name }>; // the row of this very name
}

/** The step that ends a Change that was sent. */
export const endOf = { done: "succeed", asked: "succeed", failed: "fail", unknown: "giveUp" } as const satisfies {
  readonly [Kind in Outcome["kind"]]: StepName;
}; // literal names

export type Stage = "waiting" | "approved" | "sent" | "settled" | "over";

/** How far a Change has come, and so what has to be done next: decide, run, read back, follow, or nothing. */
export function stageOf({ state, settledAt, health }: Pick<StoredChange, "state" | "settledAt" | "health">): Stage {
  if (state === "pending") return "waiting";
  if (state === "approved") return "approved";
  if (state === "claimed" || (state === "unknown" && settledAt === undefined)) return "sent";
  return state === "done" && health === undefined ? "settled" : "over";
}
