import { sql, type SqlBool } from "kysely";
import type { NewHistoryEvent } from "../changes/history-event.ts";
import type { Mute } from "../watch/watch.ts";
import type { MutePlace, NewMute } from "../workflow/stored.ts";
import { scheduleAlertsAt } from "./alerts.ts";
import { inTransaction, type Session } from "./database/session.ts";
import { withEvent } from "./events.ts";
import { parseRow, plainText } from "./schema/columns.ts";
import { MuteRow } from "./schema/tables.ts";

// The cards of open incidents say until when they are muted, so they change with each mute.

/** A direct message is stored as the person whom it is with. */
export function storedPlace(place: MutePlace): string {
  return place.kind === "channel" ? place.channelId : (place.userId ?? "");
}

/** A mute that ends so much earlier or later is the same: a delivery that is done again after a crash mutes again. */
const SAME_MUTE_MS = 2 * 60_000;

/** Mutes workloads in a place; a new end replaces the earlier one. False: the same mute was there. */
export function mute(
  session: Session,
  { teamId, place, names, forMs, by }: NewMute,
  event: NewHistoryEvent,
): Promise<boolean> {
  return withEvent(session, event, async (inside) => {
    const { db, clock } = inside;
    const set = { until: clock(forMs), by_id: by.userId, by_name: plainText(by.name) };
    const row = await db
      .insertInto("mute")
      .values({ team_id: teamId, place: storedPlace(place), names: plainText(names), ...set })
      .onConflict((conflict) =>
        conflict
          .columns(["team_id", "place", "names"])
          .doUpdateSet(set)
          .where(
            sql<SqlBool>`mute.by_id <> excluded.by_id or mute.until <= ${clock()}
              or mute.until not between ${clock(forMs - SAME_MUTE_MS)} and ${clock(forMs + SAME_MUTE_MS)}`,
          ),
      )
      .returning("names")
      .executeTakeFirst();
    if (row !== undefined) await scheduleAlertsAt(inside, { teamId, place: storedPlace(place) });
    return row !== undefined;
  });
}

/** False: it wasn't muted, and nothing is written. */
export function unmute(
  session: Session,
  { teamId, place, names }: Pick<NewMute, "teamId" | "place" | "names">,
  event: NewHistoryEvent,
): Promise<boolean> {
  return withEvent(session, event, async (inside) => {
    const { db, clock } = inside;
    const row = await db
      .deleteFrom("mute")
      .where("team_id", "=", teamId)
      .where("place", "=", storedPlace(place))
      .where("names", "=", plainText(names))
      .where("until", ">", clock())
      .returning("names")
      .executeTakeFirst();
    if (row !== undefined) await scheduleAlertsAt(inside, { teamId, place: storedPlace(place) });
    return row !== undefined;
  });
}

/** Deletes the mutes that are over, and schedules the messages that said so. */
export async function endMutes(session: Session): Promise<void> {
  const { db, clock } = session;
  const isOver = sql<SqlBool>`until <= ${clock()}`;
  const [any] = await db.selectFrom("mute").select("names").where(isOver).limit(1).execute();
  if (any === undefined) return;
  await inTransaction(session, async (inside) => {
    const over = await inside.db.deleteFrom("mute").where(isOver).returning(["team_id", "place"]).execute();
    const places = new Map(over.map(({ team_id: teamId, place }) => [`${teamId} ${place}`, { teamId, place }]));
    for (const place of places.values()) await scheduleAlertsAt(inside, place);
  });
}

function muteOf(unread: unknown): Mute {
  const { place, byId, byName, ...same } = parseRow(MuteRow, unread, "A mute");
  const isPerson = /^[UW]/u.test(place);
  return {
    ...same,
    place: isPerson ? { kind: "dm", userId: place } : { kind: "channel", channelId: place },
    by: { userId: byId, name: byName },
  };
}

/** Those that aren't over, in all places of a workspace. */
export async function mutesOf({ db, clock }: Session, teamId: string): Promise<readonly Mute[]> {
  const rows = await db
    .selectFrom("mute")
    .selectAll()
    .where("team_id", "=", teamId)
    .where("until", ">", clock())
    .orderBy("until")
    .execute();
  return rows.map(muteOf);
}
