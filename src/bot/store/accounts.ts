import { z } from "zod";
import type { AccountOwner, AccountSeeker, LinkedAccount } from "../accounts/resolve.ts";
import type { NewHistoryEvent } from "../changes/history-event.ts";
import { parseRow } from "./schema/columns.ts";
import { withEvent } from "./events.ts";
import { builtOnce, inBatches, removeRows, rowOf, type Session, updateRows } from "./database/session.ts";
import { AccountRow, type Tables } from "./schema/tables.ts";
import { sql } from "kysely";
import { binding } from "./channels.ts";

function idOf(owner: AccountOwner): string {
  if (owner.kind === "workspace") return "";
  return owner.kind === "user" ? owner.userId : owner.channelId;
}

function ownerOf(kind: AccountOwner["kind"], id: string): AccountOwner {
  if (kind === "workspace") return { kind };
  return kind === "user" ? { kind, userId: id } : { kind, channelId: id };
}

/** Links an account; one that the owner had is replaced. */
export async function saveAccount(
  session: Session,
  account: Omit<LinkedAccount, "linkedAt">,
  event: NewHistoryEvent,
): Promise<void> {
  const { username, owner } = account;
  const linked = { username, sealed_token: account.sealedToken, linked_by: account.linkedBy };
  await withEvent(session, event, async ({ db, clock }) => {
    const row = { ...linked, linked_at: clock() };
    await db
      .insertInto("account")
      .values({ ...row, team_id: account.teamId, owner_kind: owner.kind, owner_id: idOf(owner) })
      .onConflict((conflict) => conflict.columns(["team_id", "owner_kind", "owner_id"]).doUpdateSet(row))
      .execute();
    return true;
  });
}

/** Updates only the row that was read: an account linked in the meantime stays. */
export async function resealAccount({ db }: Session, account: LinkedAccount, sealedToken: string): Promise<void> {
  const { teamId, owner } = account;
  const known = { team_id: teamId, owner_kind: owner.kind, owner_id: idOf(owner), sealed_token: account.sealedToken };
  await updateRows(db, "account", { having: known, set: { sealed_token: sealedToken } });
}

/** Forgets an account and its token. False: there was none, and nothing is written. */
export function removeAccount(
  session: Session,
  teamId: string,
  owner: AccountOwner,
  event: NewHistoryEvent,
): Promise<boolean> {
  const account = { team_id: teamId, owner_kind: owner.kind, owner_id: idOf(owner) };
  return withEvent(session, event, async ({ db }) => (await removeRows(db, "account", account)) > 0);
}

type Columns = { readonly [Name in keyof Tables["account"]]: Tables["account"][Name] | null };

/** Undefined for columns of an outer join that found none. */
function linkedAccount(unread: Columns): LinkedAccount | undefined {
  if (unread.username === null) return undefined;
  const { ownerKind, ownerId, ...account } = parseRow(AccountRow, unread, `The account of ${unread.owner_id}`);
  return { ...account, owner: ownerOf(ownerKind, ownerId) };
}

export type CallsOf = { readonly teamId: string; readonly username: string; readonly day: string };

/**
 * The accounts, the binding and the person's own default region that apply to a request made there: one statement, because every
 * command waits for it.
 */
export async function impliedFor(session: Session, seeker: AccountSeeker) {
  const { teamId, userId, channelId } = seeker;
  const [row] = await impliedRows(session, { teamId, userId, channelId });
  if (row === undefined) throw new Error("a row of one value is always there");
  return {
    own: linkedAccount({ team_id: teamId, owner_kind: "user", owner_id: userId, ...columns(row, "own") }),
    channel: linkedAccount({ team_id: teamId, owner_kind: "channel", owner_id: channelId, ...columns(row, "channel") }),
    workspace: linkedAccount({ team_id: teamId, owner_kind: "workspace", owner_id: "", ...columns(row, "workspace") }),
    binding: row.bound_by === null ? undefined : binding(channelId, boundColumns(row)),
    region: row.person_region ?? undefined,
  };
}

const impliedColumns = [
  "own.username as own_username",
  "own.sealed_token as own_sealed_token",
  "own.linked_by as own_linked_by",
  "own.linked_at as own_linked_at",
  "channel.username as channel_username",
  "channel.sealed_token as channel_sealed_token",
  "channel.linked_by as channel_linked_by",
  "channel.linked_at as channel_linked_at",
  "workspace.username as workspace_username",
  "workspace.sealed_token as workspace_sealed_token",
  "workspace.linked_by as workspace_linked_by",
  "workspace.linked_at as workspace_linked_at",
  "binding.region as bound_region",
  "binding.account as bound_account",
  "binding.names as bound_names",
  "binding.is_locked",
  "binding.bound_by",
  "binding.bound_by_name",
  "binding.bound_at",
  "person.region as person_region",
] as const; // names of columns, not any text

const impliedRows = builtOnce(({ db }, { teamId, userId, channelId }: AccountSeeker) =>
  db
    .selectFrom(sql<{ one: number }>`(select 1 as one)`.as("anything"))
    .leftJoin("account as own", (join) =>
      join.on("own.team_id", "=", teamId).on("own.owner_kind", "=", "user").on("own.owner_id", "=", userId),
    )
    .leftJoin("account as channel", (join) =>
      join
        .on("channel.team_id", "=", teamId)
        .on("channel.owner_kind", "=", "channel")
        .on("channel.owner_id", "=", channelId),
    )
    .leftJoin("account as workspace", (join) =>
      join.on("workspace.team_id", "=", teamId).on("workspace.owner_kind", "=", "workspace"),
    )
    .leftJoin("binding", (join) => join.on("binding.team_id", "=", teamId).on("binding.channel_id", "=", channelId))
    .leftJoin("person_setting as person", (join) =>
      join.on("person.team_id", "=", teamId).on("person.user_id", "=", userId),
    )
    .select(impliedColumns),
);

type Row = Awaited<ReturnType<typeof impliedRows>>[number];

function columns(row: Row, whose: "own" | "channel" | "workspace") {
  return {
    username: row[`${whose}_username`],
    sealed_token: row[`${whose}_sealed_token`],
    linked_by: row[`${whose}_linked_by`],
    linked_at: row[`${whose}_linked_at`],
  };
}

function boundColumns(row: Row) {
  const { bound_region: region, bound_account: account, bound_names: names } = row;
  const { is_locked, bound_by, bound_by_name, bound_at } = row;
  return { region, account, names, is_locked, bound_by, bound_by_name, bound_at };
}

/** Stores the person's own default region; undefined removes it. */
export async function setRegion(
  { db }: Session,
  teamId: string,
  userId: string,
  region: string | undefined,
): Promise<void> {
  if (region === undefined) {
    await removeRows(db, "person_setting", { team_id: teamId, user_id: userId });
    return;
  }
  await db
    .insertInto("person_setting")
    .values({ team_id: teamId, user_id: userId, region })
    .onConflict((conflict) => conflict.columns(["team_id", "user_id"]).doUpdateSet({ region }))
    .execute();
}

const CallRow = z.object({ calls: z.number().int() });

/** Adds this replica's calls, by user name, to those of all replicas: one statement, because each waits for the disk. */
export async function countCalls(
  { db }: Session,
  { teamId: team_id, day }: Omit<CallsOf, "username">,
  counts: ReadonlyMap<string, number>,
): Promise<void> {
  // In one order: two replicas that count at once would deadlock.
  await inBatches([...counts.keys()].toSorted(), async (usernames) => {
    await db
      .insertInto("call_count")
      .values(usernames.map((username) => ({ team_id, username, day, calls: counts.get(username) ?? 0 })))
      .onConflict((conflict) =>
        conflict
          .columns(["team_id", "username", "day"])
          .doUpdateSet({ calls: sql<number>`call_count.calls + excluded.calls` }),
      )
      .execute();
  });
}

/** Of all replicas. */
export async function callsOn({ db }: Session, { teamId, username, day }: CallsOf): Promise<number> {
  const row = await rowOf(db, "call_count", { team_id: teamId, username, day });
  return row === undefined ? 0 : parseRow(CallRow, row, `The calls of ${username}`).calls;
}
