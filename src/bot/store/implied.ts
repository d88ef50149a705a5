import { sql } from "kysely";
import type { AccountSeeker, LinkedAccount } from "../accounts/account.ts";
import type { Binding } from "../policy/binding.ts";
import { linkedAccount } from "./accounts.ts";
import { binding } from "./bindings.ts";
import type { Db, Session } from "./database/session.ts";

/** Everything that a person and a channel imply for a request made there. */
export type Implied = {
  readonly own: LinkedAccount | undefined;
  readonly channel: LinkedAccount | undefined;
  readonly workspace: LinkedAccount | undefined;
  readonly binding: Binding | undefined;
  /** The person's own default region. */
  readonly region: string | undefined;
};

/** One statement, because every command waits for it. */
export async function impliedFor({ db }: Session, seeker: AccountSeeker): Promise<Implied> {
  const row = await query(db, seeker).executeTakeFirstOrThrow();
  const { teamId, userId, channelId } = seeker;
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

function query(db: Db, { teamId, userId, channelId }: AccountSeeker) {
  return db
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
    .select(impliedColumns);
}

type Row = Awaited<ReturnType<ReturnType<typeof query>["executeTakeFirstOrThrow"]>>;

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
