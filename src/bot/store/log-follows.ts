import { randomUUID } from "node:crypto";
import { sql, type SqlBool } from "kysely";
import type {
  BegunFollow,
  FollowsWanted,
  IdIn,
  NewLogFollow,
  SavedFollow,
  StoredFollow,
  TakenFollow,
} from "../workflow/ports.ts";
import { plainText } from "./schema/columns.ts";
import type { Db, Session } from "./database/session.ts";

// Logs that are followed. A row is worked on by one replica at a time, whose right ends by itself: if it dies, another one
// goes on from what is stored. What it holds, lines of the log among it, is sealed; the row goes when the follow is over.

/** Longer than one call to Slack may take (`timeouts` in slack/send/clients.ts); renewed before each. */
const FOLLOW_WITHIN_MS = 30_000;

/** Adds a follow that this replica has, unless there are too many. Who asks at the same time may exceed it by one. */
export function beginFollow(session: Session, { limits, ...follow }: NewLogFollow): Promise<BegunFollow> {
  return session.db.transaction().execute(async (tx): Promise<BegunFollow> => {
    const count = async (column: "team_id" | "channel_id" | "requester_id", value: string): Promise<number> => {
      const all = tx.selectFrom("follow").select((eb) => eb.fn.countAll<number | string>().as("count"));
      const row = await all.where("team_id", "=", follow.teamId).where(column, "=", value).executeTakeFirst();
      return Number(row?.count ?? 0);
    };
    if ((await count("requester_id", follow.requesterId)) >= limits.perPerson) return { kind: "full", by: "person" };
    if ((await count("channel_id", follow.channelId)) >= limits.perChannel) return { kind: "full", by: "channel" };
    if ((await count("team_id", follow.teamId)) >= limits.perWorkspace) return { kind: "full", by: "workspace" };
    const token = randomUUID();
    await tx
      .insertInto("follow")
      .values({
        id: follow.id,
        team_id: follow.teamId,
        channel_id: follow.channelId,
        requester_id: follow.requesterId,
        sealed: follow.sealed,
        head_ts: null,
        stopped_by: null,
        created_at: session.clock(),
        look_after: session.clock(),
        token,
        taken_until: session.clock(FOLLOW_WITHIN_MS),
      })
      .execute();
    return { kind: "begun", token };
  });
}

const isFree = ({ clock }: Session) => sql<SqlBool>`(taken_until is null or taken_until < ${clock()})`;

/** Follows whose next look is due and that nobody works on, the one that waits longest first. Of all workspaces. */
export async function dueFollows(session: Session): Promise<readonly IdIn[]> {
  const rows = await session.db
    .selectFrom("follow")
    .select(["id", "team_id"])
    .where("look_after", "<=", session.clock())
    .where(isFree(session))
    .orderBy("look_after")
    .execute();
  return rows.map(({ id, team_id: teamId }) => ({ id, teamId }));
}

/** The right to go on with a follow, for a while. Undefined while another replica has it, and before it is due. */
export async function takeFollow(session: Session, id: string, teamId?: string): Promise<TakenFollow | undefined> {
  const token = randomUUID();
  const row = await session.db
    .updateTable("follow")
    .set({ token, taken_until: session.clock(FOLLOW_WITHIN_MS) })
    .where("id", "=", id)
    .$if(teamId !== undefined, (query) => query.where("team_id", "=", teamId ?? ""))
    .where("look_after", "<=", session.clock())
    .where(isFree(session))
    .returning(["id", "team_id", "channel_id", "requester_id", "sealed", "head_ts", "stopped_by"])
    .returning((eb) =>
      eb
        .selectFrom("follow as all")
        .select(sql<number | string>`count(*)`.as("count"))
        .whereRef("all.team_id", "=", "follow.team_id")
        .as("count"),
    )
    .executeTakeFirst();
  return (
    row && {
      id: row.id,
      teamId: row.team_id,
      channelId: row.channel_id,
      requesterId: row.requester_id,
      sealed: row.sealed,
      headTs: row.head_ts ?? undefined,
      stoppedBy: row.stopped_by ?? undefined,
      token,
      count: Number(row.count ?? 1),
    }
  );
}

/** Stores how far it is, and renews the right or, with `restMs`, gives it back. False: another replica has it by now. */
export async function saveFollow(
  session: Session,
  id: string,
  { token, sealed, headTs, restMs }: SavedFollow,
): Promise<boolean> {
  const right =
    restMs === undefined
      ? { taken_until: session.clock(FOLLOW_WITHIN_MS) }
      : {
          token: null,
          taken_until: null,
          // A stop that came in between isn't put off.
          look_after: sql<string>`case when stopped_by is null then ${session.clock(restMs)} else look_after end`,
        };
  const row = await session.db
    .updateTable("follow")
    .set({ ...right, ...(sealed !== undefined && { sealed }), ...(headTs !== undefined && { head_ts: headTs }) })
    .where("id", "=", id)
    .where("token", "=", token)
    .returning("id")
    .executeTakeFirst();
  return row !== undefined;
}

/** It is over: nothing of it is kept. */
export async function endFollow({ db }: Session, id: string, token: string): Promise<void> {
  await db.deleteFrom("follow").where("id", "=", id).where("token", "=", token).execute();
}

/** Somebody wants it to end; the first one counts. False: it is over already. */
export async function stopFollow(session: Session, { id, teamId }: IdIn, by: string): Promise<boolean> {
  const row = await session.db
    .updateTable("follow")
    .set({ stopped_by: sql<string>`coalesce(stopped_by, ${plainText(by)})`, look_after: session.clock() })
    .where("id", "=", id)
    .where("team_id", "=", teamId)
    .returning("id")
    .executeTakeFirst();
  return row !== undefined;
}

/** Those of a channel, and those of a person anywhere, the oldest first. */
export async function followsOf(
  { db }: Session,
  { teamId, channelId, requesterId }: FollowsWanted,
): Promise<readonly StoredFollow[]> {
  const rows = await db
    .selectFrom("follow")
    .select(["id", "channel_id", "requester_id", "sealed"])
    .where("team_id", "=", teamId)
    .where((eb) => eb.or([eb("channel_id", "=", channelId), eb("requester_id", "=", requesterId)]))
    .orderBy("created_at")
    .execute();
  return rows.map(({ id, channel_id, requester_id, sealed }) => ({
    id,
    channelId: channel_id,
    requesterId: requester_id,
    sealed,
  }));
}

/** What it follows, sealed. */
export async function sealedFollow({ db }: Session, { id, teamId }: IdIn): Promise<string | undefined> {
  const row = await db
    .selectFrom("follow")
    .select("sealed")
    .where("id", "=", id)
    .where("team_id", "=", teamId)
    .executeTakeFirst();
  return row?.sealed;
}

/** A channel that got another id. */
export async function moveFollows(
  tx: Db,
  { teamId, from, to }: { readonly teamId: string; readonly from: string; readonly to: string },
): Promise<void> {
  await tx
    .updateTable("follow")
    .set({ channel_id: to })
    .where("team_id", "=", teamId)
    .where("channel_id", "=", from)
    .execute();
}
