import { randomUUID } from "node:crypto";
import { sql, type SqlBool } from "kysely";
import type { z } from "zod";
import type { NewHistoryEvent } from "../changes/history-event.ts";
import { DigestTime, type LastPoll, QuietHours, type Watch, WatchedEvents, type WatchNews } from "../watch/watch.ts";
import type { AddedWatch, IdIn, ListKey, NewWatch, WatchesIn, WatchLimits } from "../workflow/stored.ts";
import { scheduleAlertsAt } from "./alerts.ts";
import { scheduleDue } from "./due.ts";
import { insertEvent, withEvent } from "./events.ts";
import { storedPlace } from "./mutes.ts";
import { OwnerJson, parseRow, plainText, toJson } from "./schema/columns.ts";
import { ObservationRow, WatchRow } from "./schema/tables.ts";
import { countRows, type Db, inTransaction, removeRows, rowOf, rowsOf, type Session } from "./database/session.ts";

type Columns = { readonly [Name in keyof z.input<typeof WatchRow>]: unknown };

function watchOf(unread: Columns): Watch {
  const {
    ownerId: userId,
    ownerName,
    accountOwner: owner,
    accountUsername: username,
    kind,
    names,
    region,
    place: channelId,
    ...same
  } = parseRow(WatchRow, unread, `The watch ${String(unread.id)}`);
  return {
    ...same,
    owner: { userId, name: ownerName },
    account: { owner, username },
    target: { kind, names, region },
    place: channelId === userId ? { kind: "dm" } : { kind: "channel", channelId },
  };
}

/** What a watch says besides which one it is. */
function termsOf(watch: NewWatch) {
  return {
    account_owner: toJson(OwnerJson, watch.account.owner),
    account_username: watch.account.username,
    events: toJson(WatchedEvents, watch.events),
    after_ms: watch.afterMs,
    quiet: watch.quiet === undefined ? null : toJson(QuietHours, watch.quiet),
    digest: watch.digest === undefined ? null : toJson(DigestTime, watch.digest),
  };
}

/** A person has one watch of the same workloads in the same place, and one for a digest about them. */
const keyColumns = ["team_id", "source", "owner_id", "place", "kind", "names", "region", "is_digest"] as const; // literal names

function keyOf(watch: NewWatch) {
  const { target, owner, place } = watch;
  return {
    team_id: watch.teamId,
    source: watch.source,
    owner_id: owner.userId,
    place: storedPlace({ ...place, userId: owner.userId }),
    kind: target.kind ?? ("" as const), // a literal text
    names: plainText(target.names),
    region: plainText(target.region),
    is_digest: watch.digest === undefined ? 0 : 1,
  };
}

/** Adds a watch with its row of history, or changes this person's watch of the same workloads in the same place. */
export function addWatch(
  session: Session,
  watch: NewWatch,
  limits: WatchLimits,
  event: NewHistoryEvent,
): Promise<AddedWatch> {
  const key = keyOf(watch);
  const terms = termsOf(watch);
  return inTransaction(session, async (inside): Promise<AddedWatch> => {
    const isNew = (await rowOf(inside.db, "watch", key)) === undefined;
    const full = isNew ? await fullBy(inside.db, key, limits) : undefined;
    if (full !== undefined) return { kind: "full", by: full };
    const row = await inside.db
      .insertInto("watch")
      .values({ ...key, ...terms, id: watch.id, owner_name: plainText(watch.owner.name), created_at: inside.clock() })
      .onConflict((conflict) =>
        conflict
          .columns([...keyColumns])
          .doUpdateSet(terms)
          .where(
            sql<SqlBool>`watch.account_owner <> excluded.account_owner
              or watch.account_username <> excluded.account_username
              or watch.events <> excluded.events
              or watch.after_ms <> excluded.after_ms
              or watch.quiet is distinct from excluded.quiet
              or watch.digest is distinct from excluded.digest`,
          ),
      )
      .returningAll()
      .executeTakeFirst();
    if (row === undefined) return { kind: "same" };
    await scheduleDigest(inside, { ...watch, id: row.id });
    await scheduleAlertsAt(inside, { teamId: row.team_id, place: row.place });
    await insertEvent(inside, event);
    return { kind: row.id === watch.id ? "added" : "changed", id: row.id };
  });
}

/** Without a payload, the first attempt only works out when the digest is to be posted. */
async function scheduleDigest(
  session: Session,
  { id, teamId, digest }: Pick<Watch, "id" | "teamId" | "digest">,
): Promise<void> {
  if (digest !== undefined) await scheduleDue(session, { kind: "digest", key: id, teamId });
}

async function fullBy(
  tx: Db,
  key: ReturnType<typeof keyOf>,
  { perOwner, perPlace }: WatchLimits,
): Promise<"owner" | "place" | undefined> {
  const { team_id, source, owner_id, place } = key;
  if ((await countRows(tx, "watch", { team_id, source, owner_id })) >= perOwner) return "owner";
  return (await countRows(tx, "watch", { team_id, source, place })) >= perPlace ? "place" : undefined;
}

/**
 * Makes these the only watches of the file in a workspace. Those that are there already stay as they are, and one that
 * replaces another stays paused: why was said.
 */
export function setFileWatches(session: Session, teamId: string, watches: readonly NewWatch[]): Promise<void> {
  return inTransaction(session, async (inside) => {
    const kept = new Set(watches.map(({ id }) => id));
    const stored = await rowsOf(inside.db, "watch", { team_id: teamId, source: "file" });
    const known = new Set(stored.map(({ id }) => id));
    for (const { id, place } of stored.filter((row) => !kept.has(row.id))) {
      await removeRows(inside.db, "watch", { id });
      await scheduleAlertsAt(inside, { teamId, place });
    }
    for (const watch of watches.filter(({ id }) => !known.has(id))) {
      const key = keyOf(watch);
      const before = stored.find((row) => keyColumns.every((column) => row[column] === key[column]));
      const own = { id: watch.id, owner_name: plainText(watch.owner.name), paused_why: before?.paused_why ?? null };
      await inside.db
        .insertInto("watch")
        .values({ ...key, ...termsOf(watch), ...own, created_at: inside.clock() })
        .onConflict((conflict) => conflict.doNothing())
        .execute();
      await scheduleDigest(inside, watch);
    }
  });
}

/** Ends a watch, with its row of history. Undefined: it was over already, and nothing is written. */
export function removeWatch(session: Session, at: IdIn, event: NewHistoryEvent): Promise<Watch | undefined> {
  return withEvent(session, event, async (inside) => {
    const row = await deleteOfPerson(inside.db, at);
    if (row === undefined) return undefined;
    await scheduleAlertsAt(inside, { teamId: row.team_id, place: row.place });
    return watchOf(row);
  });
}

/** A watch of the file ends with the file. */
function deleteOfPerson(tx: Db, { id, teamId }: IdIn) {
  return tx
    .deleteFrom("watch")
    .where("id", "=", id)
    .where("team_id", "=", teamId)
    .where("source", "=", "person")
    .returningAll()
    .executeTakeFirst();
}

/**
 * Ends a watch whose owner lost the right to it, with its row of history and a message for its place. A watch of the file is
 * paused instead: it would come back with the file. False: it is over or paused already, and nothing is written.
 */
export function loseWatch(
  session: Session,
  at: IdIn,
  { why, event }: { readonly why: string; readonly event: NewHistoryEvent },
): Promise<boolean> {
  return withEvent(session, event, async (inside) => {
    const row = (await deleteOfPerson(inside.db, at)) ?? (await setPaused(inside.db, { ...at, why }));
    if (row === undefined) return false;
    await scheduleAlertsAt(inside, { teamId: row.team_id, place: row.place });
    await scheduleNews(inside, watchOf(row), plainText(why));
    return true;
  });
}

/** Resumes a paused watch, with a message for its place. False: it is gone or wasn't paused, and nothing is written. */
export function resumeWatch(session: Session, { id, teamId }: IdIn, event: NewHistoryEvent): Promise<boolean> {
  return withEvent(session, event, async (inside) => {
    const row = await setPaused(inside.db, { id, teamId, why: undefined });
    if (row === undefined) return false;
    const watch = watchOf(row);
    // A digest that fell due during the pause is skipped.
    await scheduleDigest(inside, watch);
    await scheduleAlertsAt(inside, { teamId: row.team_id, place: row.place });
    await scheduleNews(inside, watch, undefined);
    return true;
  });
}

/** In the transaction that ends or resumes the watch, so that a crash right after it doesn't lose the message. */
async function scheduleNews(
  session: Session,
  { teamId, target, owner, place, source, account: { username: account } }: Watch,
  why: string | undefined,
): Promise<void> {
  const news: WatchNews = { target, owner, place, source, why, account };
  const payload = JSON.stringify(news);
  await scheduleDue(session, { kind: "watch news", key: randomUUID(), teamId, payload });
}

function setPaused(tx: Db, { id, teamId, why }: IdIn & { readonly why: string | undefined }) {
  return tx
    .updateTable("watch")
    .set({ paused_why: why === undefined ? null : plainText(why) })
    .where("id", "=", id)
    .where("team_id", "=", teamId)
    .where("source", "=", "file")
    .where("paused_why", why === undefined ? "is not" : "is", null)
    .returningAll()
    .executeTakeFirst();
}

/** Undefined: it is over. */
export async function findWatch(session: Session, { id, teamId }: IdIn): Promise<Watch | undefined> {
  return readable(session, await rowsOf(session.db, "watch", { id, team_id: teamId }))[0];
}

/** Logs and skips a row that can't be read, so that the others still work. */
function readable({ log }: Session, rows: readonly Columns[]): readonly Watch[] {
  return rows.flatMap((row) => {
    try {
      return [watchOf(row)];
    } catch (err) {
      log.error({ err, watch: row.id }, "a stored watch can't be read, so nothing is told for it");
      return [];
    }
  });
}

/** Those of a person, and those of others that tell in a place; oldest first. */
export async function watchesOf(session: Session, { teamId, ownerId, place }: WatchesIn): Promise<readonly Watch[]> {
  const rows = await session.db
    .selectFrom("watch")
    .selectAll()
    .where("team_id", "=", teamId)
    .where((where) => where.or([where("owner_id", "=", ownerId), where("place", "=", place ?? ownerId)]))
    .orderBy("created_at")
    .orderBy("id")
    .execute();
  return readable(session, rows);
}

/** Of a list with this account, digests and paused ones apart; in the order of their ids. */
export async function watchesOn(session: Session, list: ListKey, jobsRegion: string): Promise<readonly Watch[]> {
  const { teamId, account, region, kind } = list;
  if (kind === "job" && region !== jobsRegion) return [];
  const rows = await session.db
    .selectFrom("watch")
    .selectAll()
    .where("team_id", "=", teamId)
    .where("account_username", "=", account)
    .where("is_digest", "=", 0)
    .where("paused_why", "is", null)
    .where("kind", "in", ["", kind])
    .where(kind === "job" ? sql<SqlBool>`1 = 1` : sql<SqlBool>`region = ${region}`)
    .orderBy("id")
    .execute();
  return readable(session, rows);
}

/** Of all workspaces, for the observer. */
export async function allWatches(session: Session, teamId?: string): Promise<readonly Watch[]> {
  const all = session.db.selectFrom("watch").selectAll().orderBy("created_at").orderBy("id");
  return readable(session, await (teamId === undefined ? all : all.where("team_id", "=", teamId)).execute());
}

/** When the lists of a workspace were last read for its watches; those that never were are left out. */
export async function lastPolls({ db }: Session, teamId: string): Promise<readonly LastPoll[]> {
  const rows = await rowsOf(db, "observation", { team_id: teamId });
  return rows.flatMap((unread) => {
    const { account, region, kind, lookedAt: at } = parseRow(ObservationRow, unread, "An observation");
    return at === undefined ? [] : [{ account, region, kind, at }];
  });
}
