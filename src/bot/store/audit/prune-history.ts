import { setImmediate as nextTurn } from "node:timers/promises";
import type { ChainKeys } from "../../audit/chain.ts";
import { BATCH, type Db, inTransaction, type Session, updateRows } from "../database/session.ts";
import { headColumns } from "./chain-rows.ts";
import { pointAt } from "./read-chain.ts";
import { lockHead } from "./seal-history.ts";

/** A receiver that is away for longer doesn't keep the database from getting smaller. */
const WAIT_FOR_RECEIVERS_MS = 7 * 24 * 60 * 60_000;

/**
 * Removes the oldest events, as far as all of them are older than `keepMs` and were handed to whoever receives them. The
 * head keeps the number and hash of the last one that went, so the rest can be checked.
 */
export async function pruneHistory(session: Session, keys: ChainKeys, keepMs: number): Promise<void> {
  while ((await pruneBatch(session, keys, keepMs)) > 0) await nextTurn();
}

async function pruneBatch(session: Session, keys: ChainKeys, keepMs: number): Promise<number> {
  return inTransaction(session, async (inside) => {
    const head = await lockHead(inside, keys);
    if (head === undefined) return 0;
    const { first, last } = head;
    const oldest = { after: first.number, last: last.number };
    const old = await lastBefore(inside, keepMs, oldest);
    const [received, late] = [
      await receivedBy(inside.db),
      await lastBefore(inside, keepMs + WAIT_FOR_RECEIVERS_MS, oldest),
    ];
    const upTo = Math.min(old, Math.max(received ?? old, late), first.number + BATCH);
    const point = upTo > first.number ? await pointAt(inside, upTo) : undefined;
    if (point === undefined) return 0;
    await inside.db.deleteFrom("event").where("chain_number", "<=", upTo).execute();
    await updateRows(inside.db, "audit_chain", {
      having: { id: 1 },
      set: headColumns(keys, { ...head, first: point }),
    });
    return upTo - first.number;
  });
}

type Kept = { readonly after: number; readonly last: number };

/** The last number before the first event that isn't so old. */
async function lastBefore({ db, clock }: Session, ageMs: number, { after, last }: Kept): Promise<number> {
  const row = await db
    .selectFrom("event")
    .select("chain_number")
    .where("chain_number", ">", after)
    .where("at", ">=", clock(-ageMs))
    .orderBy("chain_number")
    .limit(1)
    .executeTakeFirst();
  return row === undefined ? last : Number(row.chain_number) - 1;
}

/** What all receivers have; undefined without one. */
async function receivedBy(db: Db): Promise<number | undefined> {
  const { number } = await db
    .selectFrom("audit_receiver")
    .select((select) => select.fn.min("number").as("number"))
    .executeTakeFirstOrThrow();
  return number === null ? undefined : Number(number);
}
