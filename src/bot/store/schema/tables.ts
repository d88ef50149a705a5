import type { Generated } from "kysely";
import type { ChangeState } from "../../changes/stored-change.ts";
import type { HistoryEventKind } from "../../changes/history-event.ts";

/**
 * Times are ISO 8601 in UTC, so that they sort as text; flags are 0 and 1; JSON is text. A row of `change` or `delivery`
 * is free for everybody when its owner is null or has no row in `replica` that is still alive.
 */
type DeliveryTable = {
  id: string;
  received_at: string;
  /** Null once its work is over: only its id is remembered. */
  sealed: string | null;
  owner: string | null;
  finished_at: string | null;
};

export type ChangeTable = {
  id: string;
  delivery_id: string;
  state: ChangeState;
  version: number;
  team_id: string;
  requester_id: string;
  requester_name: string;
  channel_id: string;
  verb: string;
  reason: string | null;
  op: string;
  workload_kind: string;
  workload_region: string;
  workload_name: string;
  workload_uid: string | null;
  risk: string;
  diff: string;
  digest: string;
  sealed: string;
  account_owner: string;
  account_username: string;
  rule: string;
  terms: string | null;
  break_glass: number;
  undo_of: string | null;
  /** Same as `undo_of`; unique among pending and executed Undos. Null in duplicates from before this column existed. */
  undo_key: string | null;
  /** Equal for duplicate requests; unique among pending ones. Null when it must not block duplicates. */
  wait_key: string | null;
  /** Why it needs approval again. */
  notice: string | null;
  is_undone: number;
  created_at: string;
  expires_at: string | null;
  approved_at: string | null;
  claimed_at: string | null;
  settled_at: string | null;
  ending: string | null;
  health: string | null;
  /** The last look at a workload that is followed. */
  progress: string | null;
  /** When the next look is due; null when none is, or at once. Of a request for several workloads, for all of them. */
  look_after: string | null;
  owner: string | null;
  /** team/region/kind/name from the claim until it is settled; unique, so that a workload has one Run at a time. */
  running_key: string | null;
  card_channel: string | null;
  card_ts: string | null;
  posts: number;
  /** The version that Slack shows; -1 when unknown. */
  drawn_version: number;
  /** The number of the last row of history that the thread shows. A bigint, which `pg` reads as text. */
  told_seq: number | string;
  /** 1 from everything that happens on, until the card and its thread show it. */
  stale: number;
  /** 1: there is no place where its card can stand. */
  nowhere: number;
  drawing_token: string | null;
  drawing_until: string | null;
  draw_after: string | null;
  /** From when on the requester is told by another way what the card doesn't show yet; null when nothing is owed. */
  owed_at: string | null;
  /** The last news that they were told by another way than the card. */
  told_news: string | null;
  /** Somebody tells them now, until then; also proves who. */
  telling_until: string | null;
  /** The number of its parts; 0 for a request about one workload. */
  part_count: Generated<number>;
  /** The id of the request that it is a part of. */
  part_of: string | null;
};

type VoteTable = { change_id: string; user_id: string; user_name: string; number: number; voted_at: string };

type EventTable = {
  seq: Generated<number | string>;
  at: string;
  kind: HistoryEventKind;
  team_id: string;
  change_id: string | null;
  user_id: string | null;
  user_name: string | null;
  channel_id: string | null;
  verb: string | null;
  workload_kind: string | null;
  workload_region: string | null;
  workload_name: string | null;
  account: string | null;
  rule: string | null;
  break_glass: number;
  result: string;
  elapsed_ms: number | string | null;
  reference: string | null;
};

type AccountTable = {
  team_id: string;
  owner_kind: string;
  owner_id: string;
  username: string;
  sealed_token: string;
  linked_by: string;
  linked_at: string;
};

type BindingTable = {
  team_id: string;
  channel_id: string;
  region: string | null;
  account: string | null;
  names: string | null;
  is_locked: number;
  bound_by: string;
  bound_by_name: string;
  bound_at: string;
};

/** A channel's old id, and the one it has now. */
type MovedChannelTable = { team_id: string; old_id: string; new_id: string };
/** Who somebody is in a workspace, as Slack said at `read_at`. */
type ProfileTable = {
  team_id: string;
  user_id: string;
  name: string;
  standing: string;
  is_admin: number;
  read_at: string;
};
type PersonSettingTable = { team_id: string; user_id: string; region: string };
/** `report` is a `ReplicaReport` as JSON; null until the first heartbeat that carries one. */
type ReplicaTable = { id: string; alive_until: string; report: string | null };
type CallCountTable = { team_id: string; username: string; day: string; calls: number };

type InstallationTable = {
  /** Of a workspace, or of an organization that has the app in all its workspaces. */
  id: string;
  is_org: number;
  enterprise_id: string | null;
  name: string;
  app_id: string;
  bot_user_id: string;
  /** Separated by commas. */
  scopes: string;
  sealed_tokens: string;
  /** When the bot token expires; null for one that doesn't. */
  expires_at: string | null;
  /** Rises with every new token. */
  version: number;
  /** A replica exchanges the token until then. */
  rotating_until: string | null;
  /** Set when Slack may have ended the installation: the next sweep asks. */
  doubted_at: string | null;
  installed_by: string;
  installed_at: string;
};
type OrgWorkspaceTable = { team_id: string; enterprise_id: string };
type MigrationTable = { number: number; title: string; applied_at: string };

export type Tables = {
  delivery: DeliveryTable;
  change: ChangeTable;
  vote: VoteTable;
  event: EventTable;
  account: AccountTable;
  binding: BindingTable;
  moved_channel: MovedChannelTable;
  person_setting: PersonSettingTable;
  profile: ProfileTable;
  replica: ReplicaTable;
  call_count: CallCountTable;
  installation: InstallationTable;
  org_workspace: OrgWorkspaceTable;
  migration: MigrationTable;
};
