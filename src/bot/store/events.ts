import { type Selectable, sql } from "kysely";
import { z } from "zod";
import type { HistoryEvent, HistoryEventKind, NewHistoryEvent } from "../changes/history-event.ts";
import { Big, Flag, maybe, parseRow, plainText, Time } from "./schema/columns.ts";
import { inTransaction, type Session, updateRows } from "./database/session.ts";
import { announce, scheduleCards } from "./posts.ts";
import type { TextSealer } from "./database/text-sealer.ts";
import { writtenMark } from "./audit/chain-rows.ts";
import type { Tables } from "./schema/tables.ts";

/** Complete, or it does not compile. */
const kinds = {
  requested: "requested",
  refused: "refused",
  voted: "voted",
  "vote-refused": "vote-refused",
  approved: "approved",
  returned: "returned",
  rejected: "rejected",
  cancelled: "cancelled",
  expired: "expired",
  drifted: "drifted",
  claimed: "claimed",
  done: "done",
  failed: "failed",
  unknown: "unknown",
  confirmed: "confirmed",
  health: "health",
  recovered: "recovered",
  connected: "connected",
  disconnected: "disconnected",
  bound: "bound",
  unbound: "unbound",
  watched: "watched",
  unwatched: "unwatched",
  muted: "muted",
  unmuted: "unmuted",
  taken: "taken",
  installed: "installed",
  uninstalled: "uninstalled",
  erased: "erased",
} as const satisfies { readonly [Kind in HistoryEventKind]: Kind }; // a literal type for each, not string

const EventRow = z.object({
  seq: Big,
  at: Time,
  kind: z.enum(kinds),
  team_id: z.string(),
  change_id: maybe(z.string()),
  user_id: maybe(z.string()),
  user_name: maybe(z.string()),
  channel_id: maybe(z.string()),
  verb: maybe(z.string()),
  workload_kind: maybe(z.string()),
  workload_region: maybe(z.string()),
  workload_name: maybe(z.string()),
  account: maybe(z.string()),
  rule: maybe(z.string()),
  break_glass: Flag,
  result: z.string(),
  elapsed_ms: maybe(Big),
  reference: maybe(z.string()),
});
type EventRow = z.infer<typeof EventRow>;

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
  const row = parseRow(EventRow, unread, `Event ${unread.seq}`);
  return {
    seq: row.seq,
    at: row.at,
    kind: row.kind,
    teamId: row.team_id,
    changeId: row.change_id,
    who: row.user_id === undefined ? undefined : { userId: row.user_id, name: row.user_name ?? row.user_id },
    channelId: row.channel_id,
    verb: row.verb,
    workload: workloadOf(row),
    account: row.account,
    rule: row.rule,
    breakGlass: row.break_glass,
    result: sealer.open(row.result, unread.change_id),
    elapsedMs: row.elapsed_ms,
    reference: row.reference,
  };
}

function workloadOf(row: EventRow): HistoryEvent["workload"] {
  const { workload_kind: kind, workload_region: region, workload_name: name } = row;
  return kind === undefined || region === undefined || name === undefined ? undefined : { kind, region, name };
}
