import { sql, type SqlBool } from "kysely";
import type { z } from "zod";
import type { NewHistoryEvent } from "../changes/history-event.ts";
import type { Binding } from "../policy/binding.ts";
import { parseRow, plainText } from "./schema/columns.ts";
import { BindingRow } from "./schema/tables.ts";
import { withEvent } from "./events.ts";
import { type Db, inTransaction, removeRows, rowOf, type Session, updateRows } from "./database/session.ts";
import { deliveries } from "./posts.ts";
import type { ChannelId, ChannelMove, NewBinding } from "../workflow/stored.ts";

/** Undefined for a channel that is not bound. */
export async function bindingOf({ db }: Session, teamId: string, channelId: string): Promise<Binding | undefined> {
  const unread = await rowOf(db, "binding", { team_id: teamId, channel_id: channelId });
  return unread && binding(channelId, unread);
}

type Columns = { readonly [Name in keyof z.input<typeof BindingRow>]: unknown };

export function binding(channelId: string, unread: Columns): Binding {
  const { boundBy: userId, boundByName: name, ...row } = parseRow(BindingRow, unread, `The binding of ${channelId}`);
  return { ...row, boundBy: { userId, name } };
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
  return withEvent(session, event, async ({ db, clock }) => {
    const by = { bound_by: boundBy.userId, bound_by_name: plainText(boundBy.name), bound_at: clock() };
    const row = await db
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
    return row !== undefined;
  });
}

/** False: it was not bound, and nothing is written. */
export function unbind(session: Session, { teamId, channelId }: ChannelId, event: NewHistoryEvent): Promise<boolean> {
  const having = { team_id: teamId, channel_id: channelId };
  return withEvent(session, event, async ({ db }) => (await removeRows(db, "binding", having)) > 0);
}

/** False: the channel's account was replaced after it was read, and nothing was moved. */
export function moveChannel(session: Session, move: ChannelMove): Promise<boolean> {
  return inTransaction(session, async ({ db: tx, clock, scheduled }) => {
    if (!(await moveAccount(tx, move))) return false;
    await moveBinding(tx, move);
    await moveChanges(tx, move);
    await moveWatches(tx, move);
    await movePosts(tx, clock, move);
    const { teamId: team_id, from: channel_id, to } = move;
    await updateRows(tx, "follow", { having: { team_id, channel_id }, set: { channel_id: to } });
    await noteMove(tx, move);
    scheduled.isNow = true;
    return true;
  });
}

/** Oldest ids lead to the newest one: a channel may move twice. */
async function noteMove(tx: Db, { teamId: team_id, from, to }: ChannelMove): Promise<void> {
  await updateRows(tx, "moved_channel", { having: { team_id, new_id: from }, set: { new_id: to } });
  await tx
    .insertInto("moved_channel")
    .values({ team_id, old_id: from, new_id: to })
    .onConflict((conflict) => conflict.columns(["team_id", "old_id"]).doUpdateSet({ new_id: to }))
    .execute();
}

/** Of all workspaces. */
export async function movedChannels({ db }: Session): Promise<readonly Omit<ChannelMove, "token">[]> {
  const rows = await db.selectFrom("moved_channel").selectAll().execute();
  return rows.map(({ team_id: teamId, old_id: from, new_id: to }) => ({ teamId, from, to }));
}

async function moveAccount(tx: Db, { teamId, from, to, token }: ChannelMove): Promise<boolean> {
  const of = (owner_id: string) => ({ team_id: teamId, owner_kind: "channel" as const, owner_id }); // a literal kind
  const old = await rowOf(tx, "account", of(from));
  if (old === undefined) return true;
  if (old.sealed_token !== token?.was) return false;
  // Whoever connected one under the new id meant that one.
  const isReplaced = (await rowOf(tx, "account", of(to))) !== undefined;
  if (isReplaced) await removeRows(tx, "account", of(from));
  else await updateRows(tx, "account", { having: of(from), set: { owner_id: to, sealed_token: token.now } });
  return true;
}

/** A lock is stronger than a newer binding without one: nobody loses it because Slack's event came late. */
async function moveBinding(tx: Db, { teamId, from, to }: ChannelMove): Promise<void> {
  const of = (channel_id: string) => ({ team_id: teamId, channel_id });
  const [old, newer] = [await rowOf(tx, "binding", of(from)), await rowOf(tx, "binding", of(to))];
  if (old === undefined) return;
  const isOldKept = newer === undefined || (old.is_locked === 1 && newer.is_locked === 0);
  await removeRows(tx, "binding", of(isOldKept ? to : from));
  if (isOldKept) await updateRows(tx, "binding", { having: of(from), set: { channel_id: to } });
}

/** Rows of a place get its new id. What both ids have stays once: somebody watched it again under the new id. */
async function movePlace(
  tx: Db,
  { teamId, from, to }: ChannelMove,
  { table, key }: { readonly table: "watch" | "mute" | "notice" | "post"; readonly key: readonly string[] },
): Promise<void> {
  const name = sql.table(table);
  const isSame = key.map((column) => sql`newer.${sql.ref(column)} = ${name}.${sql.ref(column)}`);
  await sql`delete from ${name} where team_id = ${teamId} and place = ${from} and exists (select 1 from ${name} as newer
    where newer.place = ${to} and ${sql.join(isSame, sql` and `)})`.execute(tx);
  await updateRows(tx, table, { having: { team_id: teamId, place: from }, set: { place: to } });
}

async function moveWatches(tx: Db, move: ChannelMove): Promise<void> {
  const { teamId: team_id, from, to } = move;
  const account_owner = sql`replace(account_owner, ${JSON.stringify(from)}, ${JSON.stringify(to)})`;
  await updateRows(tx, "watch", { having: { team_id, place: from }, set: { account_owner } });
  const key = ["team_id", "source", "owner_id", "kind", "names", "region", "is_digest"];
  await movePlace(tx, move, { table: "watch", key });
  await movePlace(tx, move, { table: "mute", key: ["team_id", "names"] });
}

/** Keeps one of the notices and messages that exist under both ids. Messages are delivered again under the new id. */
async function movePosts(tx: Db, clock: Session["clock"], move: ChannelMove): Promise<void> {
  const { teamId: team_id, from, to } = move;
  await movePlace(tx, move, { table: "notice", key: ["team_id", "id"] });
  await removeRows(tx, "told_place", { team_id, place: from });
  // Leases first, in the lock order of all statements that change both. A delivery that runs now shows the old state.
  const isThere = (column: "place" | "channel") =>
    tx.selectFrom("post").select("id").where("team_id", "=", team_id).where(column, "=", from);
  await tx
    .updateTable("due")
    .set({ token: null, at: clock(), again_at: null, attempts: 0 })
    .where("kind", "in", deliveries)
    .where((where) => where.or([where("key", "in", isThere("place")), where("key", "in", isThere("channel"))]))
    .execute();
  await movePlace(tx, move, { table: "post", key: ["kind", "key"] });
  await updateRows(tx, "post", { having: { team_id, instead_of: from }, set: { instead_of: to } });
  await updateRows(tx, "post", { having: { team_id, channel: from }, set: { channel: to } });
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
