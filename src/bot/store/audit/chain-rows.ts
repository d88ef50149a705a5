import { randomBytes } from "node:crypto";
import { type Selectable, sql } from "kysely";
import { z } from "zod";
import type { Sealer } from "../../accounts/seal.ts";
import {
  type AuditFields,
  beginningOf,
  type ChainKeys,
  chainKeys,
  chainNotes,
  type ChainPoint,
  newSalt,
  newSecret,
  personalFields,
  type SaltedEvent,
  writtenValues,
} from "../../audit/chain.ts";
import type { ChainedEvent } from "../../audit/check.ts";
import { fromJson, parseRow } from "../schema/columns.ts";
import { LOST, type TextSealer } from "../database/text-sealer.ts";
import { rowOf, type Session } from "../database/session.ts";
import { HeadRow, type Tables } from "../schema/tables.ts";

type EventRow = Selectable<Tables["event"]>;
export type Columns = Omit<
  EventRow,
  "seq" | "at" | "salt" | "chain_mark" | "chain_number" | "chain_digest" | "chain_hash" | "chain_note" | "erased"
>;

/** A row as the chain knows it; `result` is opened. */
function fieldsOf(row: Columns & Pick<EventRow, "seq" | "at">): AuditFields {
  return {
    seq: Number(row.seq),
    at: row.at,
    kind: row.kind,
    teamId: row.team_id,
    changeId: row.change_id,
    userId: row.user_id,
    userName: row.user_name,
    channelId: row.channel_id,
    verb: row.verb,
    workloadKind: row.workload_kind,
    workloadRegion: row.workload_region,
    workloadName: row.workload_name,
    account: row.account,
    rule: row.rule,
    breakGlass: row.break_glass === 1,
    result: row.result,
    elapsedMs: row.elapsed_ms === null ? null : Number(row.elapsed_ms),
    reference: row.reference,
  };
}

/** The columns that an erasure changes; `result` isn't sealed yet. */
export function eventFields(fields: AuditFields) {
  return {
    user_id: fields.userId,
    user_name: fields.userName,
    channel_id: fields.channelId,
    account: fields.account,
    workload_name: fields.workloadName,
    result: fields.result ?? "",
  };
}

/** For a new row, with its result as it was typed: proof that Gantry wrote it. */
export function writtenMark(chain: ChainKeys, columns: Columns): Pick<EventRow, "salt" | "chain_mark"> {
  const salt = newSalt();
  const fields = fieldsOf({ ...columns, seq: 0, at: "" });
  return { salt, chain_mark: chain.mark("written", writtenValues(fields, salt)) };
}

const perField = z.partialRecord(z.enum(personalFields), z.string());
const ErasedJson = z.object({ commitments: perField, salts: perField, signature: z.string() });
const notes = z.enum(chainNotes);

/** Undefined when a column was changed into something that Gantry doesn't write. */
export function saltedEvent(sealer: TextSealer, row: EventRow): SaltedEvent | undefined {
  const note = row.chain_note === null ? undefined : notes.safeParse(row.chain_note).data;
  const erased = row.erased === null ? undefined : fromJson(ErasedJson).safeParse(row.erased).data;
  const isReadable =
    (note !== undefined || row.chain_note === null) &&
    (erased !== undefined || row.erased === null) &&
    (row.break_glass === 0 || row.break_glass === 1) &&
    Number.isFinite(Number(row.elapsed_ms));
  if (!isReadable) return undefined;
  return {
    fields: fieldsOf({ ...row, result: sealer.open(row.result, row.change_id) }),
    note,
    salt: row.salt ?? undefined,
    erased,
  };
}

/** Text whose key was gone when the row joined counts as the sealed text itself. */
export function sealedAsIs(event: SaltedEvent, row: EventRow): SaltedEvent {
  return { ...event, fields: { ...event.fields, result: row.result } };
}

/** A row that has joined. `isLost`: its text can't be opened, so nobody can tell whether it was changed. */
export function chainedEvent(sealer: TextSealer, row: EventRow): ChainedEvent & { readonly isLost: boolean } {
  const event = saltedEvent(sealer, row);
  return {
    number: Number(row.chain_number),
    digest: row.chain_digest ?? "",
    hash: row.chain_hash ?? "",
    contents: event === undefined ? [] : [event, sealedAsIs(event, row)],
    isLost: event?.fields.result === LOST,
  };
}

export type ChainHead = {
  readonly chain: string;
  readonly sealedSecret: string;
  /** The event before the oldest one that is kept. */
  readonly first: ChainPoint;
  readonly last: ChainPoint;
  readonly begunAt: string;
  readonly takesUnmarked: boolean;
  readonly mark: string;
};

export function headIn(unread: Selectable<Tables["audit_chain"]>): ChainHead {
  const row = parseRow(HeadRow, unread, "The head of the audit chain");
  const { firstNumber, firstHash, lastNumber, lastHash, ...same } = row;
  return { ...same, first: { number: firstNumber, hash: firstHash }, last: { number: lastNumber, hash: lastHash } };
}

function headValues({ first, last, begunAt, takesUnmarked }: Omit<ChainHead, "mark">): readonly unknown[] {
  return [first.number, first.hash, last.number, last.hash, begunAt, takesUnmarked];
}

export function isOurHead(keys: ChainKeys, head: ChainHead): boolean {
  return head.chain === keys.chain && keys.hasMark(head.mark, "head", headValues(head));
}

/** The columns of a head, marked. */
export function headColumns(keys: ChainKeys, head: Omit<ChainHead, "mark">) {
  return {
    first_number: head.first.number,
    first_hash: head.first.hash,
    last_number: head.last.number,
    last_hash: head.last.hash,
    begun_at: head.begunAt,
    takes_unmarked: head.takesUnmarked ? 1 : 0,
    mark: keys.mark("head", headValues(head)),
  };
}

/** Proof that a row has this place; a hash alone could be computed by anybody. */
export function placeValues({ number, hash }: ChainPoint): readonly unknown[] {
  return [number, hash];
}

export async function readHead({ db }: Pick<Session, "db">): Promise<ChainHead | undefined> {
  const row = await rowOf(db, "audit_chain", { id: 1 });
  return row && headIn(row);
}

/** What the secret of a chain is sealed for. */
export function chainBind(chain: string): readonly string[] {
  return ["audit chain", chain];
}

/** Throws a `SealError` when the key that sealed the secret is gone. */
export function keysOf(sealer: Sealer, { chain, sealedSecret }: Pick<ChainHead, "chain" | "sealedSecret">): ChainKeys {
  return chainKeys(chain, sealer.open(sealedSecret, chainBind(chain)));
}

/**
 * The keys of this database's chain, which is begun if there is none. Undefined, and logged, when they can't be opened: a
 * bot without them serves people, and `audit verify` names the rows that it wrote.
 */
export async function openChain(
  session: Pick<Session, "db" | "clock" | "log">,
  sealer: Sealer | undefined,
): Promise<ChainKeys | undefined> {
  if (sealer === undefined) return undefined;
  const head = (await readHead(session)) ?? (await begin(session, sealer));
  try {
    return keysOf(sealer, head);
  } catch (err) {
    session.log.error({ err }, "history can't join the audit chain: its key can't be opened");
    return undefined;
  }
}

async function begin(session: Pick<Session, "db" | "clock">, sealer: Sealer): Promise<ChainHead> {
  const { db, clock } = session;
  const chain = randomBytes(9).toString("base64url");
  const secret = newSecret();
  const { rows } = await sql<{ now: string }>`select ${clock()} as now`.execute(db);
  const start = beginningOf(chain);
  const begunAt = rows[0]?.now ?? "";
  // Rows of a version that marked none. It can't run beside this one: the schema has changed since.
  const older = await db.selectFrom("event").select("seq").limit(1).executeTakeFirst();
  const takesUnmarked = older !== undefined;
  const head = { chain, sealedSecret: "", first: start, last: start, begunAt, takesUnmarked };
  const columns = headColumns(chainKeys(chain, secret), head);
  const sealed_secret = sealer.seal(secret, chainBind(chain));
  await db
    .insertInto("audit_chain")
    .values({ id: 1, chain, sealed_secret, ...columns })
    .onConflict((conflict) => conflict.column("id").doNothing())
    .execute();
  const begun = await readHead(session);
  if (begun === undefined) throw new Error("the audit chain was begun and isn't there");
  return begun;
}
