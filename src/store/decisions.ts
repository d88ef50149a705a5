import { type Expression, sql, type SqlBool } from "kysely";
import type { NewHistoryEvent } from "../changes/history-event.ts";
import type { Outcome } from "../changes/change.ts";
import type { Drift, Ending, StoredChange, Who } from "../changes/stored-change.ts";
import { step, stepAlone } from "./changes.ts";
import { insertEvent } from "./events.ts";
import { EndingJson, toJson } from "./schema/json-columns.ts";
import type { Session } from "./database/session.ts";

/** What ends without being sent has its ending, its time, and nobody who has to carry it on. */
export function ended({ clock }: Session, ending: Ending) {
  return { ending: toJson(EndingJson, ending), settled_at: clock() };
}

export type Refusal = { readonly id: string; readonly outcome: Outcome; readonly event: NewHistoryEvent };
export type Rejection = {
  readonly id: string;
  readonly who: Who;
  readonly reason: string | undefined;
  readonly event: NewHistoryEvent;
};

export function reject(session: Session, { id, who, reason, event }: Rejection): Promise<StoredChange | undefined> {
  const sealed = reason === undefined ? undefined : session.textSealer.seal(reason, id);
  const set = { state: "rejected", ...ended(session, { kind: "rejected", by: who, reason: sealed }) } as const; // a literal state
  return stepAlone(session, { id, from: ["pending"], set, event });
}

export function cancel(session: Session, { id, who, event }: Omit<Rejection, "reason">) {
  const set = { state: "cancelled", ...ended(session, { kind: "cancelled", by: who }) } as const; // a literal state
  return stepAlone(session, { id, from: ["pending", "approved"], set, event });
}

/** Its votes were for a workload that is another one by now: they are taken away, and stay in the history. */
export function drift(
  session: Session,
  { id, drift, event }: { readonly id: string; readonly drift: readonly Drift[]; readonly event: NewHistoryEvent },
): Promise<StoredChange | undefined> {
  const set = { state: "drifted", ...ended(session, { kind: "drifted", drift }) } as const; // a literal state
  return session.db.transaction().execute(async (tx) => {
    const change = await step(tx, session, { id, from: ["approved"], set, event });
    if (change === undefined) return undefined;
    await tx.deleteFrom("vote").where("change_id", "=", id).execute();
    return { ...change, votes: [] };
  });
}

export function refuse(session: Session, { id, outcome, event }: Refusal): Promise<StoredChange | undefined> {
  const set = { state: "failed", ...ended(session, { kind: "run", outcome }) } as const; // a literal state
  return stepAlone(session, { id, from: ["approved"], set, event });
}

type Expiry = { readonly approvedMs: number; readonly event: (change: StoredChange) => NewHistoryEvent };

/**
 * Ends what nobody decided or carried out in time, whoever owns it. `event` gets the Change as it is after that; its
 * ending says what it was.
 */
export async function expireDue(session: Session, { approvedMs, event }: Expiry): Promise<readonly StoredChange[]> {
  const { db, clock } = session;
  const conditions = {
    pending: () => sql<SqlBool>`expires_at <= ${clock()}`,
    approved: () => sql<SqlBool>`approved_at <= ${clock(-approvedMs)}`,
  };
  const expired: StoredChange[] = [];
  for (const was of ["pending", "approved"] as const) {
    // the two literals
    const due = await db
      .selectFrom("change")
      .select("id")
      .where(sql<SqlBool>`state = ${sql.lit(was)}`)
      .where(conditions[was]())
      .orderBy("created_at")
      .execute();
    // One transaction each: two replicas that expire the same rows cannot wait for each other in a circle.
    for (const { id } of due) {
      const change = await expire(session, { id, was, isDue: conditions[was](), event });
      if (change !== undefined) expired.push(change);
    }
  }
  return expired;
}

type Due = {
  readonly id: string;
  readonly was: "pending" | "approved";
  readonly isDue: Expression<SqlBool>;
  readonly event: Expiry["event"];
};

function expire(session: Session, { id, was, isDue, event }: Due): Promise<StoredChange | undefined> {
  const set = { state: "expired", ...ended(session, { kind: "expired", was }) } as const; // a literal state
  return session.db.transaction().execute(async (tx) => {
    const change = await step(tx, session, { id, from: [was], set, only: [isDue], event: undefined });
    if (change !== undefined) await insertEvent(tx, session, { ...event(change), changeId: id });
    return change;
  });
}
