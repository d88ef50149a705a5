import { setImmediate } from "node:timers/promises";
import { type ExpressionBuilder, type SelectQueryBuilder, sql, type SqlBool } from "kysely";
import type { ChangedSince } from "../changes/health.ts";
import {
  endingKinds,
  type HistoryEvent,
  type HistoryEventKind,
  type HistoryQuery,
  outcomeKinds,
} from "../changes/history-event.ts";
import { partAbout, requestIdOf, type StoredChange } from "../changes/stored-change.ts";
import { builtOnce, type Session } from "./database/session.ts";
import { historyEvent } from "./events.ts";
import { changesById } from "./find-change.ts";
import { Big } from "./schema/columns.ts";
import type { Tables } from "./schema/tables.ts";

/** Rows that one statement reads. SQLite runs in this thread, where acks wait for it. */
const STRETCH = 1_000;

/** A page of history, newest first. */
export async function history(session: Session, query: HistoryQuery): Promise<readonly HistoryEvent[]> {
  const first = query.since === undefined ? 0 : await firstSince(session, query.teamId, query.since);
  if (first === undefined) return [];
  const events: HistoryEvent[] = [];
  let { before } = query;
  for (;;) {
    const from = await stretchBefore(session, query, { first, before });
    if (from === undefined) break;
    const limit = query.limit - events.length;
    events.push(...(await eventsIn(session, { ...query, limit }, { first: from, before })));
    if (events.length >= query.limit) break;
    before = from;
    await setImmediate();
  }
  if (query.show === undefined) return events;
  // At most three more statements, however many rows there are.
  const ids = events.map(({ changeId }) => changeId).filter((id) => id !== undefined);
  const requests = await changesById(session, ids);
  return events.map((event) => ({ ...event, request: ofWorkload(requests.get(event.changeId ?? ""), event) }));
}

/**
 * The lowest number among the earliest rows since this time; undefined if there are none. Pages are read by number, and
 * without this bound an empty one would cost a look at every row. No two clocks bring a thousand rows out of order.
 */
async function firstSince(session: Session, teamId: string, since: Date): Promise<number | undefined> {
  return lowest(await earliestRows(session, { teamId, since: since.toISOString() }));
}

const earliestRows = builtOnce(({ db }, { teamId, since }: { readonly teamId: string; readonly since: string }) => {
  const inTime = db.selectFrom("event").select("seq").where("team_id", "=", teamId);
  return lowestOf(db, inTime.where("at", ">=", since).orderBy("at").orderBy("seq").limit(sql.lit(STRETCH)));
});

type Range = { readonly first: number; readonly before: number | undefined };

/** The lowest number of the next rows to look at, older than `before`; undefined if there are none. */
async function stretchBefore(
  session: Session,
  { teamId, workload, userId, show }: HistoryQuery,
  range: Range,
): Promise<number | undefined> {
  // With `show`, rows of others may count too: see `isOf`.
  const name = workload?.name;
  return lowest(await nextRows(session, { teamId, name, userId: show === undefined ? userId : undefined, ...range }));
}

type Stretch = Range & {
  readonly teamId: string;
  readonly name: string | undefined;
  readonly userId: string | undefined;
};

const nextRows = builtOnce(({ db }, { teamId, name, userId, first, before }: Stretch) => {
  let rows = db.selectFrom("event").select("seq").where("team_id", "=", teamId).where("seq", ">=", first);
  if (before !== undefined) rows = rows.where("seq", "<", before);
  if (name !== undefined) rows = rows.where("workload_name", "=", name);
  if (userId !== undefined) rows = rows.where("user_id", "=", userId);
  // The limit is a literal: SQLite prepares the statement again whenever a bound one changes.
  return lowestOf(db, rows.orderBy("seq", "desc").limit(sql.lit(STRETCH)));
});

function lowestOf(db: Session["db"], rows: SelectQueryBuilder<Tables, "event", { seq: number | string }>) {
  return db.selectFrom(rows.as("numbers")).select((select) => select.fn.min("seq").as("seq"));
}

function lowest([row]: readonly { readonly seq: number | string | null }[]): number | undefined {
  return row === undefined || row.seq === null ? undefined : Big.parse(row.seq);
}

async function eventsIn(
  { db, textSealer }: Session,
  { teamId, workload, userId, verbs, since, show, limit }: HistoryQuery,
  { first, before }: Range,
): Promise<readonly HistoryEvent[]> {
  let select = db.selectFrom("event").selectAll().where("team_id", "=", teamId).where("seq", ">=", first);
  if (workload !== undefined) select = select.where("workload_name", "=", workload.name);
  if (workload?.account !== undefined) select = select.where("account", "=", workload.account);
  if (userId !== undefined) select = select.where((where) => isOf(where, userId, show !== undefined));
  if (verbs !== undefined) select = select.where("verb", "in", verbs);
  if (since !== undefined) select = select.where("at", ">=", since.toISOString());
  if (before !== undefined) select = select.where("seq", "<", before);
  if (show !== undefined) select = select.where((where) => isLatest(where, kindsIn[show]));
  const rows = await select.orderBy("seq", "desc").limit(limit).execute();
  return rows.map((row) => historyEvent(textSealer, row));
}

const kindsIn = { ended: endingKinds, outcomes: outcomeKinds };

type Where = ExpressionBuilder<Tables, "event">;

/** An outcome is the bot's own row, so it belongs to everybody who took part in its request. */
function isOf(where: Where, userId: string, withRequest: boolean) {
  const own = where("user_id", "=", userId);
  if (!withRequest) return own;
  const part = where
    .selectFrom("event as part")
    .select("part.seq")
    .whereRef("part.change_id", "=", "event.change_id")
    .where("part.user_id", "=", userId);
  return where.or([own, where.exists(part)]);
}

/** The latest row of these kinds of each workload of each request, and all rows without a request. */
function isLatest(where: Where, kindsShown: readonly HistoryEventKind[]) {
  const later = where
    .selectFrom("event as later")
    .select("later.seq")
    .whereRef("later.change_id", "=", "event.change_id")
    .whereRef("later.workload_kind", "=", "event.workload_kind")
    .whereRef("later.workload_name", "=", "event.workload_name")
    .whereRef("later.seq", ">", "event.seq")
    .where("later.kind", "in", kindsShown);
  return where.and([where("kind", "in", kindsShown), where.not(where.exists(later))]);
}

/** Domains don't touch instances, and a deletion is seen when the workload is read. */
const ELSEWHERE = ["domains", "delete"];

/** Verbs after which the running instances, or their number, still show the earlier change. */
const lasting: ReadonlyMap<string, ChangedSince["how"]> = new Map([
  ["scale", "scaled"],
  ["restart", "restarted"],
]);

/** Of more, the latest say enough: a script may scale a service every second. */
const MOST_LATER = 50;

/**
 * What other requests did to its workload since this one was done; undefined if nothing. Without deletions: those
 * show when it is read.
 */
export async function changedSince(
  { db }: Pick<Session, "db">,
  { id, teamId, workload, account, settledAt }: StoredChange,
): Promise<ChangedSince | undefined> {
  if (settledAt === undefined) return undefined;
  const later = await db
    .selectFrom("event")
    .select(["verb", "change_id"])
    .where("team_id", "=", teamId)
    .where("workload_name", "=", workload.name)
    .where("workload_kind", "=", workload.kind)
    .where("workload_region", "=", workload.region)
    .where("account", "=", account.username)
    .where("kind", "=", "done")
    .where("verb", "not in", ELSEWHERE)
    // Implied by the time, and it lets the index of the workload skip older rows.
    .where(
      sql<SqlBool>`seq > (select coalesce(min(own.seq), 0) from event as own where own.change_id = ${requestIdOf(id)})`,
    )
    .where("at", ">=", settledAt.toISOString())
    .where("change_id", "!=", requestIdOf(id))
    .orderBy("seq", "desc")
    .limit(MOST_LATER)
    .execute();
  const others = later.map(({ verb, change_id: by }) => ({ id: by ?? "", verb: verb ?? "" }));
  const [latest] = others;
  if (latest === undefined) return undefined;
  const kinds = new Set(others.map(({ verb }) => verb));
  const by = others.find(({ verb }) => !lasting.has(verb)) ?? latest;
  return { how: kinds.size > 1 ? "otherwise" : (lasting.get(latest.verb) ?? "otherwise"), by };
}

const begun = new Set<StoredChange["state"]>(["claimed", "done", "failed", "unknown"]);

/** The part about the workload of this row, if its request for several workloads was begun. */
function ofWorkload(request: StoredChange | undefined, { workload }: HistoryEvent): StoredChange | undefined {
  const part = request?.parts && partAbout(request.parts, workload);
  if (request === undefined || part === undefined) return request;
  const { parts: _, ...rest } = request;
  const own = { ...rest, workload: part.workload, diff: part.diff };
  const { state, ending, health, progress, settledAt } = part;
  return begun.has(request.state) ? { ...own, state, ending, health, progress, settledAt } : own;
}
