import { randomUUID } from "node:crypto";
import { sql, type SqlBool } from "kysely";
import { z } from "zod";
import type { Watch, WatchNews } from "../watch/watch.ts";
import type { IdIn, TakenWatchNews } from "../workflow/ports.ts";
import { fromJson, Time, toJson } from "./schema/columns.ts";
import type { Db, Session } from "./database/session.ts";
import { LOST } from "./database/text-sealer.ts";

const NewsJson: z.ZodType<WatchNews> = z.object({
  target: z.object({ kind: z.enum(["service", "job"]).optional(), names: z.string(), region: z.string() }),
  owner: z.object({ userId: z.string(), name: z.string() }),
  place: z.union([
    z.object({ kind: z.literal("dm") }),
    z.object({ kind: z.literal("channel"), channelId: z.string() }),
  ]),
  source: z.enum(["person", "file"]),
  why: z.string().optional(),
}) as z.ZodType<WatchNews>; // an absent `why` is undefined

/** In the transaction that ends or resumes the watch, so that a crash right after it loses no sentence. Returns its id. */
export async function insertWatchNews(
  tx: Db,
  { clock, textSealer }: Pick<Session, "clock" | "textSealer">,
  { teamId, target, owner, place, source }: Watch,
  why: string | undefined,
): Promise<string> {
  const id = randomUUID();
  const news = toJson(NewsJson, { target, owner, place, source, why });
  await tx
    .insertInto("watch_news")
    .values({
      id,
      team_id: teamId,
      place: place.kind === "dm" ? owner.userId : place.channelId,
      owner_id: owner.userId,
      news: textSealer.seal(news, boundTo(id)),
      created_at: clock(),
      token: null,
      leased_until: null,
      posts: 0,
    })
    .execute();
  return id;
}

function boundTo(id: string): string {
  return `watch news ${id}`;
}

/** Told to nobody yet, and not being told now; oldest first. */
export async function dueWatchNews({ db, clock }: Session): Promise<readonly IdIn[]> {
  const rows = await db
    .selectFrom("watch_news")
    .select(["id", "team_id"])
    .where(sql<SqlBool>`(leased_until is null or leased_until < ${clock()})`)
    .orderBy("created_at")
    .orderBy("id")
    .execute();
  return rows.map(({ id, team_id: teamId }) => ({ id, teamId }));
}

/** Covers two calls to Slack. */
const TELL_WITHIN_MS = 60_000;

/** The right to tell it, for a while; the post counts before it is made. Undefined: it is told, or being told. */
export async function takeWatchNews(
  { db, clock, textSealer, log }: Session,
  { id, teamId }: IdIn,
): Promise<TakenWatchNews | undefined> {
  const token = randomUUID();
  const row = await db
    .updateTable("watch_news")
    .set({ token, leased_until: clock(TELL_WITHIN_MS), posts: sql<number>`posts + 1` })
    .where("id", "=", id)
    .where("team_id", "=", teamId)
    .where(sql<SqlBool>`(leased_until is null or leased_until < ${clock()})`)
    .returning(["place", "owner_id", "news", "created_at", "posts"])
    .executeTakeFirst();
  if (row === undefined) return undefined;
  const opened = textSealer.open(row.news, boundTo(id));
  if (opened === LOST) {
    log.error({ watchNews: id }, "what became of a watch can't be read, so nobody is told");
    await endWatchNews({ db }, id, token);
    return undefined;
  }
  return {
    token,
    news: fromJson(NewsJson).parse(opened),
    place: row.place,
    ownerId: row.owner_id,
    createdAt: Time.parse(row.created_at),
    isAgain: row.posts > 1,
  };
}

/** It is told, or nobody can be told. */
export async function endWatchNews({ db }: Pick<Session, "db">, id: string, token: string): Promise<void> {
  await db.deleteFrom("watch_news").where("id", "=", id).where("token", "=", token).execute();
}

/** Nobody tells it before `ms` are over. `isUnposted`: the last post is known not to have been made. */
export async function postponeWatchNews(
  { db, clock }: Session,
  id: string,
  { token, ms, isUnposted }: { readonly token: string; readonly ms: number; readonly isUnposted: boolean },
): Promise<void> {
  await db
    .updateTable("watch_news")
    .set({ token: null, leased_until: clock(ms), ...(isUnposted && { posts: sql<number>`posts - 1` }) })
    .where("id", "=", id)
    .where("token", "=", token)
    .execute();
}
