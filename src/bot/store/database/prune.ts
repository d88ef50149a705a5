import { type DeleteResult, sql, type SqlBool } from "kysely";
import type { NextTime } from "../../workflow/due-kinds.ts";
import { deletePosts } from "../posts.ts";
import { pruneProfiles } from "../profiles.ts";
import { pruneWatching } from "../rounds.ts";
import { BATCH, type Db, inTransaction, type Session, untilNone, updateRows } from "./session.ts";
import { setImmediate as nextTurn } from "node:timers/promises";
import type { ChainKeys } from "../../audit/chain.ts";
import { headColumns } from "../audit/chain-rows.ts";
import { pointAt } from "../audit/read-chain.ts";
import { lockHead } from "../audit/seal-history.ts";

const HOUR_MS = 60 * 60_000;
/** Slack repeats a delivery within about five minutes; an hour leaves room for a slow network. */
const KEEP_DELIVERIES_MS = HOUR_MS;
/** Longer than the bot accepts edits of a message (`message-key.ts`), because people can edit forever. */
const KEEP_MESSAGES_MS = 8 * 24 * HOUR_MS;
/** Message deliveries have their own kind of id: see `message-key.ts`. */
const MESSAGE_IDS = "said:%";
/** Only today's count is shown; a week helps to investigate. */
const KEEP_CALLS_MS = 7 * 24 * HOUR_MS;
const PRUNE_EVERY_MS = 10 * 60_000;

/** Schedules it once for all replicas: its row is never removed. */
export async function planPruning({ db, clock }: Session): Promise<void> {
  const times = { at: clock(PRUNE_EVERY_MS), created_at: clock() };
  await db
    .insertInto("due")
    .values({ kind: "prune", key: "old rows", team_id: "", attempts: 0, ...times })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}

/** The only place where history goes away: by age, if an age is configured, and its settled Changes with it. Resolves to its next time. */
export async function prune(session: Session): Promise<NextTime> {
  const { db, clock, keepHistoryMs } = session;
  await untilNone(() => removed(db.deleteFrom("delivery").where("id", "in", oldDeliveries({ db, clock }))));
  await db.deleteFrom("replica").where("alive_until", "<", clock(-HOUR_MS)).execute();
  await db
    .deleteFrom("call_count")
    .where("day", "<", sql<string>`substr(${clock(-KEEP_CALLS_MS)}, 1, 10)`)
    .execute();
  await pruneProfiles(session);
  await pruneWatching(session);
  if (keepHistoryMs === undefined) return { ms: PRUNE_EVERY_MS };
  const before = clock(-keepHistoryMs);
  const old = db
    .selectFrom("event")
    .select("seq")
    .where("at", "<", sql<string>`(select ${before})`)
    .limit(BATCH);
  if (session.chain === undefined) await untilNone(() => removed(db.deleteFrom("event").where("seq", "in", old)));
  else await pruneHistory(session, session.chain, keepHistoryMs);
  const settled = db
    .selectFrom("change")
    .select("id")
    .where("settled_at", "<", before)
    .where("part_of", "is", null)
    .limit(BATCH);
  await untilNone(() =>
    inTransaction(session, async ({ db: tx }) => {
      const gone = await tx.deleteFrom("change").where("id", "in", settled).returning("id").execute();
      const ids = gone.map(({ id }) => id);
      if (ids.length === 0) return 0;
      await tx.deleteFrom("change").where("part_of", "in", ids).execute();
      await tx.deleteFrom("vote").where("change_id", "in", ids).execute();
      await deletePosts(tx, sql<SqlBool>`id in (${sql.join(ids)})`);
      return ids.length;
    }),
  );
  return { ms: PRUNE_EVERY_MS };
}

function oldDeliveries({ db, clock }: Pick<Session, "db" | "clock">) {
  return db
    .selectFrom("delivery")
    .select("id")
    .where("received_at", "<", clock(-KEEP_DELIVERIES_MS))
    .where((where) =>
      where.or([where("id", "not like", MESSAGE_IDS), where("received_at", "<", clock(-KEEP_MESSAGES_MS))]),
    )
    .limit(BATCH);
}

async function removed(statement: { readonly executeTakeFirstOrThrow: () => Promise<DeleteResult> }): Promise<number> {
  return Number((await statement.executeTakeFirstOrThrow()).numDeletedRows);
}

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
