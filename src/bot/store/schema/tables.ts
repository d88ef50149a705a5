import type { Generated } from "kysely";
import type { ChangeState } from "../../changes/stored-change.ts";
import type { HistoryEventKind } from "../../changes/history-event.ts";
import type { DueKindName } from "../../workflow/due-kinds.ts";
import type { PostKindName } from "../../workflow/posts.ts";

// Times are ISO 8601 in UTC, so that they sort as text; flags are 0 and 1; JSON is text.

/** What Slack delivered, to recognise it when it comes again. */
type DeliveryTable = { id: string; received_at: string };

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
  /** Result of the latest poll, while polling goes on. */
  progress: string | null;
  /** team/region/kind/name from the claim until it is settled; unique, so that a workload has one Run at a time. */
  running_key: string | null;
  /** 1: they asked for a message about its end, even if its card shows it. */
  notifies: Generated<number>;
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
  /** Hides what is personal in the digest of the row; null in rows of older versions until they join the chain. */
  salt: string | null;
  /** Before the row joins the chain: Gantry wrote it. From then on: its number and hash are Gantry's. */
  chain_mark: string | null;
  /** Its place in the chain, which has no gaps, unlike `seq`; null until it joins. */
  chain_number: number | string | null;
  chain_digest: string | null;
  chain_hash: string | null;
  chain_note: string | null;
  /** What was erased from it, as JSON. */
  erased: string | null;
};

/** One row: the chain that all rows of `event` join. */
type AuditChainTable = {
  id: number;
  chain: string;
  sealed_secret: string;
  /** The event before the oldest one that is kept. */
  first_number: number | string;
  first_hash: string;
  /** The newest event that has joined. */
  last_number: number | string;
  last_hash: string;
  begun_at: string;
  /** 1 until the rows of older versions have joined. */
  takes_unmarked: number;
  mark: string;
};

/** How far the chain was handed to a receiver outside. */
type AuditReceiverTable = {
  name: string;
  number: number | string;
  /** The last event of a batch that was begun: it is repeated as it was. */
  batch_to: number | string | null;
  failing_since: string | null;
};

/** At most one row: this database is a copy from then, and nothing has started over it yet. */
type RestoredBackupTable = { id: number; taken_at: string };

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
  zone: string | null;
  read_at: string;
};
/** A log that is followed into a thread. */
type FollowTable = {
  id: string;
  team_id: string;
  channel_id: string;
  requester_id: string;
  /** What is followed, how far, and the lines of the message that grows. */
  sealed: string;
  /** The message that says what is followed; null until it is posted. */
  head_ts: string | null;
  /** The name of whoever wants it to end. */
  stopped_by: string | null;
  created_at: string;
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
  installed_by: string;
  installed_at: string;
};
/** See `watch/watch.ts`. Empty texts mean nothing, so that the key of a row has no nulls. */
type WatchTable = {
  id: string;
  team_id: string;
  owner_id: string;
  owner_name: string;
  source: string;
  account_owner: string;
  account_username: string;
  /** `service`, `job`, or empty for both. */
  kind: string;
  names: string;
  region: string;
  /** A channel, or the owner's id for their direct message. */
  place: string;
  events: string;
  after_ms: number;
  quiet: string | null;
  digest: string | null;
  is_digest: number;
  /** Of one of the file. */
  paused_why: Generated<string | null>;
  created_at: string;
};
/** `place`: a channel, or a person's id for their direct message. */
type MuteTable = { team_id: string; place: string; names: string; until: string; by_id: string; by_name: string };
/** A list of an account that is polled while somebody watches it. */
type ObservationTable = {
  team_id: string;
  account: string;
  region: string;
  kind: string;
  /** When the list was last read; null before that. */
  looked_at: string | null;
  every_ms: number | string;
  /** Rises with every change of its rows of `seen`. */
  version: number | string;
};
/** A workload as it was seen last: `Kept` as JSON, sealed. Written only when it changed. */
type SeenTable = { team_id: string; account: string; region: string; kind: string; name: string; state: string };
export type IncidentTable = {
  id: string;
  team_id: string;
  account: string;
  region: string;
  kind: string;
  name: string | null;
  cause: string;
  opened_at: string;
  over_at: string | null;
  ended_by: string | null;
  times: number;
  /** How it looks, and what was known around it: JSON, sealed. */
  state: string;
};
/** A notice for a place, on the card `alert_id` once it is placed: an incident, or an event with its words. */
export type NoticeTable = {
  team_id: string;
  place: string;
  id: string;
  incident_id: string | null;
  /** JSON, sealed. */
  event: string | null;
  ripe_at: string;
  due_at: string;
  was_muted: number;
  alert_id: string | null;
};
/** Incidents and events that share a message; each place has its own. */
export type AlertTable = {
  id: string;
  team_id: string;
  /** The group key: cause and a hash of what the incidents have in common. Notices with it join the alert. */
  sort: string;
  created_at: string;
  taken_by: string | null;
  taken_name: string | null;
  taken_at: string | null;
};
/** A message that Gantry keeps true: see `workflow/post/post.ts`. */
export type PostTable = {
  id: string;
  kind: PostKindName;
  /** What it shows, within its kind. */
  key: string;
  team_id: string;
  /** Sealed. */
  payload: string | null;
  /** A channel, or a person's id for their direct message. */
  place: string;
  instead_of: string | null;
  fallback: string | null;
  /** Null until it is posted. */
  channel: string | null;
  ts: string | null;
  posts: number;
  /** Keys of what its thread says, as JSON. */
  told: string;
  /** Ids of what it lists, as JSON. */
  listed: Generated<string>;
  rest_until: string | null;
  blocked_at: string | null;
  created_at: string;
};
/** When the last new message was posted to a place. */
type ToldPlaceTable = { team_id: string; place: string; message_at: string | null };
/** Work that some replica must do at a time: see `workflow/due.ts`. */
type DueTable = {
  kind: DueKindName;
  key: string;
  /** Empty for work that belongs to no workspace. */
  team_id: string;
  /** From when on a replica may take it: with a token, the end of the lease. */
  at: string;
  /** Its next time, scheduled during the lease. */
  again_at: string | null;
  /** Lease token. */
  token: string | null;
  /** Attempts since the last success. */
  attempts: number;
  /** Sealed. */
  payload: string | null;
  created_at: string;
};
type OrgWorkspaceTable = { team_id: string; enterprise_id: string };
type MigrationTable = { number: number; title: string; applied_at: string };

export type Tables = {
  delivery: DeliveryTable;
  due: DueTable;
  change: ChangeTable;
  vote: VoteTable;
  event: EventTable;
  account: AccountTable;
  binding: BindingTable;
  moved_channel: MovedChannelTable;
  follow: FollowTable;
  person_setting: PersonSettingTable;
  profile: ProfileTable;
  replica: ReplicaTable;
  call_count: CallCountTable;
  installation: InstallationTable;
  org_workspace: OrgWorkspaceTable;
  watch: WatchTable;
  mute: MuteTable;
  observation: ObservationTable;
  seen: SeenTable;
  incident: IncidentTable;
  notice: NoticeTable;
  alert: AlertTable;
  post: PostTable;
  told_place: ToldPlaceTable;
  audit_chain: AuditChainTable;
  audit_receiver: AuditReceiverTable;
  restored_backup: RestoredBackupTable;
  migration: MigrationTable;
};
