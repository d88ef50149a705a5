import { sql } from "kysely";
import { endNews, type NewHistoryEvent } from "../changes/history-event.ts";
import { isPartId, type StoredChange, partId } from "../changes/stored-change.ts";
import type { IdIn, Inserted, NewChange, Unanswered } from "../workflow/stored.ts";
import { newChangeRow } from "./change-row.ts";
import { beginDue, scheduleDue } from "./due.ts";
import { aheadOf } from "../../platform/database/sqlite.ts";
import { inTransaction, type Session, updateRows } from "./database/session.ts";
import { finish } from "./deliveries.ts";
import { insertEvent } from "./events.ts";
import { findChange, waits } from "./find-change.ts";
import { type Reader, wholeChange } from "./whole-change.ts";
import { addCard, cardColumn, scheduleCards } from "./posts.ts";
import { redrawUndone } from "./step.ts";

/** The conflicting Change can end between the insert and reading it; then the insert is tried again. */
const TRIES = 5;

/**
 * Adds a Change and its row of history. If its delivery already has a Change, another Undo of the same Change exists, or
 * the same request waits, returns that Change and adds nothing. Unique indexes decide, so of two at the same time only
 * one is added. `taken`: another Change has this id. `unanswered`: `unlessUnansweredMs` found a request. Then nothing is added either.
 */
export async function insertChange(
  session: Session,
  change: NewChange,
  event: NewHistoryEvent,
): Promise<Inserted | "taken" | Unanswered> {
  if (change.state === "pending" && change.terms === undefined) {
    throw new Error("a Change that waits for approvals needs the terms of its approval");
  }
  // Nothing is sent or answered before the claim, which waits for the disk. After a power failure before it, the
  // delivery is still unfinished and is processed again.
  const writing = change.endsDelivery === true ? { ...session, db: aheadOf(session.db) } : session;
  for (let tries = 0; tries < TRIES; tries += 1) {
    const stored = await inTransaction(writing, (inside) => tryToAdd(inside, { change, event })).catch(
      (error: unknown) => unansweredIn(session, error),
    );
    if (stored !== undefined) return stored;
    if ((await findChange(session, { id: change.id })) !== undefined) return "taken";
  }
  throw new Error(`Change ${change.id} can't be added, and the conflicting change can't be found`);
}

async function tryToAdd(
  session: Session,
  { change, event }: { readonly change: NewChange; readonly event: NewHistoryEvent },
): Promise<Inserted | undefined> {
  const { db } = session;
  if (change.state === "pending") await freeExpired(session, change.waitKey);
  const row = await db
    .insertInto("change")
    .values({ ...newChangeRow(session, change), ...times(session, change) })
    .onConflict((conflict) => conflict.doNothing())
    .returningAll()
    .returning(cardColumn)
    .returning(unansweredBefore(session, change).as("unanswered_id"))
    .executeTakeFirst();
  if (row === undefined) {
    const earlier = await findConflict(session, change);
    return earlier && { change: earlier, due: undefined };
  }
  // Takes the insert back.
  if (row.unanswered_id !== null) throw new UnansweredBefore(row.unanswered_id);
  if (change.state === "pending") await addCard(session, row);
  if (change.parts === undefined) await insertEvent(session, { ...event, changeId: change.id });
  else await insertParts(session, change, event);
  if (change.undoOf !== undefined) await markUndone(session, { id: change.undoOf, teamId: change.teamId });
  if (change.endsDelivery === true) await finish(session, change.deliveryId);
  const due = await schedule(session, change);
  return { change: await wholeChange(session, row), due };
}

/** An approved one is ours to carry out; a pending one is carried on when its time is over. */
async function schedule(session: Session, { id: key, teamId, state, terms }: NewChange) {
  const work = { kind: "change", key, teamId } as const; // a literal kind
  if (state === "approved") return beginDue(session, { ...work, leaseMs: session.leaseMs });
  if (terms !== undefined) await scheduleDue(session, { ...work, inMs: terms.expiresMs });
  return undefined;
}

/** The newest other request of this person for the same, without a card, whose end no message has reported. */
function unansweredBefore({ clock }: Session, { id, teamId, requester, op, workload, unlessUnansweredMs }: NewChange) {
  if (unlessUnansweredMs === undefined) return sql<string | null>`null`;
  const person = sql`team_id = ${teamId} and requester_id = ${requester.userId}`;
  // Each part finds its rows by a small partial index, whose condition it repeats word for word.
  const running = sql`select id from change where settled_at is null and ${person}
    and not exists (select 1 from post where post.id = change.id and ts is not null)`;
  const ends = endNews.map((news) => sql.lit(news));
  const isReported = sql`(${sql.join(
    ends.map((news) => sql`told like '%"' || ${news} || '"%'`),
    sql` or `,
  )})`;
  const keys = sql.join(ends.map((news) => sql`post.id || ' ' || ${news}`));
  const isUnreported = sql`not ${isReported} or exists (select 1 from post as news
    where news.kind = 'requester' and news.key in (${keys}))`;
  const unreported = sql`select id from post where kind = 'change' and ts is null and team_id = ${teamId}
    and fallback = ${requester.userId} and (${isUnreported})`;
  // With a plain `op = ?`, SQLite considers the condition of another index, and prepares the statement again for each value.
  return sql<string | null>`(select earlier.id from change as earlier
    where earlier.id in (${running} union ${unreported}) and earlier.part_of is null and earlier.state <> 'pending'
    and not (earlier.op = 'createJob' and earlier.state = 'done' and exists (select 1 from post
      where post.id = earlier.id and told like '%"running"%'))
    and earlier.id <> ${id} and coalesce(earlier.op, '') = ${op} and earlier.workload_kind = ${workload.kind}
    and earlier.workload_region = ${workload.region} and earlier.workload_name = ${workload.name}
    and earlier.created_at > ${clock(-unlessUnansweredMs)}
    order by earlier.created_at desc limit 1)`;
}

class UnansweredBefore extends Error {
  override readonly name = "UnansweredBefore";
  readonly id: string;
  constructor(id: string) {
    super("an earlier request was not told");
    this.id = id;
  }
}

/** Undefined: it is gone by now. Rethrows every other error. */
async function unansweredIn(session: Session, error: unknown): Promise<Unanswered | undefined> {
  if (!(error instanceof UnansweredBefore)) throw error;
  const unanswered = await findChange(session, { id: error.id });
  return unanswered && { unanswered };
}

function times({ clock }: Session, { state, terms }: NewChange) {
  return {
    created_at: clock(),
    expires_at: terms === undefined ? null : clock(terms.expiresMs),
    approved_at: state === "approved" ? clock() : null,
  };
}

/** Its card offers no Undo, until that Undo comes to nothing. */
async function markUndone(session: Session, { id, teamId }: IdIn): Promise<void> {
  const having = { id, team_id: teamId, is_undone: 0 };
  await updateRows(session.db, "change", { having, set: { is_undone: 1, version: sql`version + 1` } });
  if (isPartId(id)) await redrawUndone(session, id);
  else await scheduleCards(session, [id]);
}

/** The Change that kept this one from being added; undefined when it no longer conflicts. */
export async function findConflict(reader: Reader, change: NewChange): Promise<StoredChange | undefined> {
  const { deliveryId, undoOf, waitKey, teamId } = change;
  const known = await findChange(reader, { deliveryId }, teamId);
  if (known !== undefined) return known;
  const undo = undoOf === undefined ? undefined : await findChange(reader, { undoOf }, teamId);
  return undo ?? (waitKey === undefined ? undefined : findChange(reader, { waitKey }, teamId));
}

/** An expired request no longer blocks duplicates, even before the sweep has ended it. */
export async function freeExpired({ db, clock }: Reader, waitKey: string | undefined): Promise<void> {
  if (waitKey === undefined) return;
  await db
    .updateTable("change")
    .set({ wait_key: null })
    .where("wait_key", "=", waitKey)
    .where(waits)
    .where("expires_at", "<=", clock())
    .execute();
}

/**
 * Adds the parts of a new request, in its transaction. A part has no card of its own. When its turn comes, it runs like any other request.
 * Each has a row of history, so that the history of each workload tells who asked.
 */
export async function insertParts(
  session: Session,
  { id, deliveryId, reason, parts = [] }: NewChange,
  event: NewHistoryEvent,
): Promise<void> {
  for (const [at, part] of parts.entries()) {
    const ids = { id: partId(id, at + 1), deliveryId: partId(deliveryId, at + 1) };
    const row = newChangeRow(session, { ...part, ...ids });
    const own = { created_at: session.clock(), part_of: id };
    await session.db
      .insertInto("change")
      .values({ ...row, ...own })
      .execute();
    const result = [...part.diff, ...(reason === undefined ? [] : [`reason: ${reason}`])].join("; ");
    await insertEvent(session, { ...event, changeId: id, workload: part.workload, result });
  }
}
