import { type Selectable, sql, type SqlBool } from "kysely";
import { type StoredChange, type Vote, type WayBack, requestIdOf, wayBackDelivery } from "../changes/stored-change.ts";
import type { HistoryEvent } from "../changes/history-event.ts";
import type { ChangeAbout } from "../watch/due.ts";
import type { ChangeKey, CompletedIn, IdIn, ListKey } from "../workflow/stored.ts";
import { storedChange } from "./change-row.ts";
import { builtOnce, type Db, inBatches, type Session } from "./database/session.ts";
import { eventsOf } from "./events.ts";
import { cardColumn } from "./posts.ts";
import { Big, parseRow } from "./schema/columns.ts";
import { type ChangeTable, VoteRow } from "./schema/tables.ts";

/** With `cardColumn` in `posts.ts`. */
export type ChangeRow = Selectable<ChangeTable> & { readonly card: string | null };

/** The database, or a transaction in it, with what reading a Change takes. */
export type Reader = Pick<Session, "db" | "clock" | "textSealer">;

// These match the conditions of the partial indexes word for word, or the indexes are not used.
const undoCounts = sql<SqlBool>`state not in ('rejected', 'cancelled', 'expired', 'drifted', 'failed')`;
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

export function changeRows(db: Db) {
  return db.selectFrom("change").selectAll("change").select(cardColumn);
}

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

/** The Change with its votes and parts. Only requests that need approval have votes. */
export async function wholeChange(reader: Reader, row: ChangeRow): Promise<StoredChange> {
  const votes = row.terms === null ? undefined : (await votesOf(reader.db, [row.id])).get(row.id);
  const parts = (await partRowsOf(reader, [row])).get(row.id);
  return withParts(reader, { row, votes, parts, backs: await waysBackOf(reader, [row, ...(parts ?? [])]) });
}

type Broken = { readonly words: string; readonly level?: "warn" | "error" };

/** Changes with their votes and parts. One that can't be read is logged and left out. */
export async function wholeChanges(
  reader: Reader & Pick<Session, "log">,
  rows: readonly ChangeRow[],
  { words, level = "warn" }: Broken,
): Promise<readonly StoredChange[]> {
  const ids = rows.map(({ id }) => id);
  const votes = await votesOf(reader.db, ids);
  const parts = await partRowsOf(reader, rows);
  const backs = await waysBackOf(reader, [...rows, ...[...parts.values()].flat()]);
  return rows.flatMap((row) => {
    try {
      return [withParts(reader, { row, votes: votes.get(row.id), parts: parts.get(row.id), backs })];
    } catch (err) {
      reader.log[level]({ err, change: row.id }, words);
      return [];
    }
  });
}

type Backs = Pick<StoredChange, "wayBack" | "wayBackEnd">;

type Whole = {
  readonly row: ChangeRow;
  readonly votes: readonly Vote[] | undefined;
  readonly parts: readonly ChangeRow[] | undefined;
  readonly backs: ReadonlyMap<string, Backs>;
};

function withParts({ textSealer }: Reader, { row, votes = [], parts, backs }: Whole): StoredChange {
  const withBack = (each: ChangeRow, its: readonly Vote[]): StoredChange => {
    return { ...storedChange(textSealer, each, its), ...backs.get(each.id) };
  };
  const change = withBack(row, votes);
  return parts === undefined ? change : { ...change, parts: parts.map((part) => withBack(part, [])) };
}

/**
 * Progress of each Undo, by the id of the Change that it undoes: `gone` once the earlier version is healthy. Of a version
 * in trouble also why its automatic way back wasn't run.
 */
async function waysBackOf(reader: Reader, rows: readonly ChangeRow[]): Promise<ReadonlyMap<string, Backs>> {
  const { db, textSealer } = reader;
  const ids = rows.filter((row) => row.is_undone === 1).map(({ id }) => id);
  const undos = await inBatches(ids, (some) =>
    changeRows(db).where("undo_key", "in", some).where(undoCounts).execute(),
  );
  const isStuck = ({ health, progress, is_undone: isUndone }: ChangeRow): boolean =>
    isUndone === 0 && (health ?? progress)?.includes('"kind":"trouble"') === true;
  const lost = await inBatches(
    rows.filter(isStuck).map(({ id }) => wayBackDelivery(id)),
    (some) => changeRows(db).where("delivery_id", "in", some).execute(),
  );
  return new Map(
    [...undos, ...lost].map((row): [string, Backs] => {
      const back = storedChange(textSealer, row, []);
      const { undoOf = "", wayBackEnd } = back;
      if (wayBackEnd !== undefined) return [undoOf, { wayBackEnd }];
      const wayBack = wayBackIn(back);
      return [undoOf, wayBack === undefined ? {} : { wayBack }];
    }),
  );
}

/** Undefined while it isn't approved, and where its own card says more. */
function wayBackIn(back: StoredChange): WayBack | undefined {
  const { id, state, settledAt: at, diff, health, wayBackOf } = back;
  const seen = health ?? back.progress;
  const by = wayBackOf === undefined ? requestIdOf(id) : undefined;
  const known = { by, diff, at };
  if (state === "pending") return undefined;
  if (state === "done" && seen?.kind === "reached") return { ...known, state: "gone", line: seen.line };
  const isUnclear = state === "unknown" && at !== undefined;
  const isOver = isUnclear || health !== undefined;
  const line = isUnclear ? "no clear answer came" : (seen?.outcome ?? seen?.line ?? "");
  if (by === undefined && seen?.kind === "trouble") return { ...known, state: "failing", line };
  // It may be slow, or somebody changed the workload meanwhile: that it failed wasn't seen.
  if (by === undefined && isOver) return { ...known, state: "unclear", line };
  return isOver ? undefined : { ...known, state: "going", line: "" };
}

/** The votes of some Changes, by Change, in the order in which they came. */
async function votesOf(db: Db, ids: readonly string[]): Promise<ReadonlyMap<string, readonly Vote[]>> {
  const votes = new Map<string, Vote[]>();
  const rows = await inBatches(ids, (some) =>
    db.selectFrom("vote").selectAll().where("change_id", "in", some).orderBy("number").orderBy("voted_at").execute(),
  );
  for (const unread of rows) {
    const {
      changeId,
      userId,
      userName: name,
      votedAt: at,
    } = parseRow(VoteRow, unread, `A vote on ${unread.change_id}`);
    votes.set(changeId, [...(votes.get(changeId) ?? []), { userId, name, at }]);
  }
  return votes;
}

/** The rows of the parts of these requests, by request, in their order. */
async function partRowsOf(
  { db }: Pick<Session, "db">,
  rows: readonly ChangeRow[],
): Promise<ReadonlyMap<string, readonly ChangeRow[]>> {
  const ids = rows.filter((row) => row.part_count > 0).map(({ id }) => id);
  const found = await inBatches(ids, (some) => changeRows(db).where("part_of", "in", some).execute());
  return Map.groupBy(
    found.toSorted((a, b) => placeOf(a) - placeOf(b)),
    ({ id }) => requestIdOf(id),
  );
}

function placeOf({ id }: ChangeRow): number {
  return Number(id.split("/")[1]);
}
