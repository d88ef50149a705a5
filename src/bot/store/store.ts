import type { AccountSeeker, LinkedAccount } from "../accounts/resolve.ts";
import type { Card, StoredChange } from "../changes/stored-change.ts";
import type { InstallationRows } from "../workflow/access/installation.ts";
import type { Inspection, LiveReplica } from "../health/facts.ts";
import type {
  AllWatches,
  AllWatching,
  BindingStore,
  ChannelMove,
  ChannelMover,
  Drawing,
  Inbox,
  LinkStore,
  ProfileRows,
  RecordRows,
  Store as Changes,
  SweepStore,
  ToldReplies,
  WatchingStore,
  WatchStore,
  FollowStore,
} from "../workflow/ports.ts";
import type { CallsOf, Implied } from "./accounts.ts";
import type { Due, DueStore } from "../workflow/due.ts";
import type { PostStore } from "../workflow/post/post.ts";
import type { Waiting } from "./pending.ts";
import type { AuditBatch } from "./audit/receivers.ts";

export type Postponed = {
  readonly ms: number;
  /** The card may have been posted, because Slack's answer was lost. Counts as a post. */
  readonly isPosted?: boolean;
  /** Number of the last row of history that was told anyway. */
  readonly toldSeq?: number | undefined;
};

export type Drawn = {
  readonly token: string;
  /** The version that Slack shows now. */
  readonly version: number;
  /** Undefined: it can't be posted anywhere, and nobody needs to try again. */
  readonly card: Card | undefined;
  /** False: Slack refuses this version for good, and the card stays as it was. */
  readonly isShown?: boolean;
  /** The number of the last row of history that was told; undefined: as before. */
  readonly toldSeq: number | undefined;
};

export type Drawings = {
  /** The right to draw, if there is something to draw and nobody else does; with a `teamId`, only in that workspace. */
  readonly beginDrawing: (id: string, teamId?: string) => Promise<Drawing | undefined>;
  /**
   * Extends the right to draw by the time one call to Slack may take. With a card, also stores where it was posted; with
   * `told`, which replies the thread has. `lost`: another replica draws now. `adopted`: another replica draws now, using
   * our card.
   */
  readonly holdDrawing: (
    id: string,
    token: string,
    done?: { readonly card?: Card | undefined; readonly told?: ToldReplies | undefined },
  ) => Promise<"held" | "adopted" | "lost">;
  /** Stores what Slack shows now. If the right was lost, the card is drawn again. True: draw again. */
  readonly markDrawn: (id: string, drawn: Drawn) => Promise<boolean>;
  /** Gives the right back; nobody tries before `ms` are over. */
  readonly postponeDrawing: (id: string, token: string, wait: Postponed) => Promise<void>;
};

/** The right to tell a requester what their card doesn't show. */
export type Telling = {
  readonly change: StoredChange;
  /** Proves that the right is still ours. */
  readonly token: string;
  /** The last news that they were told by another way than the card. */
  readonly told: string | undefined;
  /** When the right was taken, by the database's clock. */
  readonly at: Date;
  /** Nobody has tried to draw the card yet, or somebody just began. */
  readonly isCardComing: boolean;
};

export type ToldNews = {
  readonly token: string;
  /** The version that was told. */
  readonly version: number;
  /** Undefined: there was nothing to tell. */
  readonly news: string | undefined;
};

/**
 * What requesters are owed. Each step of a Change owes its requester the news, soon; drawing the card delivers it. What the
 * card doesn't show in time is told otherwise, once, by one replica.
 */
export type Tellings = {
  /** The right to tell, if anything is owed, or with `isOverdue` if the card is late, and nobody else does. */
  readonly beginTelling: (
    id: string,
    when: { readonly isOverdue: boolean; readonly teamId?: string | undefined },
  ) => Promise<Telling | undefined>;
  /** Extends the right by the time one message may take. The new token; undefined: somebody else tells now. */
  readonly holdTelling: (id: string, token: string) => Promise<string | undefined>;
  /** They know. What happened since that version stays owed. */
  readonly markTold: (id: string, told: ToldNews) => Promise<void>;
  /** Gives the right back; nobody tries before `ms` are over. */
  readonly postponeTelling: (id: string, token: string, ms: number) => Promise<void>;
};

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
  /** Gives up what this replica holds, so that others take it at once, and closes. */
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
  Drawings &
  Tellings &
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
