import { sql, type SqlBool } from "kysely";
import type { NewHistoryEvent } from "../changes/history-event.ts";
import type { StoredChange } from "../changes/stored-change.ts";
import { step } from "./changes.ts";
import { plainText } from "./schema/columns.ts";
import { TermsJson, toJson } from "./schema/json-columns.ts";
import { findWaiting } from "./duplicates.ts";
import type { Db, Session } from "./database/session.ts";
import type { Return, ReturnResult } from "./store.ts";
import { isTaken } from "./database/store-error.ts";

/**
 * approved → pending, by one conditional UPDATE, with the current terms. Removes approvals that don't count under them,
 * so those people can approve again; history keeps them.
 */
export async function returnToPending(session: Session, what: Return, event: NewHistoryEvent): Promise<ReturnResult> {
  try {
    const change = await session.db.transaction().execute((tx) => goBack(tx, session, { what, event }));
    return change === undefined ? { kind: "moved" } : { kind: "pending", change };
  } catch (error) {
    if (!isTaken(error, "wait_key")) throw error;
    return { kind: "duplicate", earlier: await pendingDuplicate(session, what.id) };
  }
}

async function goBack(
  tx: Db,
  session: Session,
  { what, event }: { readonly what: Return; readonly event: NewHistoryEvent },
): Promise<StoredChange | undefined> {
  const { id, version, terms, rule, counting, notice } = what;
  const set = {
    state: "pending",
    terms: toJson(TermsJson, terms),
    rule,
    notice: plainText(notice),
    expires_at: session.clock(terms.expiresMs),
    approved_at: null,
    owner: null,
  } as const; // a literal state
  const only = [sql<SqlBool>`version = ${version}`];
  const change = await step(tx, session, { id, from: ["approved"], set, only, event });
  if (change === undefined) return undefined;
  const isGone = ({ userId }: { readonly userId: string }): boolean => !counting.includes(userId);
  const gone = change.votes.filter(isGone).map(({ userId }) => userId);
  if (gone.length > 0) {
    await tx.deleteFrom("vote").where("change_id", "=", id).where("user_id", "in", gone).execute();
  }
  return { ...change, votes: change.votes.filter((vote) => !isGone(vote)) };
}

async function pendingDuplicate(session: Session, id: string): Promise<StoredChange | undefined> {
  const row = await session.db.selectFrom("change").select("wait_key").where("id", "=", id).executeTakeFirst();
  return row === undefined || row.wait_key === null ? undefined : findWaiting(session, row.wait_key);
}
