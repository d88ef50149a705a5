import type { Generated } from "kysely";
import { z } from "zod";
import { causeWords } from "../../../api/cause.ts";
import { WorkloadKind, WriteOperation } from "../../changes/change.ts";
import { historyEventKinds } from "../../changes/history-event.ts";
import { changeStates, Ending, Health } from "../../changes/stored-change.ts";
import { risks } from "../../changes/updatable-fields.ts";
import { optional } from "../../optional.ts";
import { incidentCauses, incidentEnds, LastChange, Seen } from "../../watch/incident.ts";
import { DigestTime, QuietHours, WatchedEvents } from "../../watch/watch.ts";
import type { DueKindName } from "../../workflow/due-kinds.ts";
import type { PostKindName } from "../../workflow/posts.ts";
import { Big, Flag, fromJson, LinesJson, OwnerJson, TermsJson, Time } from "./columns.ts";

// Times are ISO 8601 in UTC, so that they sort as text; flags are 0 and 1; JSON is text.

/** What Slack delivered, to recognise it when it comes again. */
type DeliveryTable = { id: string; received_at: string };

/** The columns of a schema as the database has them. */
type Stored<Schema extends z.ZodType> = {
  [Column in keyof z.input<Schema>]-?: Plain<z.input<Schema>[Column]>;
};
type Plain<Value> = Value extends undefined | bigint ? never : Value extends number ? number : Value;

export const ChangeRow = z.object({
  id: z.string(),
  delivery_id: z.string(),
  state: z.enum(changeStates),
  version: z.number().int(),
  team_id: z.string(),
  requester_id: z.string(),
  requester_name: z.string(),
  channel_id: z.string(),
  verb: z.string(),
  reason: optional(z.string()),
  op: WriteOperation,
  workload_kind: WorkloadKind,
  workload_region: z.string(),
  workload_name: z.string(),
  workload_uid: optional(z.string()),
  risk: z.enum(risks),
  diff: fromJson(LinesJson),
  digest: z.string(),
  sealed: z.string(),
  account_owner: fromJson(OwnerJson),
  account_username: z.string(),
  rule: z.string(),
  terms: optional(fromJson(TermsJson)),
  break_glass: Flag,
  undo_of: optional(z.string()),
  /** Why it needs approval again. */
  notice: optional(z.string()),
  is_undone: Flag,
  created_at: Time,
  expires_at: optional(Time),
  approved_at: optional(Time),
  claimed_at: optional(Time),
  settled_at: optional(Time),
  ending: optional(fromJson(Ending)),
  health: optional(fromJson(Health)),
  /** Result of the latest poll, while polling goes on. */
  progress: optional(fromJson(Health)),
  /** They asked for a message about its end, even if its card shows it. */
  notifies: Flag,
});

export type ChangeTable = Omit<Stored<typeof ChangeRow>, "notifies"> & {
  notifies: Generated<number>;
  /** Same as `undo_of`; unique among pending and executed Undos. Null in duplicates from before this column existed. */
  undo_key: string | null;
  /** Equal for duplicate requests; unique among pending ones. Null when it must not block duplicates. */
  wait_key: string | null;
  /** team/region/kind/name from the claim until it is settled; unique, so that a workload has one Run at a time. */
  running_key: string | null;
  /** The number of its parts; 0 for a request about one workload. */
  part_count: Generated<number>;
  /** The id of the request that it is a part of. */
  part_of: string | null;
};

export const VoteRow = z.object({ change_id: z.string(), user_id: z.string(), user_name: z.string(), voted_at: Time });

type VoteTable = Stored<typeof VoteRow> & { number: number };

export const EventRow = z.object({
  seq: Big,
  at: Time,
  kind: z.enum(historyEventKinds),
  team_id: z.string(),
  change_id: optional(z.string()),
  user_id: optional(z.string()),
  user_name: optional(z.string()),
  channel_id: optional(z.string()),
  verb: optional(z.string()),
  workload_kind: optional(z.string()),
  workload_region: optional(z.string()),
  workload_name: optional(z.string()),
  account: optional(z.string()),
  rule: optional(z.string()),
  break_glass: Flag,
  result: z.string(),
  elapsed_ms: optional(Big),
  reference: optional(z.string()),
});

type EventTable = Omit<Stored<typeof EventRow>, "seq"> & {
  seq: Generated<number | string>;
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

/** The chain that all rows of `event` join. */
export const HeadRow = z.object({
  chain: z.string(),
  sealed_secret: z.string(),
  /** The event before the oldest one that is kept. */
  first_number: Big,
  first_hash: z.string(),
  /** The newest event that has joined. */
  last_number: Big,
  last_hash: z.string(),
  begun_at: z.string(),
  /** True until the rows of older versions have joined. */
  takes_unmarked: Flag,
  mark: z.string(),
});
/** One row. */
type AuditChainTable = Stored<typeof HeadRow> & { id: number };

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

export const AccountRow = z.object({
  team_id: z.string(),
  owner_kind: z.enum(["channel", "user", "workspace"]),
  owner_id: z.string(),
  username: z.string(),
  sealed_token: z.string(),
  linked_by: z.string(),
  linked_at: Time,
});

export const BindingRow = z.object({
  region: optional(z.string()),
  account: optional(z.string()),
  names: optional(z.string()),
  is_locked: Flag,
  bound_by: z.string(),
  bound_by_name: z.string(),
  bound_at: Time,
});
type BindingTable = Stored<typeof BindingRow> & { team_id: string; channel_id: string };

/** A channel's old id, and the one it has now. */
type MovedChannelTable = { team_id: string; old_id: string; new_id: string };
/** Who somebody is in a workspace, as Slack said at `read_at`. */
export const ProfileRow = z.object({
  user_id: z.string(),
  name: z.string(),
  standing: z.enum(["member", "guest", "outsider", "bot", "deactivated"]),
  is_admin: Flag,
  zone: optional(z.string()),
  read_at: Time,
});
type ProfileTable = Stored<typeof ProfileRow> & { team_id: string };

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

export const InstallationRow = z.object({
  /** Of a workspace, or of an organization that has the app in all its workspaces. */
  id: z.string(),
  is_org: Flag,
  enterprise_id: optional(z.string()),
  name: z.string(),
  app_id: z.string(),
  bot_user_id: z.string(),
  /** Separated by commas. */
  scopes: z.string(),
  sealed_tokens: z.string(),
  /** When the bot token expires; null for one that doesn't. */
  expires_at: optional(Time),
  /** Rises with every new token. */
  version: z.number().int(),
  installed_by: z.string(),
  installed_at: Time,
});

/** See `watch/watch.ts`. Empty texts mean nothing, so that the key of a row has no nulls. */
export const WatchRow = z.object({
  id: z.string(),
  team_id: z.string(),
  owner_id: z.string(),
  owner_name: z.string(),
  source: z.enum(["person", "file"]),
  account_owner: fromJson(OwnerJson),
  account_username: z.string(),
  /** Empty for both. */
  kind: z.enum(["service", "job", ""]).transform((kind) => (kind === "" ? undefined : kind)),
  names: z.string(),
  region: z.string(),
  /** A channel, or the owner's id for their direct message. */
  place: z.string(),
  events: fromJson(WatchedEvents),
  after_ms: Big,
  quiet: optional(fromJson(QuietHours)),
  digest: optional(fromJson(DigestTime)),
  /** Of one of the file. */
  paused_why: optional(z.string()),
  created_at: Time,
});
type WatchTable = Omit<Stored<typeof WatchRow>, "paused_why"> & {
  paused_why: Generated<string | null>;
  is_digest: number;
};

/** `place`: a channel, or a person's id for their direct message. */
export const MuteRow = z.object({
  team_id: z.string(),
  place: z.string(),
  names: z.string(),
  until: Time,
  by_id: z.string(),
  by_name: z.string(),
});

/** A list of an account that is polled while somebody watches it. */
export const ObservationRow = z.object({
  account: z.string(),
  region: z.string(),
  kind: WorkloadKind,
  /** When the list was last read; null before that. */
  looked_at: optional(Time),
  every_ms: Big,
  /** Rises with every change of its rows of `seen`. */
  version: Big,
});
type ObservationTable = Stored<typeof ObservationRow> & { team_id: string };

/** A workload as it was seen last: `Kept` as JSON, sealed. Written only when it changed. */
type SeenTable = { team_id: string; account: string; region: string; kind: string; name: string; state: string };

export const SeenJson = Seen.transform(withFacts);

/** Older versions had no words but the facts. */
function withFacts(seen: Seen): Seen {
  const { cause, words, facts } = seen;
  if (cause === undefined || facts !== undefined || !/\d restarts?\b/u.test(words)) return seen;
  return { ...seen, words: causeWords[cause].one, facts: words };
}

/** What of an incident isn't a column. */
export const IncidentJson = z.object({
  shared: optional(z.string()),
  seen: optional(SeenJson),
  unseenSince: optional(Time),
  overUnseenSince: optional(Time),
  restartsBefore: optional(z.number()),
  changedBefore: optional(LastChange),
});

export const IncidentRow = z.object({
  id: z.string(),
  team_id: z.string(),
  account: z.string(),
  region: z.string(),
  kind: WorkloadKind,
  name: optional(z.string()),
  cause: z.enum(incidentCauses),
  opened_at: Time,
  over_at: optional(Time),
  ended_by: optional(z.enum(incidentEnds)),
  times: z.number(),
  /** How it looks, and what was known around it: JSON, sealed. */
  state: fromJson(IncidentJson),
});

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
  /** When it was taken, handed over or released last. */
  taken_at: string | null;
  /** Who was on it before. */
  taken_from: string | null;
  taken_from_name: string | null;
  is_handed: number;
  /** The `taken_at` that these three are about: versions without them change only that. */
  passed_at: string | null;
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
  account: Stored<typeof AccountRow>;
  binding: BindingTable;
  moved_channel: MovedChannelTable;
  follow: FollowTable;
  person_setting: PersonSettingTable;
  profile: ProfileTable;
  replica: ReplicaTable;
  call_count: CallCountTable;
  installation: Stored<typeof InstallationRow>;
  org_workspace: OrgWorkspaceTable;
  watch: WatchTable;
  mute: Stored<typeof MuteRow>;
  observation: ObservationTable;
  seen: SeenTable;
  incident: Stored<typeof IncidentRow>;
  notice: NoticeTable;
  alert: AlertTable;
  post: PostTable;
  told_place: ToldPlaceTable;
  audit_chain: AuditChainTable;
  audit_receiver: AuditReceiverTable;
  restored_backup: RestoredBackupTable;
  migration: MigrationTable;
};
