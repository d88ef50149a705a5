import { type Selectable, sql, type SqlBool } from "kysely";
import { deletePosts, putPost } from "./posts.ts";
import type { Due } from "../workflow/due-kinds.ts";
import type {
  BegunFollow,
  FollowMessages,
  FollowsWanted,
  IdIn,
  NewLogFollow,
  SavedFollow,
  StoredFollow,
  TakenFollow,
} from "../workflow/stored.ts";
import { beginDue, delayDue, scheduleDue } from "./due.ts";
import { plainText } from "./schema/columns.ts";
import type { Tables } from "./schema/tables.ts";
import {
  countRows,
  type Having,
  inTransaction,
  removeRows,
  rowOf,
  type Session,
  updateRows,
} from "./database/session.ts";

// Logs that are followed. What a row holds, lines of the log among it, is sealed; it goes when the follow is over.

/** Adds a follow that this replica has, unless there are too many. Who asks at the same time may exceed it by one. */
export function beginFollow(session: Session, { limits, leaseMs, ...follow }: NewLogFollow): Promise<BegunFollow> {
  return inTransaction(session, async (inside): Promise<BegunFollow> => {
    const { teamId: team_id, requesterId: requester_id, channelId: channel_id } = follow;
    const count = (having: Having<"follow">): Promise<number> => countRows(inside.db, "follow", { team_id, ...having });
    if ((await count({ requester_id })) >= limits.perPerson) return { kind: "full", by: "person" };
    if ((await count({ channel_id })) >= limits.perChannel) return { kind: "full", by: "channel" };
    if ((await count({})) >= limits.perWorkspace) return { kind: "full", by: "workspace" };
    await inside.db
      .insertInto("follow")
      .values({
        id: follow.id,
        team_id,
        channel_id,
        requester_id,
        sealed: follow.sealed,
        head_ts: null,
        stopped_by: null,
        created_at: inside.clock(),
      })
      .execute();
    const { id: key, teamId } = follow;
    const due = await beginDue(inside, { kind: "follow", key, teamId, leaseMs });
    return { kind: "begun", due };
  });
}

/** The follow of this work. Undefined: it is over. */
export async function followOf({ db }: Session, due: Due): Promise<TakenFollow | undefined> {
  const row = await db
    .selectFrom("follow")
    .select(["id", "team_id", "channel_id", "requester_id", "sealed", "head_ts", "stopped_by"])
    .select((eb) =>
      eb
        .selectFrom("follow as all")
        .select(sql<number | string>`count(*)`.as("count"))
        .whereRef("all.team_id", "=", "follow.team_id")
        .as("count"),
    )
    .where("id", "=", due.key)
    .where("team_id", "=", due.teamId)
    .executeTakeFirst();
  return (
    row && {
      ...followIn(row),
      teamId: row.team_id,
      headTs: row.head_ts ?? undefined,
      stoppedBy: row.stopped_by ?? undefined,
      due,
      count: Number(row.count ?? 1),
    }
  );
}

/** Stores the position in the log with its messages, and ends the lease until the next poll. False: the lease was lost, nothing was stored. */
export function saveFollow(
  session: Session,
  due: Due,
  { sealed, headTs, nextMs, ...messages }: SavedFollow,
): Promise<boolean> {
  return inTransaction(session, async (inside) => {
    if (!(await delayDue(inside, due, { ms: nextMs }))) return false;
    await updateRows(inside.db, "follow", { having: { id: due.key }, set: { sealed, head_ts: headTs ?? null } });
    await saveMessages(inside, messages);
    return true;
  });
}

async function saveMessages(inside: Session, { posts = [], gone }: FollowMessages): Promise<void> {
  if (gone !== undefined) await deletePosts(inside.db, sql<SqlBool>`id = ${gone}`);
  for (const post of posts) await putPost(inside, post);
}

/** Deletes a follow that has ended. Its messages stay, and say so. */
export async function endFollow(session: Session, due: Due, messages: FollowMessages): Promise<void> {
  await inTransaction(session, async (inside) => {
    const { kind, key, token } = due;
    if ((await removeRows(inside.db, "due", { kind, key, token })) === 0) return;
    await removeRows(inside.db, "follow", { id: key });
    await saveMessages(inside, messages);
  });
}

/** Requests the end of a follow; the first request counts. False: it is over already. */
export function stopFollow(session: Session, { id, teamId }: IdIn, by: string): Promise<boolean> {
  return inTransaction(session, async (inside) => {
    const set = { stopped_by: sql`coalesce(stopped_by, ${plainText(by)})` };
    const isThere = (await updateRows(inside.db, "follow", { having: { id, team_id: teamId }, set })) > 0;
    if (isThere) await scheduleDue(inside, { kind: "follow", key: id, teamId });
    return isThere;
  });
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
  return rows.map(followIn);
}

type Row = Pick<Selectable<Tables["follow"]>, "id" | "channel_id" | "requester_id" | "sealed">;

function followIn({ id, channel_id: channelId, requester_id: requesterId, sealed }: Row): StoredFollow {
  return { id, channelId, requesterId, sealed };
}

/** What it follows, sealed. */
export async function sealedFollow({ db }: Session, { id, teamId }: IdIn): Promise<string | undefined> {
  return (await rowOf(db, "follow", { id, team_id: teamId }))?.sealed;
}
