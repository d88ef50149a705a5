import type { IdIn } from "../workflow/ports.ts";
import { type Selectable, sql, type SqlBool } from "kysely";
import type { Session } from "./database/session.ts";
import { wholeChange } from "./find-change.ts";
import { DRAW_WITHIN_MS } from "./drawings.ts";
import type { ChangeTable } from "./schema/tables.ts";
import { inWorkspace } from "./step.ts";
import type { Store, Told } from "./store.ts";

/** Longer than one message to Slack may take. Renewed before each; after a kill, somebody else tells when it is over. */
const TELL_WITHIN_MS = 15_000;

/** A drawing that began so recently may still succeed. */
const JUST_MS = 1_500;

const isFree = ({ clock }: Session) => sql<SqlBool>`(telling_until is null or telling_until < ${clock()})`;

/** Changes whose card is late, so that their requester has to be told otherwise; oldest first. */
export async function owed(session: Session): Promise<readonly IdIn[]> {
  const rows = await session.db
    .selectFrom("change")
    .select(["id", "team_id"])
    .where(sql<SqlBool>`owed_at is not null and owed_at <= ${session.clock()}`)
    .where(isFree(session))
    .orderBy("owed_at")
    .execute();
  return rows.map(({ id, team_id: teamId }) => ({ id, teamId }));
}

type Wanted = Parameters<Store["beginTelling"]>[1] & { readonly teamId?: string | undefined };

/** The right to tell the requester, for a while, with what they were told before. */
export async function beginTelling(
  session: Session,
  id: string,
  { isOverdue, teamId }: Wanted,
): ReturnType<Store["beginTelling"]> {
  const row = await session.db
    .updateTable("change")
    .set({ telling_until: session.clock(TELL_WITHIN_MS) })
    .where("id", "=", id)
    .where(inWorkspace(teamId))
    .where(isOverdue ? sql<SqlBool>`owed_at <= ${session.clock()}` : sql<SqlBool>`owed_at is not null`)
    .where(isFree(session))
    .returningAll()
    .executeTakeFirst();
  if (row === undefined) return undefined;
  const token = row.telling_until ?? "";
  const at = new Date(Date.parse(token) - TELL_WITHIN_MS);
  const change = await wholeChange(session, row);
  return { change, token, told: row.told_news ?? undefined, at, isCardComing: isCardComing(row, at) };
}

type Row = Pick<Selectable<ChangeTable>, "stale" | "nowhere" | "posts" | "drawing_until" | "draw_after">;

function isCardComing({ stale, nowhere, posts, drawing_until, draw_after }: Row, at: Date): boolean {
  if (stale === 0 || nowhere === 1) return false;
  if (drawing_until === null) return draw_after === null && posts === 0;
  return Date.parse(drawing_until) - DRAW_WITHIN_MS > at.getTime() - JUST_MS;
}

/** Renews the right; the new token, or undefined when somebody else tells now. */
export async function holdTelling(session: Session, id: string, token: string): Promise<string | undefined> {
  const row = await session.db
    .updateTable("change")
    .set({ telling_until: session.clock(TELL_WITHIN_MS) })
    .where("id", "=", id)
    .where("telling_until", "=", token)
    .returning("telling_until")
    .executeTakeFirst();
  return row?.telling_until ?? undefined;
}

/** What happened since `version` stays owed. */
export async function told(session: Session, id: string, { token, version, news }: Told): Promise<void> {
  await session.db
    .updateTable("change")
    .set({
      telling_until: null,
      ...(news !== undefined && { told_news: news }),
      owed_at: sql`case when version = ${version} then null else owed_at end`,
    })
    .where("id", "=", id)
    .where("telling_until", "=", token)
    .execute();
}

/** Gives the right back; nobody tries before `ms` are over. */
export async function postponeTelling(session: Session, id: string, token: string, ms: number): Promise<void> {
  await session.db
    .updateTable("change")
    .set({ telling_until: null, owed_at: session.clock(ms) })
    .where("id", "=", id)
    .where("telling_until", "=", token)
    .execute();
}
