import type { AccountSeeker, LinkedAccount } from "../accounts/resolve.ts";
import type { InstallationRows } from "../workflow/access/installation.ts";
import type { Inspection, LiveReplica } from "../health/facts.ts";
import type {
  AllWatches,
  AllWatching,
  BindingStore,
  ChannelMove,
  ChannelMover,
  Inbox,
  LinkStore,
  ProfileRows,
  RecordRows,
  Store as Changes,
  SweepStore,
  WatchingStore,
  WatchStore,
  FollowStore,
} from "../workflow/ports.ts";
import type { CallsOf, Implied } from "./accounts.ts";
import type { Due, DueStore } from "../workflow/due.ts";
import type { PostStore } from "../workflow/post/post.ts";
import type { Waiting } from "./pending.ts";
import type { AuditBatch } from "./audit/receivers.ts";

export type AccountRows = LinkStore & {
  /** The accounts, the binding and the default region that apply to a request made there. */
  readonly impliedFor: (seeker: AccountSeeker) => Promise<Implied>;
  /** Stores the same token sealed with another key; nothing when the row has changed meanwhile. */
  readonly resealAccount: (account: LinkedAccount, sealedToken: string) => Promise<void>;
  /** A person's own default region; undefined removes it. */
  readonly setRegion: (teamId: string, userId: string, region: string | undefined) => Promise<void>;
};

/** The calls of a workspace's account on a day: a UTC date, 2026-11-21. */

export type MovedChannelRows = {
  /** Channels of all workspaces that have another id by now. */
  readonly movedChannels: () => Promise<readonly Omit<ChannelMove, "token">[]>;
};

export type AllProfiles = {
  /** Somebody changed in one workspace: the others ask Slack again. */
  readonly forgetElsewhere: (teamId: string, userId: string) => Promise<void>;
};

export type CallCounts = {
  /** Adds calls that this replica made. */
  readonly countCalls: (of: Omit<CallsOf, "username">, counts: ReadonlyMap<string, number>) => Promise<void>;
  readonly callsOn: (of: CallsOf) => Promise<number>;
};

export type { AuditBatch };

export type AuditRows = {
  /** Lets new rows of history join the chain, in batches, one replica at a time. Returns how many joined. */
  readonly sealHistory: () => Promise<number>;
  /** Makes receivers known, and begins with what waits for them. A receiver that is new gets what happens from now on. */
  readonly addReceivers: (names: readonly string[]) => Promise<void>;
  /** The next events for a receiver, at most so many; undefined when it has all. */
  readonly auditBatch: (name: string, atMost: number) => Promise<AuditBatch | undefined>;
  /** False: the lease was lost, and the batch is sent again. */
  readonly auditDelivered: (due: Due, last: number) => Promise<boolean>;
  readonly auditFailed: (name: string) => Promise<void>;
};

export type Replica = {
  /** The database, the live replicas, and samples of what is sealed, for the checks of `health/`. */
  readonly inspect: () => Promise<Inspection>;
  /** What waits in all workspaces, and for how long, in one statement. For metrics. */
  readonly waiting: () => Promise<Waiting>;
  /** All that live, without this one. */
  readonly otherReplicas: () => Promise<readonly LiveReplica[]>;
  readonly isOpen: () => boolean;
  /** Whether the database answers now, and takes changes. */
  readonly isReachable: () => Promise<boolean>;
  /** Says that this replica is gone, and closes. */
  readonly close: () => Promise<void>;
};

/**
 * Everything the bot keeps, for any number of replicas. Every time is the database's. A state changes by one conditional
 * UPDATE, together with its row of history, in one transaction: one replica wins, the others see that nothing moved.
 * Throws a `StoreError` when the database can't be reached or doesn't answer in time.
 */
export type Store = Changes &
  DueStore &
  Inbox &
  SweepStore &
  RecordRows &
  AccountRows &
  BindingStore &
  ChannelMover &
  MovedChannelRows &
  CallCounts &
  ProfileRows &
  AllProfiles &
  WatchStore &
  FollowStore &
  AllWatches &
  WatchingStore &
  PostStore &
  AllWatching &
  InstallationRows &
  AuditRows &
  Replica;
