import { type Selectable, sql } from "kysely";
import type { HistoryEvent, HistoryEventKind, NewHistoryEvent } from "../changes/history-event.ts";
import { Big, parseRow, plainText } from "./schema/columns.ts";
import { inTransaction, type Session, updateRows } from "./database/session.ts";
import { announce, scheduleCards } from "./posts.ts";
import type { TextSealer } from "./database/text-sealer.ts";
import { writtenMark } from "./audit/chain-rows.ts";
import { EventRow, type Tables } from "./schema/tables.ts";

/** Appends a row of history, in the transaction of the step it records. Resolves to its number. */
export async function insertEvent(session: Session, event: NewHistoryEvent): Promise<number> {
  const { db, clock, textSealer, chain } = session;
  const columns = columnsOf(event);
  const { seq } = await db
    .insertInto("event")
    .values({
      ...columns,
      at: clock(),
      result: textSealer.seal(columns.result, columns.change_id),
      ...(chain && writtenMark(chain, columns)),
    })
    .returning("seq")
    .executeTakeFirstOrThrow();
  if (event.announcement !== undefined) await announce(session, event.teamId, event.announcement);
  return Big.parse(seq);
}

function columnsOf(event: NewHistoryEvent) {
  return {
    user_id: event.who?.userId ?? null,
    user_name: event.who === undefined ? null : plainText(event.who.name),
    ...workloadColumns(event),
    kind: event.kind,
    team_id: event.teamId,
    change_id: event.changeId ?? null,
    channel_id: event.channelId ?? null,
    account: event.account ?? null,
    rule: event.rule ?? null,
    break_glass: event.breakGlass ? 1 : 0,
    result: plainText(event.result),
    elapsed_ms: event.elapsedMs === undefined ? null : Math.round(event.elapsedMs),
    reference: event.reference ?? null,
  };
}

function workloadColumns({ verb, workload }: NewHistoryEvent) {
  return {
    verb: verb ?? null,
    workload_kind: workload?.kind ?? null,
    workload_region: workload?.region ?? null,
    workload_name: workload === undefined ? null : plainText(workload.name),
  };
}

/** Work with its row of history. Without a result it changed nothing, and history has no row of it. */
export function withEvent<Result extends object | boolean | undefined>(
  session: Session,
  event: NewHistoryEvent,
  work: (inside: Session) => Promise<Result>,
): Promise<Result> {
  return inTransaction(session, async (inside) => {
    const result = await work(inside);
    if (result !== undefined && result !== false) await insertEvent(inside, event);
    return result;
  });
}

/** What happened to a whole workspace: the bot's own row. */
export function workspaceEvent(kind: HistoryEventKind, teamId: string, result: string): NewHistoryEvent {
  const unknown = { who: undefined, channelId: undefined, verb: undefined, workload: undefined, account: undefined };
  const nothing = { changeId: undefined, rule: undefined, elapsedMs: undefined, reference: undefined };
  return { ...unknown, ...nothing, kind, teamId, result, breakGlass: false };
}

/** A row without a step. If it is about a Change, the Change gets a new version, and its thread shows the row. */
export async function addEvent(session: Session, event: NewHistoryEvent): Promise<void> {
  await inTransaction(session, async (inside) => {
    if (event.changeId !== undefined) {
      // First, as everywhere: the row's lock keeps the events of a Change in the order of their numbers.
      const having = { id: event.changeId, team_id: event.teamId };
      await updateRows(inside.db, "change", { having, set: { version: sql`version + 1` } });
      await scheduleCards(inside, [event.changeId]);
    }
    await insertEvent(inside, event);
  });
}

/** The history of a Change, oldest first. */
export async function eventsOf(
  { db, textSealer }: Pick<Session, "db" | "textSealer">,
  changeId: string,
): Promise<readonly HistoryEvent[]> {
  const rows = await db.selectFrom("event").selectAll().where("change_id", "=", changeId).orderBy("seq").execute();
  return rows.map((row) => historyEvent(textSealer, row));
}

/** Of a row as it was read. */
export function historyEvent(sealer: TextSealer, unread: Selectable<Tables["event"]>): HistoryEvent {
  const {
    userId,
    userName,
    workloadKind: kind,
    workloadRegion: region,
    workloadName: name,
    ...row
  } = parseRow(EventRow, unread, `Event ${unread.seq}`);
  const isNamed = kind !== undefined && region !== undefined && name !== undefined;
  return {
    ...row,
    who: userId === undefined ? undefined : { userId, name: userName ?? userId },
    workload: isNamed ? { kind, region, name } : undefined,
    result: sealer.open(row.result, unread.change_id),
  };
}
