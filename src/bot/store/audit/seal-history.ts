import { setImmediate as nextTurn } from "node:timers/promises";
import { type Selectable, sql, type SqlBool } from "kysely";
import {
  type ChainKeys,
  type ChainNote,
  type ChainPoint,
  digestOf,
  newSalt,
  nextPoint,
  writtenValues,
} from "../../audit/chain.ts";
import { LOST } from "../database/text-sealer.ts";
import { inTransaction, type Session, updateRows } from "../database/session.ts";
import type { Tables } from "../schema/tables.ts";
import { eventLine } from "../../audit/file-format.ts";
import type { Due } from "../../workflow/due-kinds.ts";
import { holdDue, scheduleDue } from "../due.ts";
import { Big } from "../schema/columns.ts";
import { exportedEvent } from "./read-chain.ts";
import {
  type ChainHead,
  headColumns,
  headIn,
  isOurHead,
  placeValues,
  readHead,
  saltedEvent,
  sealedAsIs,
} from "./chain-rows.ts";

/** Rows of one transaction. SQLite runs in this thread, where acks wait for it. */
const AT_ONCE = 50;
/** Batches of one sweep. A database of an older version has many rows that join one after the other. */
const BATCHES = 40;

type EventRow = Selectable<Tables["event"]>;

/**
 * Lets rows of history join the chain: in the order of their numbers, as far as they are committed. Never in the
 * transaction of a request, so nobody waits for it. The lock on the head gives one replica at a time its turn.
 */
export async function sealHistory(session: Session): Promise<number> {
  const { chain } = session;
  if (chain === undefined) return 0;
  let joined = 0;
  for (let batch = 0; batch < BATCHES; batch += 1) {
    const waiting = await session.db
      .selectFrom("event")
      .select("seq")
      .where("chain_number", "is", null)
      .limit(sql.lit(1))
      .executeTakeFirst();
    if (waiting === undefined) {
      await refuseUnmarked(session, chain);
      return joined;
    }
    const count = await sealBatch(session, chain);
    joined += count;
    if (count < AT_ONCE) return joined;
    await nextTurn();
  }
  return joined;
}

async function sealBatch(session: Session, keys: ChainKeys): Promise<number> {
  const { count, places } = await inTransaction(session, async (inside) => {
    const head = await lockHead(inside, keys);
    if (head === undefined) return { count: 0, places: [] };
    const rows = await inside.db
      .selectFrom("event")
      .selectAll()
      .where("chain_number", "is", null)
      .orderBy("seq")
      .limit(sql.lit(AT_ONCE))
      .execute();
    const places = placesOf({ ...inside, keys }, head, rows);
    const last = places.at(-1)?.point ?? head.last;
    if (places.length > 0) await write(inside, places);
    await updateRows(inside.db, "audit_chain", { having: { id: 1 }, set: headColumns(keys, { ...head, last }) });
    if (places.length > 0) await scheduleReceivers(inside);
    return { count: rows.length, places };
  });
  for (const { seq, note } of places) {
    if (note === undefined || note === "before") continue;
    session.log.error({ seq, note }, "a row of history wasn't written by Gantry, or was changed since");
  }
  return count;
}

/** Chains that take no rows of older versions any more; asked once for each. */
const isClosed = new WeakSet<ChainKeys>();

/** Once all rows of older versions have joined, a row without a mark is one that Gantry didn't write. */
async function refuseUnmarked(session: Session, keys: ChainKeys): Promise<void> {
  if (isClosed.has(keys)) return;
  const known = await readHead(session);
  if (known?.takesUnmarked === true) {
    await inTransaction(session, async (inside) => {
      const head = await lockHead(inside, keys);
      if (head === undefined) return;
      const set = headColumns(keys, { ...head, takesUnmarked: false });
      await updateRows(inside.db, "audit_chain", { having: { id: 1 }, set });
    });
  }
  isClosed.add(keys);
}

/** Undefined, and logged, when somebody changed it: whatever is built on it would hide that. */
export async function lockHead(
  { db, log }: Pick<Session, "db" | "log">,
  keys: ChainKeys,
): Promise<ChainHead | undefined> {
  const row = await db.updateTable("audit_chain").set({ id: 1 }).where("id", "=", 1).returningAll().executeTakeFirst();
  const head = row && headIn(row);
  if (head !== undefined && isOurHead(keys, head)) return head;
  log.error("the head of the audit chain was changed or removed: no history joins it until it is restored");
  return undefined;
}

type Place = {
  readonly seq: EventRow["seq"];
  readonly point: ChainPoint;
  readonly digest: string;
  readonly note: ChainNote | undefined;
  readonly salt: string;
  readonly mark: string;
};

type Sealing = Pick<Session, "textSealer"> & { readonly keys: ChainKeys };

function placesOf({ textSealer, keys }: Sealing, head: ChainHead, rows: readonly EventRow[]): readonly Place[] {
  const places: Place[] = [];
  let at = head.last;
  for (const row of rows) {
    const salt = row.salt ?? newSalt();
    // Nobody but Gantry writes these columns, and only when a row joins.
    const read = saltedEvent(textSealer, { ...row, salt, chain_note: null, erased: null });
    if (read === undefined) continue;
    const known = read.fields.result === LOST ? sealedAsIs(read, row) : read;
    const note = noteFor(keys, { row, salt }, { fields: known.fields, takesUnmarked: head.takesUnmarked });
    const digest = digestOf({ ...known, note });
    at = nextPoint(keys.chain, at, digest);
    places.push({ seq: row.seq, point: at, digest, note, salt, mark: keys.mark("place", placeValues(at)) });
  }
  return places;
}

type Written = { readonly row: EventRow; readonly salt: string };
type Read = { readonly fields: Parameters<typeof writtenValues>[0]; readonly takesUnmarked: boolean };

function noteFor(keys: ChainKeys, { row, salt }: Written, { fields, takesUnmarked }: Read): ChainNote | undefined {
  if (row.chain_mark === null) return takesUnmarked ? "before" : "unmarked";
  return keys.hasMark(row.chain_mark, "written", writtenValues(fields, salt)) ? undefined : "altered";
}

/** One statement for all of them. */
async function write({ db }: Pick<Session, "db">, places: readonly Place[]): Promise<void> {
  const rows = places.map(
    ({ seq, point, digest, note, salt, mark }) =>
      sql`(${Number(seq)}, ${point.number}, ${digest}, ${point.hash}, ${mark}, ${note ?? ""}, ${salt})`,
  );
  await sql`with place (seq, number, digest, hash, mark, note, salt) as (values ${sql.join(rows)})
    update event set chain_number = cast(place.number as bigint), chain_digest = place.digest,
      chain_hash = place.hash, chain_mark = place.mark, chain_note = nullif(place.note, ''), salt = place.salt
    from place where event.seq = cast(place.seq as bigint)`.execute(db);
}

export type AuditBatch = {
  readonly chain: string;
  readonly first: number;
  readonly last: number;
  /** The same for the same events, also when it is tried again. */
  readonly id: string;
  /** Lines of an export. */
  readonly lines: readonly string[];
};

/** Makes receivers known, and begins with what waits for them. A receiver that is new gets what happens from now on. */
export async function addReceivers(session: Session, names: readonly string[]): Promise<void> {
  if (session.chain === undefined) return;
  const head = await readHead(session);
  for (const name of names) {
    await session.db
      .insertInto("audit_receiver")
      .values({ name, number: head?.last.number ?? 0 })
      .onConflict((conflict) => conflict.column("name").doNothing())
      .execute();
    await scheduleDue(session, { kind: "audit", key: name, teamId: "" });
  }
}

/** New events have joined the chain: all receivers get them. */
async function scheduleReceivers(session: Session): Promise<void> {
  const rows = await session.db.selectFrom("audit_receiver").select("name").execute();
  for (const { name } of rows) await scheduleDue(session, { kind: "audit", key: name, teamId: "" });
}

/** The next events for a receiver; undefined when it has all. A batch that was begun is repeated as it was. */
export async function auditBatch(session: Session, name: string, atMost: number): Promise<AuditBatch | undefined> {
  const { db, chain, textSealer } = session;
  if (chain === undefined) return undefined;
  const begun = await db
    .updateTable("audit_receiver")
    .set({
      batch_to: sql<number>`coalesce(batch_to, (select case when last_number < number + ${sql.lit(atMost)} then last_number
        else number + ${sql.lit(atMost)} end from audit_chain where id = 1))`,
    })
    .where("name", "=", name)
    .where(sql<SqlBool>`number < (select last_number from audit_chain where id = 1)`)
    .returning(["number", "batch_to"])
    .executeTakeFirst();
  if (begun === undefined) return undefined;
  const [from, last] = [Big.parse(begun.number), Big.parse(begun.batch_to)];
  const rows = await db
    .selectFrom("event")
    .selectAll()
    .where("chain_number", ">", from)
    .where("chain_number", "<=", last)
    .orderBy("chain_number")
    .execute();
  const events = rows.map((row) => exportedEvent(textSealer, row));
  const gone = last - from - events.length;
  if (gone > 0) session.log.error({ receiver: name, events: gone }, "history is gone that its receiver never got");
  const first = events[0]?.number ?? last;
  return {
    chain: chain.chain,
    first,
    last,
    id: `${chain.chain}.${first}-${last}.${events.at(-1)?.hash.slice(0, 12) ?? ""}`,
    lines: events.map((event) => eventLine(event, event.contents?.[0])),
  };
}

/** The receiver has everything up to `last`. False: the lease was lost, and the batch is sent again. */
export function auditDelivered(session: Session, due: Due, last: number): Promise<boolean> {
  return inTransaction(session, async (inside) => {
    if (!(await holdDue(inside, due))) return false;
    const set = { number: last, batch_to: null, failing_since: null };
    await updateRows(inside.db, "audit_receiver", { having: { name: due.key }, set });
    return true;
  });
}

/** For the health checks. */
export async function auditFailed({ db, clock }: Session, name: string): Promise<void> {
  const set = { failing_since: sql`coalesce(failing_since, ${clock()})` };
  await updateRows(db, "audit_receiver", { having: { name }, set });
}
