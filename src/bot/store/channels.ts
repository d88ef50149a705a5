import { moveFollows } from "./log-follows.ts";
import { sql, type SqlBool } from "kysely";
import { z } from "zod";
import type { NewHistoryEvent } from "../changes/history-event.ts";
import type { Binding } from "../policy/binding.ts";
import { Flag, maybe, parseRow, plainText, Time } from "./schema/columns.ts";
import { insertEvent } from "./events.ts";
import { type Db, inTransaction, type Session } from "./database/session.ts";
import { deliveries } from "./posts.ts";
import type { ChannelId, ChannelMove, NewBinding } from "../workflow/stored.ts";

const BindingRow = z.object({
  region: maybe(z.string()),
  account: maybe(z.string()),
  names: maybe(z.string()),
  is_locked: Flag,
  bound_by: z.string(),
  bound_by_name: z.string(),
  bound_at: Time,
});

/** Undefined for a channel that is not bound. */
export async function bindingOf({ db }: Session, teamId: string, channelId: string): Promise<Binding | undefined> {
  const unread = await db
    .selectFrom("binding")
    .selectAll()
    .where("team_id", "=", teamId)
    .where("channel_id", "=", channelId)
    .executeTakeFirst();
  return unread && binding(channelId, unread);
}

type Columns = { readonly [Name in keyof z.input<typeof BindingRow>]: unknown };

export function binding(channelId: string, unread: Columns): Binding {
  const { region, account, names, ...row } = parseRow(BindingRow, unread, `The binding of ${channelId}`);
  return {
    region,
    account,
    names,
    isLocked: row.is_locked,
    boundBy: { userId: row.bound_by, name: row.bound_by_name },
    boundAt: row.bound_at,
  };
}

/** Writes the binding and its row of history, unless the channel is already bound to just that. */
export function bind(
  session: Session,
  { teamId, channelId }: ChannelId,
  binding: NewBinding,
  event: NewHistoryEvent,
): Promise<boolean> {
  const { region = null, account = null, names = null, isLocked, boundBy } = binding;
  const terms = { region, account, names, is_locked: isLocked ? 1 : 0 };
  return inTransaction(session, async (inside) => {
    const by = { bound_by: boundBy.userId, bound_by_name: plainText(boundBy.name), bound_at: inside.clock() };
    const row = await inside.db
      .insertInto("binding")
      .values({ team_id: teamId, channel_id: channelId, ...terms, ...by })
      .onConflict((conflict) =>
        conflict
          .columns(["team_id", "channel_id"])
          .doUpdateSet({ ...terms, ...by })
          .where(
            sql<SqlBool>`binding.region is distinct from excluded.region
              or binding.account is distinct from excluded.account
              or binding.names is distinct from excluded.names
              or binding.is_locked <> excluded.is_locked`,
          ),
      )
      .returning("channel_id")
      .executeTakeFirst();
    if (row === undefined) return false;
    await insertEvent(inside, event);
    return true;
  });
}

/** False: it was not bound, and nothing is written. */
export function unbind(session: Session, { teamId, channelId }: ChannelId, event: NewHistoryEvent): Promise<boolean> {
  return inTransaction(session, async (inside) => {
    const row = await inside.db
      .deleteFrom("binding")
      .where("team_id", "=", teamId)
      .where("channel_id", "=", channelId)
      .returning("channel_id")
      .executeTakeFirst();
    if (row === undefined) return false;
    await insertEvent(inside, event);
    return true;
  });
}

/** False: the channel's account was replaced after it was read, and nothing was moved. */
export function moveChannel(session: Session, move: ChannelMove): Promise<boolean> {
  return inTransaction(session, async ({ db: tx, clock, scheduled }) => {
    if (!(await moveAccount(tx, move))) return false;
    await moveBinding(tx, move);
    await moveChanges(tx, move);
    await moveWatches(tx, move);
    await movePosts(tx, clock, move);
    await moveFollows(tx, move);
    await noteMove(tx, move);
    scheduled.isNow = true;
    return true;
  });
}

/** Oldest ids lead to the newest one: a channel may move twice. */
async function noteMove(tx: Db, { teamId, from, to }: ChannelMove): Promise<void> {
  await tx
    .updateTable("moved_channel")
    .set({ new_id: to })
    .where("team_id", "=", teamId)
    .where("new_id", "=", from)
    .execute();
  await tx
    .insertInto("moved_channel")
    .values({ team_id: teamId, old_id: from, new_id: to })
    .onConflict((conflict) => conflict.columns(["team_id", "old_id"]).doUpdateSet({ new_id: to }))
    .execute();
}

/** Of all workspaces. */
export async function movedChannels({ db }: Session): Promise<readonly Omit<ChannelMove, "token">[]> {
  const rows = await db.selectFrom("moved_channel").selectAll().execute();
  return rows.map(({ team_id: teamId, old_id: from, new_id: to }) => ({ teamId, from, to }));
}

async function moveAccount(tx: Db, { teamId, from, to, token }: ChannelMove): Promise<boolean> {
  const accounts = () => tx.selectFrom("account").where("team_id", "=", teamId).where("owner_kind", "=", "channel");
  const old = await accounts().select("sealed_token").where("owner_id", "=", from).executeTakeFirst();
  if (old === undefined) return true;
  if (old.sealed_token !== token?.was) return false;
  // Whoever connected one under the new id meant that one.
  const newer = await accounts().select("owner_id").where("owner_id", "=", to).executeTakeFirst();
  if (newer !== undefined) {
    await tx
      .deleteFrom("account")
      .where("team_id", "=", teamId)
      .where("owner_kind", "=", "channel")
      .where("owner_id", "=", from)
      .execute();
    return true;
  }
  await tx
    .updateTable("account")
    .set({ owner_id: to, sealed_token: token.now })
    .where("team_id", "=", teamId)
    .where("owner_kind", "=", "channel")
    .where("owner_id", "=", from)
    .execute();
  return true;
}

/** A lock is stronger than a newer binding without one: nobody loses it because Slack's event came late. */
async function moveBinding(tx: Db, { teamId, from, to }: ChannelMove): Promise<void> {
  const lockOf = (channelId: string) =>
    tx
      .selectFrom("binding")
      .select("is_locked")
      .where("team_id", "=", teamId)
      .where("channel_id", "=", channelId)
      .executeTakeFirst();
  const [old, newer] = [await lockOf(from), await lockOf(to)];
  if (old === undefined) return;
  const isOldKept = newer === undefined || (old.is_locked === 1 && newer.is_locked === 0);
  const outdated = isOldKept ? to : from;
  await tx.deleteFrom("binding").where("team_id", "=", teamId).where("channel_id", "=", outdated).execute();
  if (!isOldKept) return;
  await tx
    .updateTable("binding")
    .set({ channel_id: to })
    .where("team_id", "=", teamId)
    .where("channel_id", "=", from)
    .execute();
}

/** What both ids have stays once: somebody watched it again under the new id. */
async function moveWatches(tx: Db, { teamId, from, to }: ChannelMove): Promise<void> {
  await sql`delete from watch where team_id = ${teamId} and place = ${from} and exists (select 1 from watch as newer
    where newer.team_id = watch.team_id and newer.place = ${to} and newer.source = watch.source
      and newer.owner_id = watch.owner_id and newer.kind = watch.kind and newer.names = watch.names
      and newer.region = watch.region and newer.is_digest = watch.is_digest)`.execute(tx);
  await tx
    .updateTable("watch")
    .set({
      place: to,
      account_owner: sql<string>`replace(account_owner, ${JSON.stringify(from)}, ${JSON.stringify(to)})`,
    })
    .where("team_id", "=", teamId)
    .where("place", "=", from)
    .execute();
  await sql`delete from mute where team_id = ${teamId} and place = ${from} and exists (select 1 from mute as newer
    where newer.team_id = mute.team_id and newer.place = ${to} and newer.names = mute.names)`.execute(tx);
  await tx.updateTable("mute").set({ place: to }).where("team_id", "=", teamId).where("place", "=", from).execute();
}

/** Keeps one of the notices and messages that exist under both ids. Messages are delivered again under the new id. */
async function movePosts(tx: Db, clock: Session["clock"], { teamId, from, to }: ChannelMove): Promise<void> {
  await sql`delete from notice where team_id = ${teamId} and place = ${from} and exists (select 1 from notice as newer
    where newer.team_id = notice.team_id and newer.place = ${to} and newer.id = notice.id)`.execute(tx);
  await tx.updateTable("notice").set({ place: to }).where("team_id", "=", teamId).where("place", "=", from).execute();
  await tx.deleteFrom("told_place").where("team_id", "=", teamId).where("place", "=", from).execute();
  // Leases first, in the lock order of all statements that change both. A delivery that runs now shows the old state.
  const isThere = (column: "place" | "channel") =>
    tx.selectFrom("post").select("id").where("team_id", "=", teamId).where(column, "=", from);
  await tx
    .updateTable("due")
    .set({ token: null, at: clock(), again_at: null, attempts: 0 })
    .where("kind", "in", deliveries)
    .where((where) => where.or([where("key", "in", isThere("place")), where("key", "in", isThere("channel"))]))
    .execute();
  await sql`delete from post where team_id = ${teamId} and place = ${from} and exists (select 1 from post as newer
    where newer.kind = post.kind and newer.key = post.key and newer.place = ${to})`.execute(tx);
  for (const column of ["place", "instead_of", "channel"] as const) {
    // names of columns
    await tx
      .updateTable("post")
      .set({ [column]: to })
      .where("team_id", "=", teamId)
      .where(column, "=", from)
      .execute();
  }
}

/** Also ended ones, whose buttons still work. */
async function moveChanges(tx: Db, { teamId, from, to }: ChannelMove): Promise<void> {
  // Ids of channels stand in these columns as whole JSON texts.
  const renamed = (column: "terms" | "account_owner") =>
    sql<string>`replace(${sql.ref(column)}, ${JSON.stringify(from)}, ${JSON.stringify(to)})`;
  const named = `%${JSON.stringify(from)}%`;
  await tx
    .updateTable("change")
    .set({
      channel_id: sql<string>`case when channel_id = ${from} then ${to} else channel_id end`,
      terms: renamed("terms"),
      account_owner: renamed("account_owner"),
    })
    .where("team_id", "=", teamId)
    .where((where) =>
      where.or([where("channel_id", "=", from), where("terms", "like", named), where("account_owner", "like", named)]),
    )
    .execute();
}
