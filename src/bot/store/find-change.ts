import { sql, type SqlBool } from "kysely";
import { requestIdOf, type StoredChange } from "../changes/stored-change.ts";
import type { HistoryEvent } from "../changes/history-event.ts";
import type { ChangeAbout } from "../watch/due.ts";
import type { ChangeKey, CompletedIn, IdIn, ListKey } from "../workflow/stored.ts";
import { builtOnce, inBatches, type Session } from "./database/session.ts";
import { eventsOf } from "./events.ts";
import { Big } from "./schema/columns.ts";
import { changeRows, type Reader, undoCounts, wholeChange, wholeChanges } from "./whole-change.ts";

// These match the conditions of the partial indexes word for word, or the indexes are not used.
const isDoneJob = sql<SqlBool>`op = 'createJob' and state = 'done'`;
export const waits = sql<SqlBool>`state = 'pending' and wait_key is not null`;

/** With a `teamId`, finds nothing of another workspace. */
export async function findChange(reader: Reader, key: ChangeKey, teamId?: string): Promise<StoredChange | undefined> {
  const found = selection(reader, key);
  const row = await (teamId === undefined ? found : found.where("team_id", "=", teamId)).executeTakeFirst();
  return row === undefined ? undefined : wholeChange(reader, row);
}

/** A Change, with its events up to this version if it has a thread. Later events belong to the next version. */
export async function changeToDraw(
  session: Session,
  { id, teamId }: IdIn,
  hasThread: (change: StoredChange) => boolean,
): Promise<{ readonly change: StoredChange; readonly events: readonly HistoryEvent[] } | undefined> {
  const [row] = await drawnRows(session, { id, teamId });
  if (row === undefined) return undefined;
  const change = await wholeChange(session, row);
  if (!hasThread(change)) return { change, events: [] };
  const last = Big.parse(row.last_seq ?? 0);
  return { change, events: (await eventsOf(session, id)).filter(({ seq }) => seq <= last) };
}

const drawnRows = builtOnce(({ db }, { id, teamId }: IdIn) =>
  changeRows(db)
    .select(sql`(select max(seq) from event where change_id = change.id)`.as("last_seq"))
    .where("id", "=", id)
    .where("team_id", "=", teamId),
);

/** Changes by id. A row that can't be read is logged and left out: the others have to be shown all the same. */
export async function changesById(
  session: Reader & Pick<Session, "log">,
  ids: readonly string[],
): Promise<ReadonlyMap<string, StoredChange>> {
  const rows = await inBatches(ids, (some) => changeRows(session.db).where("id", "in", some).execute());
  const changes = await wholeChanges(session, rows, { words: "a change couldn't be read for history" });
  return new Map(changes.map((change) => [change.id, change]));
}

/** The request that runs on the workload of this Change or its next part; undefined if none does. See `running_key`. */
export async function waitsFor({ db }: Reader, change: StoredChange): Promise<string | undefined> {
  const { state, parts, teamId } = change;
  const next = state === "claimed" ? parts?.find(({ settledAt }) => settledAt === undefined) : change;
  if (next?.state !== "approved") return undefined;
  const { kind, region, name } = next.workload;
  const row = await db
    .selectFrom("change")
    .select("id")
    .where("running_key", "=", `${teamId}/${region}/${kind}/${name}`)
    .executeTakeFirst();
  const id = row && requestIdOf(row.id);
  return id === change.id ? undefined : id;
}

const MOST_COMPLETED = 100;

/** The newest jobs that were created with an account in a region and have completed. */
export async function completedJobs(
  session: Reader & Pick<Session, "log">,
  { teamId, account, region }: CompletedIn,
): Promise<readonly StoredChange[]> {
  const rows = await changeRows(session.db)
    .where("team_id", "=", teamId)
    .where(isDoneJob)
    .where("health", "like", '%"kind":"reached"%')
    .where("account_username", "=", account)
    .where("workload_region", "=", region)
    .orderBy("settled_at", "desc")
    .limit(MOST_COMPLETED)
    .execute();
  return wholeChanges(session, rows, { words: "an earlier job couldn't be read" });
}

/** A job is followed for a day, a rollout for ten minutes, and one that is stuck for ten more. */
const FOLLOWED_FOR_MS = { job: 48 * 60 * 60_000, service: 25 * 60_000 };

/** Changes of workloads in a list that are followed or in trouble, each with the card of its request. */
export async function changesAbout(
  session: Session,
  { teamId, account, region, kind }: ListKey,
  names: readonly string[],
): Promise<readonly ChangeAbout[]> {
  const { db, clock } = session;
  const rows = await inBatches(names, (some) =>
    db
      .selectFrom("change")
      .innerJoin("post", (post) => post.on(sql<SqlBool>`post.id = coalesce(change.part_of, change.id)`))
      .selectAll("change")
      .select(sql<string | null>`post.channel || '/' || post.ts`.as("card"))
      .select(isDrawn.as("drawn"))
      .where("change.team_id", "=", teamId)
      .where("part_count", "=", 0)
      .where(kind === "job" ? isDoneJob : sql<SqlBool>`state = 'done'`)
      .where(sql<SqlBool>`settled_at >= ${clock(-FOLLOWED_FOR_MS[kind])}`)
      .where(sql<SqlBool>`(health is null or health like '%"kind":"trouble"%')`)
      .where("account_username", "=", account)
      .where("workload_kind", "=", kind)
      .where("workload_region", "=", region)
      .where("workload_name", "in", some)
      .execute(),
  );
  const drawn = new Set(rows.filter(({ drawn }) => Boolean(drawn)).map(({ id }) => id));
  const changes = await wholeChanges(session, rows, { words: "a change of a watched workload couldn't be read" });
  return changes.map((change) => ({ change, isDrawn: drawn.has(change.id) }));
}

/** Slack shows the card as it is. */
const isDrawn = sql<number | boolean>`(post.ts is not null and post.blocked_at is null
  and not exists (select 1 from due where due.kind = 'post' and due.key = post.id))`;

function selection({ db, clock }: Reader, key: ChangeKey) {
  const all = changeRows(db);
  if ("id" in key) return all.where("id", "=", key.id);
  if ("deliveryId" in key) return all.where("delivery_id", "=", key.deliveryId);
  if ("undoOf" in key) return all.where("undo_key", "=", key.undoOf).where(undoCounts);
  return all
    .where("wait_key", "=", key.waitKey)
    .where(waits)
    .where((where) => where.or([where("expires_at", "is", null), where("expires_at", ">", clock())]));
}
