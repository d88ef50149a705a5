import { sql, type SqlBool } from "kysely";
import type { NewHistoryEvent } from "../changes/history-event.ts";
import type { Outcome } from "../changes/change.ts";
import type { ChangeState, Health, StoredChange } from "../changes/stored-change.ts";
import { storedChange } from "./change-row.ts";
import { stepAlone } from "./changes.ts";
import { ended, type Refusal } from "./decisions.ts";
import { EndingJson, HealthJson, toJson } from "./schema/json-columns.ts";
import { goneOwners, isAliveFor, isStillWith } from "./database/replicas.ts";
import type { Session } from "./database/session.ts";
import { isTaken } from "./database/store-error.ts";
import type { ClaimResult } from "./store.ts";
import { votesOf } from "./votes.ts";

/**
 * approved → claimed, by one conditional UPDATE before the request leaves: at most once for ever. It is ours, and our
 * lease lasts for `sendWithinMs` from a moment after the call: whoever sends must do so within that time, counted from
 * before the call. When this throws, it may have been claimed all the same: nothing may be sent, and `openChanges` has it.
 */
export async function claim(session: Session, id: string, event: NewHistoryEvent): Promise<ClaimResult> {
  const { replicaId, clock, sendWithinMs } = session;
  const set = {
    state: "claimed",
    claimed_at: clock(),
    running_key: sql<string>`workload_region || '/' || workload_kind || '/' || workload_name`,
  } as const; // a literal state
  const only = [sql<SqlBool>`owner = ${replicaId}`, isAliveFor(session, sendWithinMs)];
  try {
    const change = await stepAlone(session, { id, from: ["approved"], set, only, event });
    return change === undefined ? { kind: "lost" } : { kind: "claimed", change };
  } catch (error) {
    // The unique index on the workload: another Run of it is under way. The transaction is rolled back as a whole.
    if (isTaken(error, "running_key")) return { kind: "busy" };
    throw error;
  }
}

/** claimed → unknown. The workload stays taken while it is being read back. */
export function doubt(session: Session, { id, outcome, event }: Refusal): Promise<StoredChange | undefined> {
  const set = { state: "unknown", ending: toJson(EndingJson, { kind: "run", outcome }) } as const; // a literal state
  return stepAlone(session, { id, from: ["claimed"], set, only: [isOurs(session)], event });
}

/** claimed or an open unknown → as the outcome says, for good; the workload is free for the next Run. */
export function settle(session: Session, { id, outcome, event }: Refusal): Promise<StoredChange | undefined> {
  const end = ended(session, { kind: "run", outcome });
  const set = { state: endStates[outcome.kind], ...end, running_key: null };
  const only = [isOurs(session), sql<SqlBool>`settled_at is null`];
  return stepAlone(session, { id, from: ["claimed", "unknown"], set, only, event });
}

const endStates = {
  done: "done",
  asked: "done",
  failed: "failed",
  unknown: "unknown",
} as const satisfies { readonly [Kind in Outcome["kind"]]: ChangeState }; // literal states

type Checkup = { readonly id: string; readonly health: Health; readonly event: NewHistoryEvent | undefined };

/** Once, of a done one that is ours. */
export function setHealth(session: Session, { id, health, event }: Checkup): Promise<StoredChange | undefined> {
  const only = [isOurs(session), sql<SqlBool>`health is null`];
  return stepAlone(session, { id, from: ["done"], set: { health: toJson(HealthJson, health) }, only, event });
}

function isOurs({ replicaId }: Session) {
  return sql<SqlBool>`owner = ${replicaId}`;
}

/** As the partial index `change_open` says it, word for word: else it is not used. */
const isOpen = sql<SqlBool>`(state = 'approved' or state = 'claimed'
    or (state = 'unknown' and settled_at is null) or (state = 'done' and health is null))`;

/**
 * Takes what a replica that is gone had open, and gives all that is ours, oldest first. A row that cannot be read is
 * logged and left out: the others have to be carried on all the same.
 */
export async function openChanges(session: Session): Promise<readonly StoredChange[]> {
  const { db, replicaId } = session;
  for (const owner of await goneOwners(session, "change", isOpen)) {
    if (owner === replicaId) continue;
    await db.updateTable("change").set({ owner: replicaId }).where(isOpen).where(isStillWith(session, owner)).execute();
  }
  const rows = await db
    .selectFrom("change")
    .selectAll()
    .where(isOpen)
    .where("owner", "=", replicaId)
    .orderBy("created_at")
    .execute();
  const ids = rows.map(({ id }) => id);
  const votes = await votesOf(db, ids);
  return rows.flatMap((row) => {
    try {
      return [storedChange(row, votes.get(row.id) ?? [])];
    } catch (err) {
      session.log.error({ err, change: row.id }, "a change cannot be read and is not carried on");
      return [];
    }
  });
}
