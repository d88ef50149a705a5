import type { RequestedChange, StoredChange, Who } from "../changes/stored-change.ts";
import type { Binding, BindingTerms } from "../policy/binding.ts";
import type { Standing } from "../policy/policy.ts";
import type { Incident, Kept, NoticedEvent } from "../watch/incident.ts";
import type { Mute, Watch } from "../watch/watch.ts";
import type { Due } from "./due-kinds.ts";
import type { NewPost, TakenPost } from "./posts.ts";

// What the database keeps, as the store takes it and hands it out.

export type Profile = {
  readonly userId: string;
  readonly name: string;
  readonly standing: Standing;
  /** An admin or owner of the bot's workspace; nobody of another organization is one. */
  readonly isAdmin: boolean;
  /** Their IANA time zone; undefined when Slack doesn't say. */
  readonly zone?: string | undefined;
};

/** A profile that the database keeps, and how long ago Slack said so, in milliseconds. */
export type StoredProfile = Profile & { readonly ageMs: number };

/** A Change as it is added; the database adds times and versions. */
export type NewChange = RequestedChange & {
  /** `approved` for what needs no approval. */
  readonly state: "pending" | "approved";
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

/** An interaction that must not be lost: its content is sealed in the database. */
export type NewDelivery = {
  readonly id: string;
  readonly teamId: string;
  readonly payload: string;
  /** Of the lease that it is stored with. */
  readonly token: string;
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

/** A watch as it is added; its id is new, and the database adds the time. */
export type NewWatch = Omit<Watch, "createdAt" | "pausedWhy">;

/** The most watches that a person may have, and that may tell in one place. Those of the file don't count. */
export type WatchLimits = { readonly perOwner: number; readonly perPlace: number };

export type AddedWatch =
  | { readonly kind: "added"; readonly id: string }
  /** This person watched the same workloads in the same place; its events or times have changed. */
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

/** A mute in a direct message names the person whom it is with. */
export type MutePlace = Mute["place"];

export type NewMute = Omit<Mute, "until"> & { readonly forMs: number };

/** A list that is polled: the workloads of one kind that an account has in a region. */
export type ListKey = {
  readonly teamId: string;
  /** A username. */
  readonly account: string;
  readonly region: string;
  readonly kind: "service" | "job";
};

/** The poll of a list, leased by this replica. */
export type Round = ListKey & {
  readonly due: Due;
  readonly at: Date;
  /** Time of the last poll that read the list; undefined before the first one. */
  readonly polledAt: Date | undefined;
  /** The planned time between the last two polls, in milliseconds. */
  readonly everyMs: number;
  readonly failures: number;
  /** Lists that are watched with this account. */
  readonly lists: number;
  /** Version of the stored workloads: while it is the same, a cached copy is current. */
  readonly version: number;
};

/** A notice for a place, due from `dueAt` on. */
export type NewNotice = {
  /** A channel, or a person's id for their direct message. */
  readonly place: string;
  /** Of the incident, or a new one for an event. */
  readonly id: string;
  readonly event: NoticedEvent | undefined;
  /** When it may be reported, before quiet hours and mutes are considered. */
  readonly countsAt: Date;
  readonly dueAt: Date;
  /** A notice of this incident may exist: it then keeps its times. */
  readonly isOld: boolean;
};

export type RoundResult = {
  /** False: the list couldn't be read. */
  readonly isRead: boolean;
  readonly everyMs: number;
  readonly changed: readonly Kept[];
  readonly gone: readonly string[];
  readonly incidents: readonly Incident[];
  readonly notices: readonly NewNotice[];
};

/** Who clicked on an incident, and who is on it then: they themselves, somebody else, or nobody. */
export type Passing = { readonly by: Who; readonly to: Who | undefined; readonly at: Date };

/**
 * `late`: somebody clicked later, or this click was done before, so there is nothing to say. `over`: nothing of it fails any more. `same`: they are on it already.
 * `not-theirs`: only who is on it can hand it over or leave it.
 */
export type Passed = "passed" | "late" | "over" | "same" | "not-theirs" | "gone";

/** A notice that is due. */
export type Notice = {
  readonly id: string;
  readonly subject: Incident | NoticedEvent;
  readonly countsAt: Date;
  readonly wasMuted: boolean;
};

export type PlaceId = { readonly teamId: string; readonly place: string };

/** The decision about each notice of a place: tell, wait or drop. */
export type Placing = PlaceId & {
  readonly tell: readonly {
    readonly id: string;
    /** Those of one poll with the same key share an alert. */
    readonly groupKey: string;
    /**
     * The alerts with its key that it joins: those of the last minute, because they have a reason in common; those that also
     * list several by then; or any with an open incident.
     */
    readonly joins: "young" | "storm" | "open";
  }[];
  readonly wait: readonly { readonly id: string; readonly until: Date; readonly isMuted: boolean }[];
  readonly drop: readonly string[];
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

/** What becomes of messages of a follow. */
export type FollowMessages = {
  /** Added, or changed. */
  readonly posts?: readonly NewPost[];
  /** The id of one that isn't drawn any more. */
  readonly gone?: string;
};

export type SavedFollow = FollowMessages & {
  readonly sealed: string;
  readonly headTs: string | undefined;
  /** Until the next poll. */
  readonly nextMs: number;
};

export type FollowsWanted = { readonly teamId: string; readonly channelId: string; readonly requesterId: string };

export type StoredFollow = Pick<NewLogFollow, "id" | "channelId" | "requesterId" | "sealed">;

/** The app in one workspace, or in all workspaces of an organization. */
export type NewInstallation = {
  /** The workspace's id, or the organization's when `isOrgWide`. */
  readonly id: string;
  readonly isOrgWide: boolean;
  readonly enterpriseId: string | undefined;
  /** Of the workspace or organization. */
  readonly name: string;
  readonly appId: string;
  readonly botUserId: string;
  readonly scopes: readonly string[];
  /** Tokens, sealed for this installation alone. */
  readonly sealedTokens: string;
  /** Undefined for a token that doesn't expire. */
  readonly expiresAt: Date | undefined;
  /** A Slack id. */
  readonly installedBy: string;
};

export type Installation = NewInstallation & {
  /** Rises with every new token. */
  readonly version: number;
  readonly installedAt: Date;
};

/** Where a payload comes from. */
export type Source = { readonly teamId: string | undefined; readonly enterpriseId: string | undefined };

export type NewTokens = Pick<NewInstallation, "sealedTokens" | "expiresAt">;

/** A workspace that the app was removed from, and who ends what waits there. */
export type Closing = {
  readonly teamId: string;
  /** Ends requests: the bot. */
  readonly by: { readonly userId: string; readonly name: string };
};
