import { type DeleteResult, sql, type SqlBool } from "kysely";
import { pruneHistory } from "../audit/prune-history.ts";
import { deletePosts } from "../posts.ts";
import { pruneProfiles } from "../profiles.ts";
import { pruneWatching } from "../rounds.ts";
import { BATCH, type Session, untilNone } from "./session.ts";

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

/** A pruner that does its work now and then, however often it is called. It never fails: it comes again. */
export function pruner(session: Session): () => Promise<void> {
  let prunedMs = session.machine.elapsedMs();
  return async () => {
    if (session.machine.elapsedMs() - prunedMs < PRUNE_EVERY_MS) return;
    prunedMs = session.machine.elapsedMs();
    try {
      await prune(session);
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      session.log.warn({ reason }, "old rows could not be removed; it is tried again later");
    }
  };
}

/** The only place where history goes away: by age, if an age is configured, and its settled Changes with it. */
async function prune(session: Session): Promise<void> {
  const { db, clock, keepHistoryMs } = session;
  await untilNone(() => removed(db.deleteFrom("delivery").where("id", "in", oldDeliveries({ db, clock }))));
  await db.deleteFrom("replica").where("alive_until", "<", clock(-HOUR_MS)).execute();
  await db
    .deleteFrom("call_count")
    .where("day", "<", sql<string>`substr(${clock(-KEEP_CALLS_MS)}, 1, 10)`)
    .execute();
  await db.deleteFrom("mute").where("until", "<", clock()).execute();
  await pruneProfiles(session);
  await pruneWatching(session);
  if (keepHistoryMs === undefined) return;
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
    db.transaction().execute(async (tx) => {
      const gone = await tx.deleteFrom("change").where("id", "in", settled).returning("id").execute();
      const ids = gone.map(({ id }) => id);
      if (ids.length === 0) return 0;
      await tx.deleteFrom("change").where("part_of", "in", ids).execute();
      await tx.deleteFrom("vote").where("change_id", "in", ids).execute();
      await deletePosts(tx, sql<SqlBool>`id in (${sql.join(ids)})`);
      return ids.length;
    }),
  );
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
