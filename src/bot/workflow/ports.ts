import type { Logger } from "pino";
import type { Clock } from "../../platform/clock.ts";
import type { Api } from "../../api/client.ts";
import type { Sealer } from "../accounts/seal.ts";
import type { Settings } from "../commands/command.ts";
import type { Directory } from "../commands/lookup/directory.ts";
import type { ReplicaReport } from "../health/facts.ts";
import type { Finding } from "../health/finding.ts";
import type { LogPool } from "../logs/threads/log-pool.ts";
import type { Policy, Standing } from "../policy/policy.ts";
import type { EnvValues } from "./access/env-values.ts";
import type { Dropped } from "./inbox/dropped.ts";
import type { Lanes } from "./inbox/lanes.ts";
import type {
  FoundAccounts,
  AccountOwner,
  AccountRef,
  AccountSeeker,
  LinkedAccount,
  OpenAccount,
} from "../accounts/resolve.ts";
import type { ChangedSince } from "../changes/health.ts";
import type { Announcement, HistoryEvent, HistoryQuery, NewHistoryEvent } from "../changes/history-event.ts";
import type { StoredChange, Who } from "../changes/stored-change.ts";
import type { Binding, BindingTerms } from "../policy/binding.ts";
import type { Message, Post } from "../views/kit/post.ts";
import type { Alert, NoticedEvent } from "../watch/alert.ts";
import type { Incident, Kept } from "../watch/incident.ts";
import type { Mute, Watch } from "../watch/watch.ts";
import type { Due, DueLoop, DueStore, NextTime } from "./due.ts";
import type { NewPost, PostStore, Sender, TakenCard, TakenPost } from "./post/post.ts";
import type { Step } from "./lifecycle.ts";
import type { Answering, SentForm } from "./inbox/interaction.ts";
import type { Origin } from "./origin.ts";

// What the workflow needs from outside. `slack/` implements People, Responder and Sender, `access/accounts.ts` Accounts, and
// `store/` everything that is kept.

/** What the workflow is given to work for one workspace. What carries a request on takes all of it, a leaf what it uses. */
export type WorkflowParts = {
  readonly accounts: Accounts;
  readonly api: Pick<Api, "as" | "engine" | "changes">;
  readonly calls: CallCounts;
  /** The check-up of the workspace. Never rejects. */
  readonly checkup: () => Promise<readonly Finding[]>;
  readonly clock: WorkflowClock;
  readonly directory: Directory;
  readonly dropped: Dropped;
  readonly envValues: EnvValues;
  readonly lanes: Lanes;
  readonly log: Logger;
  readonly logs: Pick<LogPool, "excerpt" | "redact">;
  /** The reference of an error, which its message and the log name. */
  readonly newReference: () => string;
  readonly people: People;
  readonly policy: () => Policy;
  readonly responder: Responder;
  readonly sealer: Sealer;
  readonly sender: Sender;
  readonly settings: Settings;
  /** Starts due work soon, after some was scheduled. */
  readonly wake: () => void;
  /** Does leased work in its lane. */
  readonly start: DueLoop["start"];
  /**
   * Delivers a message that was just scheduled; the card of a request has its id. False: Slack doesn't take it now, or another replica
   * has it, and it is delivered later. Never rejects because of Slack or the database.
   */
  readonly deliver: (post: Pick<Announcement, "id">, teamId: string, taken?: TakenCard) => Promise<boolean>;
  readonly store: Store &
    Pick<DueStore, "holdDue"> &
    Inbox &
    RecordRows &
    LinkStore &
    BindingStore &
    ChannelMover &
    WatchStore &
    AllWatches &
    WatchingStore &
    PostStore &
    FollowStore;
};

/**
 * The most that an answer about people may be old, in milliseconds: where it decides, who is in a group or channel
 * elsewhere, and who somebody is elsewhere. Slack tells of changed profiles.
 */
export const freshness = { deciding: 10_000, reading: 60_000, profile: 24 * 60 * 60_000 } as const;

export type Profile = {
  readonly userId: string;
  readonly name: string;
  readonly standing: Standing;
  /** An admin or owner of the bot's workspace; nobody of another organization is one. */
  readonly isAdmin: boolean;
  /** Their IANA time zone; undefined when Slack doesn't say. */
  readonly zone?: string | undefined;
};

export type People = {
  /**
   * Throws a `UserError` when Slack can't say: people who can't be checked may do nothing. `called` names the person in
   * that sentence when somebody else reads it.
   */
  readonly profile: (userId: string, maxAgeMs: number, called?: string) => Promise<Profile>;
  /**
   * The profiles of some of these people by id, for reading: all that are known without asking Slack, and a bounded
   * number of others until there are enough. Those that Slack doesn't tell are left out.
   */
  readonly someProfiles: (
    userIds: readonly string[],
    isEnough: (profiles: readonly Profile[]) => boolean,
  ) => Promise<ReadonlyMap<string, Profile>>;
  /** Slack tells of a user object that changed, or of somebody who joined; `isLate`: a while ago. */
  readonly profileChanged: (user: unknown, how: { readonly isLate: boolean; readonly isNew: boolean }) => Promise<void>;
  /** Ids of a user group's members; none for a group that was deleted. Throws a `UserError` when Slack can't say. */
  readonly groupMembers: (groupId: string, maxAgeMs: number) => Promise<ReadonlySet<string>>;
  /** Handles of the workspace's user groups by id, "oncall". Rejects when Slack can't say. */
  readonly groupHandles: () => Promise<ReadonlyMap<string, string>>;
  /** Ids of a conversation's members, the bot included; undefined where the bot isn't one. Throws a `UserError`. */
  readonly channelMembers: (channelId: string, maxAgeMs: number) => Promise<ReadonlySet<string> | undefined>;
  /** The bot's own user, name and workspace, as far as Slack has confirmed them. */
  readonly bot: () => {
    readonly userId: string | undefined;
    readonly name: string;
    readonly teamId: string | undefined;
  };
  /** The clock that ages are counted by. */
  readonly nowMs: () => number;
};

/** A profile that the database keeps, and how long ago Slack said so, in milliseconds. */
export type StoredProfile = Profile & { readonly ageMs: number };

/** Profiles for all replicas, those of one workspace at a time. */
export type ProfileRows = {
  /** Of those people who are known. */
  readonly profilesOf: (teamId: string, userIds: readonly string[]) => Promise<readonly StoredProfile[]>;
  /** Stores what is newer than the rows that are there. */
  readonly saveProfiles: (teamId: string, profiles: readonly StoredProfile[]) => Promise<void>;
  readonly forgetProfile: (teamId: string, userId: string) => Promise<void>;
};

export type Responder = {
  /**
   * Answers a read where it came from; `isShared`: for everybody in the channel. Waits some seconds for the connection to
   * Slack. Never rejects.
   */
  readonly answer: (message: Message, origin: Origin, options: { readonly isShared: boolean }) => Promise<void>;
  /** Shows a message to one person. False: Slack took it by no route. Never rejects. */
  readonly tell: (message: Post, origin: Origin) => Promise<boolean>;
  /** The same for words that aren't stored, so nobody sends them later. Like `answer`, it waits for the connection. */
  readonly tellPatiently: (message: Post, origin: Origin) => Promise<void>;
  /**
   * Shows that their request is being worked on. Resolves to what removes it again; Slack lets nobody remove or replace
   * what answered a slash command, so there it stays. Never rejects.
   */
  readonly working: (origin: Origin) => Promise<() => Promise<void>>;
  /** Replaces an open form. False: it was closed, or Slack refused the view. Never rejects. */
  readonly showInForm: (viewId: string, view: object) => Promise<boolean>;
  /** Answers in the form that was submitted; beside it, if it was closed meanwhile. */
  readonly formReply: (form: SentForm, origin: Origin) => Answering;
  /** Redraws a person's Home, later. */
  readonly refreshHome: (origin: Origin) => void;
};

/** The account a person acts with, and what their channel implies. */
export type ResolvedAccount = {
  readonly account: OpenAccount;
  /** False: a command that this person types here uses another one. */
  readonly isUsual: boolean;
  readonly binding: Binding | undefined;
  /** The person's own default region. */
  readonly region: string | undefined;
};

export type CallCounts = {
  /** Notes that this account is in use, so its calls are written down. */
  readonly uses: (username: string) => void;
  /** Of all replicas in this UTC day; of this process alone while the database is away. */
  readonly today: (username: string) => Promise<{ readonly count: number; readonly since: Date }>;
  /** Writes down the calls counted since the last flush. */
  readonly flush: () => Promise<void>;
};

export type Accounts = {
  /** Throws a `UserError` when no account applies here, or when that can't be checked. */
  readonly resolve: (seeker: AccountSeeker, effect: "read" | "write") => Promise<ResolvedAccount>;
  /** The account of a stored Change. Throws a `UserError`, or a `StoreError`: cached answers don't count. */
  readonly reopen: (ref: AccountRef, seeker: AccountSeeker) => Promise<OpenAccount>;
  /** Drops cached answers after somebody linked, bound or set something. */
  readonly forget: () => void;
  /** The workspace's account is in Gantry's settings, so nobody connects one. */
  readonly isConfigured: boolean;
};

/** The platform's, with two pauses that a story may shorten without moving the time of day. */
export type WorkflowClock = Clock & {
  /** Before a waiting person is shown that something happens. */
  readonly patience: Clock["after"];
  /** Between a write and its read-back, and before the first look at its workload. */
  readonly wait: (ms: number) => Promise<void>;
};

/** A Change as it is requested; the database adds times and versions. */
export type NewChange = Omit<
  StoredChange,
  | "version"
  | "state"
  | "votes"
  | "createdAt"
  | "expiresAt"
  | "approvedAt"
  | "claimedAt"
  | "settledAt"
  | "ending"
  | "health"
  | "progress"
  | "isUndone"
  | "notice"
  | "card"
  | "parts"
> & {
  /** `approved` for what needs no approval. */
  readonly state: "pending" | "approved";
  /** From now on, of a pending one. */
  readonly expiresInMs: number | undefined;
  /** Equal for duplicate requests: only one of them can be pending. */
  readonly waitKey?: string | undefined;
  /** Of a request for several workloads; the database gives them their ids. */
  readonly parts?: readonly NewChange[];
  /**
   * Nothing is added while another request of this person for the same operation and workload has no card, was requested
   * within this time, and they weren't told how it ended.
   */
  readonly unlessUnansweredMs?: number | undefined;
  /** Adding it also finishes its delivery: the Change is all that has to be carried on. */
  readonly endsDelivery?: boolean;
};

/** Whose jobs, and where. */
export type CompletedIn = { readonly teamId: string; readonly account: string; readonly region: string };

/** `isDrawn`: Slack shows the card as it is. */
export type CreatedJob = { readonly change: StoredChange; readonly isDrawn: boolean };

export type ChangeKey =
  | { readonly id: string }
  | { readonly deliveryId: string }
  /** The pending, unexpired request with the same effect. */
  | { readonly waitKey: string }
  /** The pending or executed Undo of this Change. */
  | { readonly undoOf: string };

export type Advanced =
  /** `due`: it was approved, and is leased to this replica, which carries it on. */
  | {
      readonly kind: "moved";
      readonly change: StoredChange;
      readonly card?: TakenPost | undefined;
      readonly due?: Due | undefined;
    }
  /** It isn't in a state that the step leads from, isn't ours, or our lease is too short. Nothing moved. */
  | { readonly kind: "late"; readonly change: StoredChange | undefined }
  /** This person had approved already. Nothing moved. */
  | { readonly kind: "twice"; readonly change: StoredChange }
  /** `claim`: another Run of the same workload is in progress. `askAgain`: the same request already waits. Nothing moved. */
  | { readonly kind: "busy"; readonly earlier: StoredChange | undefined };

/** `due`: a new one that is approved is leased to this replica, which carries it on. */
export type Inserted = { readonly change: StoredChange; readonly due: Due | undefined };

export type Unanswered = { readonly unanswered: StoredChange };

/** The id of a Change that is only looked for in one workspace. */
export type IdIn = { readonly id: string; readonly teamId: string };

/**
 * Stored Changes. Every time is the database's. Throws a `StoreError` when the database doesn't answer. With a `teamId`,
 * a function finds and moves nothing of another workspace.
 */
export type Store = {
  /** How long after the start of a `claim` its request may leave, in milliseconds: then the lease may be over. */
  readonly sendWithinMs: number;
  /**
   * Adds a Change with its row of history; an Undo also marks the Change it takes back. When the delivery already has a
   * Change, the Change already has an Undo, or the same request already waits, returns that one and adds nothing. `taken`: another
   * Change has this id; nothing was added. `unanswered`: nothing was added either, because `unlessUnansweredMs` found a request.
   */
  readonly insertChange: (change: NewChange, event: NewHistoryEvent) => Promise<Inserted | "taken" | Unanswered>;
  readonly find: (key: ChangeKey, teamId?: string) => Promise<StoredChange | undefined>;
  /** One step of the lifecycle, in one transaction with its row of history. */
  readonly advance: (id: string | IdIn, step: Step, event: NewHistoryEvent | undefined) => Promise<Advanced>;
  /** How requests after this one changed the way its workload runs. Without deletions: those show when it is read. */
  readonly changedSince: (change: StoredChange) => Promise<ChangedSince | undefined>;
  /** The id of the request whose run this one waits for; undefined when none is in its way. */
  readonly waitsFor: (change: StoredChange) => Promise<string | undefined>;
  /** The Change with what happened up to this version of it, oldest first, if its thread tells that. */
  readonly changeToDraw: (
    id: IdIn,
    hasThread: (change: StoredChange) => boolean,
  ) => Promise<{ readonly change: StoredChange; readonly events: readonly HistoryEvent[] } | undefined>;
  /** Gives a Change a card that has none yet, and schedules it. False: it had one. */
  readonly showChange: (id: IdIn) => Promise<boolean>;
  /** A row of history that belongs to no step: a refusal, a linked account. */
  readonly note: (event: NewHistoryEvent) => Promise<void>;
};

/** Lists of what was requested and what happened. */
export type RecordRows = {
  /** Changes that wait for approvals, oldest first. */
  readonly pendingChanges: (teamId: string) => Promise<readonly StoredChange[]>;
  /** Newest first. */
  readonly history: (query: HistoryQuery) => Promise<readonly HistoryEvent[]>;
};

export type BindingReader = {
  /** Undefined for a channel that is not bound. */
  readonly bindingOf: (teamId: string, channelId: string) => Promise<Binding | undefined>;
};

/** An interaction that must not be lost: its content is sealed in the database. */
export type NewDelivery = {
  readonly id: string;
  readonly teamId: string;
  readonly payload: string;
  /** Of the lease that it is stored with. */
  readonly token: string;
};

export type Inbox = {
  /** Commits a delivery as ours. Undefined: it was delivered before, and some replica has it. */
  readonly accept: (delivery: NewDelivery) => Promise<Due | undefined>;
  /** Deletes the content, keeps the id for a while. False: the lease was lost. */
  readonly finishDelivery: (due: Due) => Promise<boolean>;
  /** Stores an id alone, in one statement: for a refused delivery, or a read. False: the id was known already. */
  readonly remember: (deliveryId: string) => Promise<boolean>;
  /** Whether it was accepted or remembered before. */
  readonly isKnown: (deliveryId: string) => Promise<boolean>;
  /** Keeps it from being begun, whether or not it was stored. One that another replica stored or took stays with that. */
  readonly drop: (delivery: Pick<NewDelivery, "id" | "token">) => Promise<void>;
};

/** What any replica does for all workspaces, every few seconds. */
export type SweepStore = {
  /** Says that this replica is alive, and what it reports about itself. */
  readonly beat: (report?: ReplicaReport) => Promise<void>;
  /** Schedules `prune`, once for all replicas. */
  readonly planPruning: () => Promise<void>;
  /** Removes what is too old to be of use. Resolves to its next time. */
  readonly prune: () => Promise<NextTime>;
} & AllWatching;

export type LinkStore = {
  /** The person's own account, the channel's and the workspace's. */
  readonly accountsFor: (seeker: AccountSeeker) => Promise<FoundAccounts>;
  readonly saveAccount: (account: Omit<LinkedAccount, "linkedAt">, event: NewHistoryEvent) => Promise<void>;
  readonly removeAccount: (teamId: string, owner: AccountOwner, event: NewHistoryEvent) => Promise<boolean>;
};

export type ChannelId = { readonly teamId: string; readonly channelId: string };
export type NewBinding = BindingTerms & Pick<Binding, "boundBy">;

export type ChannelMove = {
  readonly teamId: string;
  readonly from: string;
  readonly to: string;
  /** The sealed token of the channel's account as it was read, and as it is sealed for the new id. */
  readonly token: { readonly was: string; readonly now: string } | undefined;
};

export type ChannelMover = {
  /** Everything that names the channel names its new id. False: its account was replaced meanwhile; nothing was moved. */
  readonly moveChannel: (move: ChannelMove) => Promise<boolean>;
};

export type BindingStore = BindingReader & {
  /** Binds a channel, replacing its binding. False: it is bound to just that already, and nothing is written. */
  readonly bind: (channel: ChannelId, binding: NewBinding, event: NewHistoryEvent) => Promise<boolean>;
  /** False: it was not bound, and nothing is written. */
  readonly unbind: (channel: ChannelId, event: NewHistoryEvent) => Promise<boolean>;
};

/** A watch as it is added; its id is new, and the database adds the time. */
export type NewWatch = Omit<Watch, "createdAt" | "pausedWhy">;

/** The most watches that a person may have, and that may tell in one place. Those of the file don't count. */
export type WatchLimits = { readonly perOwner: number; readonly perPlace: number };

export type AddedWatch =
  | { readonly kind: "added"; readonly id: string }
  /** This person watched the same workloads in the same place before; what they are told has changed. */
  | { readonly kind: "changed"; readonly id: string }
  /** It was just that already; nothing is written. */
  | { readonly kind: "same" }
  | { readonly kind: "full"; readonly by: "owner" | "place" };

/** Those of a person, and with a channel as the place, those of everybody that tell there. */
export type WatchesIn = {
  readonly teamId: string;
  readonly ownerId: string;
  readonly place?: string | undefined;
};

/** When a list was last read for watches, with which account. */
export type LastLook = {
  readonly account: string;
  readonly region: string;
  readonly kind: "service" | "job";
  readonly at: Date;
};

/** A mute in a direct message names the person whom it is with. */
export type MutePlace = Mute["place"];
export type NewMute = Omit<Mute, "until"> & { readonly forMs: number };

export type WatchStore = {
  /** With its row of history, unless nothing changed. */
  readonly addWatch: (watch: NewWatch, limits: WatchLimits, event: NewHistoryEvent) => Promise<AddedWatch>;
  /** Undefined: it is over already, or the file's, and nothing is written. */
  readonly removeWatch: (id: IdIn, event: NewHistoryEvent) => Promise<Watch | undefined>;
  readonly findWatch: (id: IdIn) => Promise<Watch | undefined>;
  /** Ends it, or pauses a watch of the file until `resumeWatch`. Both schedule a message for its place. False: nothing is written. */
  readonly loseWatch: (id: IdIn, loss: { readonly why: string; readonly event: NewHistoryEvent }) => Promise<boolean>;
  readonly resumeWatch: (id: IdIn, event: NewHistoryEvent) => Promise<boolean>;
  /** Makes these the only watches of the file. Those that are there already stay as they are. */
  readonly setFileWatches: (teamId: string, watches: readonly NewWatch[]) => Promise<void>;
  /** Oldest first. */
  readonly watchesOf: (where: WatchesIn) => Promise<readonly Watch[]>;
  /** Newest first, at most a hundred. */
  readonly completedJobs: (where: CompletedIn) => Promise<readonly StoredChange[]>;
  /** Of the last two days, by their name; newest first. */
  readonly createdJobs: (where: CompletedIn & { readonly name: string }) => Promise<readonly CreatedJob[]>;
  /** The next look at a workload that is followed is due at once. */
  readonly lookNow: (id: IdIn) => Promise<void>;
  readonly lastLooks: (teamId: string) => Promise<readonly LastLook[]>;
  /** Replaces an earlier mute of the same names in the same place. False: it was muted just so, and nothing is written. */
  readonly mute: (mute: NewMute, event: NewHistoryEvent) => Promise<boolean>;
  /** False: it wasn't muted, and nothing is written. */
  readonly unmute: (mute: Pick<NewMute, "teamId" | "place" | "names">, event: NewHistoryEvent) => Promise<boolean>;
  /** Those that aren't over, in all places of the workspace. */
  readonly mutesOf: (teamId: string) => Promise<readonly Mute[]>;
};

export type AllWatches = {
  /** Of one workspace, or of all. */
  readonly allWatches: (teamId?: string) => Promise<readonly Watch[]>;
};

/** A list that is read again and again: the workloads of one kind that an account has in a region. */
export type ListKey = {
  readonly teamId: string;
  /** A username. */
  readonly account: string;
  readonly region: string;
  readonly kind: "service" | "job";
};

/** A look at a list, leased by this replica. */
export type Round = ListKey & {
  readonly due: Due;
  readonly at: Date;
  /** When somebody looked last; undefined before the first look. */
  readonly lookedAt: Date | undefined;
  /** The planned time between the last two looks, in milliseconds. */
  readonly everyMs: number;
  readonly failures: number;
  /** Lists that are watched with this account. */
  readonly lists: number;
  /** Of what is kept of its workloads: what was read of this version is still so. */
  readonly version: number;
};

/** Something that a place is to be told from `dueAt` on. */
export type NewNotice = {
  /** A channel, or a person's id for their direct message. */
  readonly place: string;
  /** Of the incident, or a new one for an event. */
  readonly id: string;
  readonly event: NoticedEvent | undefined;
  /** When it counts, quiet hours and mutes apart. */
  readonly ripeAt: Date;
  readonly dueAt: Date;
  /** It isn't told twice: one that is known keeps its times. */
  readonly isOld: boolean;
};

export type RoundResult = {
  /** False: the list couldn't be read. */
  readonly hasLooked: boolean;
  readonly everyMs: number;
  readonly changed: readonly Kept[];
  readonly gone: readonly string[];
  readonly incidents: readonly Incident[];
  readonly notices: readonly NewNotice[];
};

/** What a place has to be told now. */
export type Notice = {
  readonly id: string;
  readonly subject: Incident | NoticedEvent;
  readonly ripeAt: Date;
  readonly wasMuted: boolean;
};

export type PlaceId = { readonly teamId: string; readonly place: string };

/** What is to be done with notices of a place. */
export type Placing = PlaceId & {
  /** Who is told while the place takes no message. */
  readonly ownerId: string | undefined;
  readonly tell: readonly {
    readonly id: string;
    /** Notices of the same sort within a minute are told in one alert. */
    readonly sort: string;
    /** It joins an alert of its sort however old that is. */
    readonly joinsAny: boolean;
  }[];
  readonly wait: readonly { readonly id: string; readonly until: Date; readonly isMuted: boolean }[];
  readonly drop: readonly string[];
};

export type WatchingStore = {
  /** Undefined when nobody watches the list any more. */
  readonly roundOf: (due: Due) => Promise<Round | undefined>;
  /** Makes a round of this list due now. */
  readonly hint: (list: ListKey) => Promise<void>;
  /** Watches of a list with this account, digests and paused ones apart. */
  readonly watchesOn: (list: ListKey, jobsRegion: string) => Promise<readonly Watch[]>;
  /** What is kept of the workloads of a list, by name; undefined before the first look. */
  readonly keptOf: (list: ListKey) => Promise<ReadonlyMap<string, Kept> | undefined>;
  /** Those that last, or ended within `withinMs`. */
  readonly incidentsOf: (list: ListKey, withinMs: number) => Promise<readonly Incident[]>;
  /** All of a round in one transaction. False: another replica has the round by now, and nothing was written. */
  readonly endRound: (round: Round, result: RoundResult) => Promise<boolean>;
  /** What is due in a place and in no alert yet. */
  readonly dueNotices: (place: PlaceId) => Promise<readonly Notice[]>;
  /**
   * Puts notices on alerts, and schedules their messages: on one of their sort that is at most a minute old, else together on a new
   * one, at most one in 30 s for each place. Those that must wait for that stay due.
   */
  readonly placeNotices: (placing: Placing) => Promise<void>;
  /** With everything that it lists; undefined when it is gone. */
  readonly alertOf: (alert: IdIn) => Promise<Alert | undefined>;
  /** Somebody is on it. False: there is no such alert, or they were on it already. */
  readonly takeAlert: (alert: IdIn, who: Who, event: NewHistoryEvent) => Promise<boolean>;
};

/** What any replica does for all workspaces. */
export type AllWatching = {
  /** Lists that somebody watches get their rounds, and those that nobody watches any more end with their incidents. */
  readonly syncRounds: (jobsRegion: string) => Promise<void>;
  /** Places that have something to be told get the work for that. */
  readonly scheduleWatching: () => Promise<void>;
};

/** The most logs that are followed at once. */
export type FollowLimits = {
  readonly perPerson: number;
  readonly perChannel: number;
  readonly perWorkspace: number;
};

export type NewLogFollow = {
  readonly id: string;
  readonly teamId: string;
  readonly channelId: string;
  readonly requesterId: string;
  readonly sealed: string;
  readonly limits: FollowLimits;
  readonly leaseMs: number;
};

export type BegunFollow =
  | { readonly kind: "begun"; readonly due: Due }
  | { readonly kind: "full"; readonly by: "person" | "channel" | "workspace" };

/** A followed log, leased by this replica. */
export type TakenFollow = Omit<NewLogFollow, "limits" | "leaseMs"> & {
  readonly due: Due;
  /** The message that says what is followed; undefined until it is posted. */
  readonly headTs: string | undefined;
  /** The name of whoever wants it to end. */
  readonly stoppedBy: string | undefined;
  /** How many are followed in the workspace. */
  readonly count: number;
};

export type SavedFollow = {
  readonly sealed: string;
  readonly headTs: string | undefined;
  /** Ends the lease: the next look is due then. */
  readonly nextMs?: number;
};

export type FollowsWanted = { readonly teamId: string; readonly channelId: string; readonly requesterId: string };

export type StoredFollow = Pick<NewLogFollow, "id" | "channelId" | "requesterId" | "sealed">;

export type FollowStore = {
  readonly beginFollow: (follow: NewLogFollow) => Promise<BegunFollow>;
  /** Undefined: it is over. */
  readonly followOf: (due: Due) => Promise<TakenFollow | undefined>;
  /** Renews the lease, or ends it. False: it was lost, and nothing was stored. */
  readonly saveFollow: (due: Due, saved: SavedFollow) => Promise<boolean>;
  /** Nothing of it is kept. The message that it began with says that it is over, as soon as Slack takes that. */
  readonly endFollow: (due: Due, head?: NewPost) => Promise<void>;
  /** It ends at its next look, which is due at once. False: it is over already. */
  readonly stopFollow: (id: IdIn, by: string) => Promise<boolean>;
  readonly sealedFollow: (id: IdIn) => Promise<string | undefined>;
  /** In this channel, and this person's anywhere. */
  readonly followsOf: (wanted: FollowsWanted) => Promise<readonly StoredFollow[]>;
};
