import { setImmediate as nextTurn } from "node:timers/promises";
import { type Selectable, sql } from "kysely";
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
import { scheduleReceivers } from "./receivers.ts";
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
