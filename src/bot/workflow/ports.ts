import type { Logger } from "pino";
import type { Api } from "../../api/client.ts";
import type { Sealer } from "../accounts/seal.ts";
import type { Settings } from "../commands/command.ts";
import type { Directory } from "../commands/lookup/directory.ts";
import type { ReplicaReport } from "../health/facts.ts";
import type { Finding } from "../health/finding.ts";
import type { LogPool } from "../logs/threads/log-pool.ts";
import type { Policy, Standing } from "../policy/policy.ts";
import type { CallCounts } from "./access/call-counts.ts";
import type { EnvValues } from "./access/env-values.ts";
import type { Dropped, Retries } from "./inbox/unfinished.ts";
import type { Lanes } from "./inbox/lanes.ts";
import type {
  FoundAccounts,
  AccountOwner,
  AccountRef,
  AccountSeeker,
  LinkedAccount,
  OpenAccount,
} from "../accounts/resolve.ts";
import type { HistoryEvent, HistoryQuery, NewHistoryEvent } from "../changes/history-event.ts";
import type { Card, StoredChange } from "../changes/stored-change.ts";
import type { Binding, BindingTerms } from "../policy/binding.ts";
import type { Message, Post } from "../views/kit/post.ts";
import type { Step } from "./lifecycle.ts";
import type { Reply, SentForm } from "./inbox/interaction.ts";
import type { Origin } from "./origin.ts";
import type { Content } from "./stored-request.ts";

// What the workflow needs from outside. `slack/` implements People, Cards and Responder, `access/accounts.ts` Accounts, and
// `store/` everything that is kept.

/** What the workflow is given to work for one workspace. What carries a request on takes all of it, a leaf what it uses. */
export type WorkflowParts = {
  readonly accounts: Accounts;
  readonly api: Pick<Api, "as" | "engine">;
  readonly calls: CallCounts;
  readonly cards: Cards;
  /** The check-up of the workspace. Never rejects. */
  readonly checkup: () => Promise<readonly Finding[]>;
  readonly clock: Clock;
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
  readonly retries: Retries;
  readonly sealer: Sealer;
  readonly settings: Settings;
  readonly store: Store & Inbox & RecordRows & LinkStore & BindingStore & ChannelMover;
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

export type Cards = {
  /**
   * Updates the card of a Change, and its thread, to the latest version; posts the card first if there is none. Any
   * replica may call it at any time. True: Slack shows it as it is now. Never rejects because of Slack: a card that can't
   * be drawn now is drawn later.
   */
  readonly draw: (changeId: string, known?: Drawable) => Promise<boolean>;
  /** Removes the buttons of a message that is no longer the card of a Change. Never rejects. */
  readonly retire: (change: StoredChange, card: Card) => Promise<void>;
  /** The link to a card; undefined when Slack can't say. Never rejects. */
  readonly link: (change: StoredChange) => Promise<string | undefined>;
  /**
   * Tells the requester what they are owed and the card doesn't show, once over all replicas; with `isOverdue`, only what
   * the card is late with. Never rejects because of Slack: what reached nobody is told later.
   */
  readonly tell: (changeId: string, when: { readonly isOverdue: boolean }) => Promise<void>;
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
  /** Tells everybody in a channel; false where the bot may not post. Never rejects. */
  readonly announce: (channelId: string, message: Post) => Promise<boolean>;
  /** Replaces an open form. False: it was closed, or Slack refused the view. Never rejects. */
  readonly showInForm: (viewId: string, view: object) => Promise<boolean>;
  /** Answers in the form that was submitted; beside it, if it was closed meanwhile. */
  readonly formReply: (form: SentForm, origin: Origin) => Reply;
  /** Redraws a person's Home, later. */
  readonly refreshHome: (origin: Origin) => void;
};

/** The account a person acts with, and what their channel implies. */
export type ResolvedAccount = {
  readonly account: OpenAccount;
  readonly binding: Binding | undefined;
  /** The person's own default region. */
  readonly region: string | undefined;
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

export type Clock = {
  readonly now: () => Date;
  /** In real time: before a person who looks at the screen is shown that something happens. Never rejects. */
  readonly patience: (ms: number) => Promise<void>;
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

export type ChangeKey =
  | { readonly id: string }
  | { readonly deliveryId: string }
  /** The pending, unexpired request with the same effect. */
  | { readonly waitKey: string }
  /** The pending or executed Undo of this Change. */
  | { readonly undoOf: string };

export type Advanced =
  | { readonly kind: "moved"; readonly change: StoredChange; readonly drawing?: Drawing | undefined }
  /** It isn't in a state that the step leads from, isn't ours, or our lease is too short. Nothing moved. */
  | { readonly kind: "late"; readonly change: StoredChange | undefined }
  /** This person had approved already. Nothing moved. */
  | { readonly kind: "twice"; readonly change: StoredChange }
  /** `claim`: another Run of the same workload is in progress. `askAgain`: the same request already waits. Nothing moved. */
  | { readonly kind: "busy"; readonly earlier: StoredChange | undefined };

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
  readonly insertChange: (change: NewChange, event: NewHistoryEvent) => Promise<StoredChange | "taken" | Unanswered>;
  readonly find: (key: ChangeKey, teamId?: string) => Promise<StoredChange | undefined>;
  /** One step of the lifecycle, in one transaction with its row of history. */
  readonly advance: (id: string | IdIn, step: Step, event: NewHistoryEvent | undefined) => Promise<Advanced>;
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

/** An interaction that must not be lost: its content is sealed. */
export type NewDelivery = { readonly id: string; readonly sealed: string };
export type Delivery = NewDelivery & { readonly receivedAt: Date };

export type Inbox = {
  /** Commits a delivery as ours. False: it was delivered before, and some replica has it. */
  readonly accept: (delivery: NewDelivery) => Promise<boolean>;
  /** Marks it finished: deletes the content, keeps the id for a while. */
  readonly finish: (deliveryId: string) => Promise<void>;
  /** Stores an id as finished, in one statement: for a refused delivery, or a read. False: the id was known already. */
  readonly remember: (deliveryId: string) => Promise<boolean>;
  /** Whether it was accepted or remembered before. */
  readonly isKnown: (deliveryId: string) => Promise<boolean>;
  /**
   * Keeps it from being begun, whether or not it was stored. A delivery that another replica claimed stays with that
   * replica.
   */
  readonly drop: (deliveryId: string) => Promise<void>;
};

/** What any replica does for all workspaces, every few seconds. */
export type SweepStore = {
  /** Renews this replica's lease. When it ends, other replicas take over what this one holds. */
  readonly beat: (report?: ReplicaReport) => Promise<void>;
  /** Ends what nobody decided in time, and what nobody carried out within `approvedMs`; `event` makes the rows of history. */
  readonly expire: (
    approvedMs: number,
    event: (change: StoredChange) => NewHistoryEvent,
  ) => Promise<readonly StoredChange[]>;
  /** Takes over what replicas that are gone left unfinished, and returns everything this replica has to carry on. */
  readonly open: () => Promise<readonly StoredChange[]>;
  /** Takes over unfinished deliveries of replicas that are gone. */
  readonly takeDeliveries: () => Promise<readonly Delivery[]>;
  /** Changes whose card or thread is out of date, and that nobody draws. */
  readonly undrawn: () => Promise<readonly IdIn[]>;
  /** Changes whose requester has to be told what the card is late with, and whom nobody tells. */
  readonly overdueNews: () => Promise<readonly IdIn[]>;
};

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

/** The right to draw a card, for a while. */
export type Drawing = {
  readonly change: StoredChange;
  /** Proves that the right is still ours. */
  readonly token: string;
  /** How many messages were posted for this card: a deleted card is posted once more. */
  readonly posts: number;
  /** Rows of history that the thread doesn't show yet, oldest first; empty for a Change without a thread. */
  readonly newEvents: readonly HistoryEvent[];
  /** The number of the newest row of history that wasn't told, if any. */
  readonly newest: number | undefined;
};

/** What is known of a card that has to be drawn. */
export type Drawable = {
  /** The content of the Change, if it was unsealed already. */
  readonly opened?: Content | undefined;
  /** The right to draw, if it was taken already. */
  readonly drawing?: Drawing | undefined;
};
