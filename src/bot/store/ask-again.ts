import { sql, type SqlBool } from "kysely";
import type { NewHistoryEvent } from "../changes/history-event.ts";
import type { StoredChange } from "../changes/stored-change.ts";
import type { Step } from "../workflow/lifecycle.ts";
import type { Advanced } from "../workflow/ports.ts";
import type { Session } from "./database/session.ts";
import { isTaken } from "./database/store-error.ts";
import { findChange } from "./find-change.ts";
import { plainText } from "./schema/columns.ts";
import { TermsJson, toJson } from "./schema/json-columns.ts";
import { move, within } from "./step.ts";

type AskAgain = Extract<Step, { readonly name: "askAgain" }>;
type Asked = { readonly id: string; readonly teamId?: string | undefined; readonly event: NewHistoryEvent | undefined };

/**
 * approved → pending, with the current terms. Removes approvals that don't count under them, so those people can approve
 * again; history keeps them.
 */
export async function askAgain(session: Session, step: AskAgain, what: Asked): Promise<Advanced> {
  try {
    const change = await within(session, (inside) => backToPending(inside, step, what));
    return change === undefined ? { kind: "late", change } : { kind: "moved", change };
  } catch (error) {
    if (!isTaken(error, "wait_key")) throw error;
    return { kind: "busy", earlier: await sameRequest(session, what.id) };
  }
}

async function backToPending(session: Session, step: AskAgain, what: Asked): Promise<StoredChange | undefined> {
  const { version, terms, rule, counting, notice } = step;
  const set = {
    terms: toJson(TermsJson, terms),
    rule,
    notice: plainText(notice),
    expires_at: session.clock(terms.expiresMs),
    approved_at: null,
    owner: null,
  };
  const change = await move(session, { ...what, step, set, only: [sql<SqlBool>`version = ${version}`] });
  if (change === undefined) return undefined;
  const lost = change.votes.map(({ userId }) => userId).filter((userId) => !counting.includes(userId));
  if (lost.length > 0) {
    // A request has as many votes as its rule takes.
    await session.db.deleteFrom("vote").where("change_id", "=", what.id).where("user_id", "in", lost).execute();
  }
  return { ...change, votes: change.votes.filter(({ userId }) => counting.includes(userId)) };
}

async function sameRequest(session: Session, id: string): Promise<StoredChange | undefined> {
  const row = await session.db.selectFrom("change").select("wait_key").where("id", "=", id).executeTakeFirst();
  return row === undefined || row.wait_key === null ? undefined : findChange(session, { waitKey: row.wait_key });
}
