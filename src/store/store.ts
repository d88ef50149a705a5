import type { AccountOwner, AccountSeeker, LinkedAccount } from "../accounts/account.ts";
import type { HistoryEvent, HistoryQuery, NewHistoryEvent } from "../changes/history-event.ts";
import type { Outcome } from "../changes/change.ts";
import type { Binding, BindingTerms } from "../policy/binding.ts";
import type { Terms } from "../policy/verdict.ts";
import type { Card, Drift, Health, StoredChange, Who } from "../changes/stored-change.ts";

/** An interaction that must not be lost: what it asks for is sealed. */
export type NewDelivery = { readonly id: string; readonly sealed: string };
export type Delivery = NewDelivery & { readonly receivedAt: Date };

/** A Change as it is asked for; times and versions are the database's. */
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
  | "isUndone"
  | "notice"
  | "card"
> & {
  /** `approved` for what needs no approval. */
  readonly state: "pending" | "approved";
  /** From now on, of a pending one. */
  readonly expiresInMs: number | undefined;
  /** Equal for duplicate requests: only one of them can be pending. */
  readonly waitKey?: string;
};

/** Why an approved Change needs approval again, with the current terms and the approvals that still count. */
export type Return = {
  readonly id: string;
  /** The judged version. If the Change has moved on, it must be judged again. */
  readonly version: number;
  readonly rule: string;
  readonly terms: Terms;
  readonly counting: readonly string[];
  readonly notice: string;
};

export type ReturnResult =
  | { readonly kind: "pending"; readonly change: StoredChange }
  /** A duplicate request is pending already; nothing changed. */
  | { readonly kind: "duplicate"; readonly earlier: StoredChange | undefined }
  /** It is no longer approved, or changed since it was judged; nothing changed. */
  | { readonly kind: "moved" };

export type VoteResult =
  | { readonly kind: "counted"; readonly change: StoredChange }
  /** They had voted already; nothing changed. */
  | { readonly kind: "twice"; readonly change: StoredChange }
  /** It waits for votes no longer; nothing changed. */
  | { readonly kind: "late"; readonly change: StoredChange }
  | { readonly kind: "missing" };

export type ClaimResult =
  | { readonly kind: "claimed"; readonly change: StoredChange }
  /** Another Run of the same workload is under way; this one stays approved. */
  | { readonly kind: "busy" }
  /** It is not approved any more, not ours, or our own lease is too short: nothing may be sent. */
  | { readonly kind: "lost" };

export type ChannelId = { readonly teamId: string; readonly channelId: string };
export type NewBinding = BindingTerms & Pick<Binding, "boundBy">;
export type PersonSettings = { readonly region: string | undefined };

/** The right to draw a card, for a while. */
export type Drawing = {
  readonly change: StoredChange;
  /** Says that it is still us who draw. */
  readonly token: string;
  /** How many messages were posted for this card: it is posted anew once. */
  readonly posts: number;
  /** What happened and does not stand in the thread yet, oldest first. */
  readonly untold: readonly HistoryEvent[];
};

export type Postponed = {
  readonly ms: number;
  /** The card may have been posted, because Slack's answer was lost. Counts as a post. */
  readonly isPosted?: boolean;
  /** Number of the last event that was posted anyway. */
  readonly toldSeq?: number | undefined;
};

export type Drawn = {
  readonly token: string;
  /** The version that stands in Slack now. */
  readonly version: number;
  /** Where; undefined: it cannot stand anywhere, and nobody needs to try again. */
  readonly card: Card | undefined;
  /** The number of the last event that stands in the thread; undefined: as before. */
  readonly toldSeq: number | undefined;
};

/**
 * What the bot keeps, for any number of replicas. Every time is the database's. A state changes by one conditional
 * UPDATE, together with its event, in one transaction: whoever changed the row has won, the others get `undefined` or a
 * result that says so. Throws a `StoreError` when the database cannot be reached or does not answer in time.
 */
export type Store = {
  /** How long after the beginning of a `claim` its request may leave, in milliseconds: then the lease may be over. */
  readonly sendWithinMs: number;
  /** Says that this replica lives, for the next `leaseMs`. What it holds is taken by others when that is over. */
  readonly beat: () => Promise<void>;

  /** Commits a delivery as ours. False: it was delivered before, and somebody has it. */
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
  /** Unfinished deliveries of replicas that are gone; they are ours from now on. */
  readonly takeDeliveries: () => Promise<readonly Delivery[]>;

  /**
   * Adds a Change and its event. If its delivery already has a Change, another Undo of the same Change exists, or a
   * duplicate request is pending, returns that Change and adds nothing.
   */
  readonly addChange: (change: NewChange, event: NewHistoryEvent) => Promise<StoredChange>;
  readonly findChange: (id: string) => Promise<StoredChange | undefined>;
  readonly changeOfDelivery: (deliveryId: string) => Promise<StoredChange | undefined>;
  /** Those that wait for votes, oldest first. */
  readonly pendingChanges: (teamId: string) => Promise<readonly StoredChange[]>;
  /** The pending, unexpired request with this `waitKey`. */
  readonly waitingLike: (waitKey: string) => Promise<StoredChange | undefined>;
  /** Counts a vote of somebody who may vote; the last one that is needed makes it approved, and ours. */
  readonly vote: (
    id: string,
    who: Who,
    events: { readonly voted: NewHistoryEvent; readonly approved: NewHistoryEvent },
  ) => Promise<VoteResult>;
  /** pending → rejected. */
  readonly reject: (
    id: string,
    by: { readonly who: Who; readonly reason: string | undefined },
    event: NewHistoryEvent,
  ) => Promise<StoredChange | undefined>;
  /** pending or approved → cancelled. */
  readonly cancel: (id: string, by: Who, event: NewHistoryEvent) => Promise<StoredChange | undefined>;
  /** approved → drifted; its votes are void. */
  readonly drift: (id: string, drift: readonly Drift[], event: NewHistoryEvent) => Promise<StoredChange | undefined>;
  /** approved → failed, because it was refused before anything was sent. */
  readonly refuse: (id: string, outcome: Outcome, event: NewHistoryEvent) => Promise<StoredChange | undefined>;
  /** approved → claimed, before the request leaves; at most once for ever. Checked against our lease. */
  readonly claim: (id: string, event: NewHistoryEvent) => Promise<ClaimResult>;
  /** claimed → unknown: no answer came, and the workload is being read back. */
  readonly doubt: (id: string, outcome: Outcome, event: NewHistoryEvent) => Promise<StoredChange | undefined>;
  /** claimed or an open unknown → done (done, asked), failed or unknown, for good; as the outcome says. Ours only. */
  readonly settle: (id: string, outcome: Outcome, event: NewHistoryEvent) => Promise<StoredChange | undefined>;
  /** Once, of a done one that is ours; its event is optional, because most health is not news. */
  readonly setHealth: (
    id: string,
    health: Health,
    event: NewHistoryEvent | undefined,
  ) => Promise<StoredChange | undefined>;
  /** approved → pending, with the current terms and only the approvals that still count. */
  readonly returnToPending: (what: Return, event: NewHistoryEvent) => Promise<ReturnResult>;
  /** The pending or executed Undo of a Change. */
  readonly undoOf: (id: string) => Promise<StoredChange | undefined>;
  /** Once its inverse was asked for, so that the card offers it no more, unless that came to nothing. True: it was not yet. */
  readonly markUndone: (id: string) => Promise<boolean>;
  /** pending past their time, and approved that nobody carried out within `approvedMs`, → expired; `event` makes the row. */
  readonly expireDue: (
    approvedMs: number,
    event: (change: StoredChange) => NewHistoryEvent,
  ) => Promise<readonly StoredChange[]>;
  /**
   * Everything that somebody has to carry on: approved, claimed, open unknown, and done without health. Those whose
   * replica is gone become ours; the answer is all that are ours.
   */
  readonly openChanges: () => Promise<readonly StoredChange[]>;

  /** Ids of changes whose card is not of their last version, or whose thread lacks something, and that nobody draws. */
  readonly undrawn: () => Promise<readonly string[]>;
  /** The right to draw, if there is something to draw and nobody else does. */
  readonly beginDrawing: (id: string) => Promise<Drawing | undefined>;
  /**
   * Extends the right to draw by the time one call to Slack may take. With a card, also stores where it was posted.
   * `lost`: another replica draws now. `adopted`: another replica draws now, using our card.
   */
  readonly holdDrawing: (id: string, token: string, card?: Card) => Promise<"held" | "adopted" | "lost">;
  /** Notes what stands in Slack. Without the right any more, what was drawn may be old: it is drawn anew. True: draw again. */
  readonly drew: (id: string, drawn: Drawn) => Promise<boolean>;
  /** Gives the right back; nobody tries before `ms` are over. */
  readonly postponeDrawing: (id: string, token: string, wait: Postponed) => Promise<void>;

  /** An event that belongs to no transition: a refusal, a linked account. */
  readonly addEvent: (event: NewHistoryEvent) => Promise<void>;
  /** Newest first. */
  readonly history: (query: HistoryQuery) => Promise<readonly HistoryEvent[]>;

  readonly saveAccount: (account: Omit<LinkedAccount, "linkedAt">, event: NewHistoryEvent) => Promise<void>;
  readonly removeAccount: (
    teamId: string,
    owner: Exclude<AccountOwner, { readonly kind: "workspace" }>,
    event: NewHistoryEvent,
  ) => Promise<boolean>;
  /** Stores the same token sealed with another key; nothing when the row has changed meanwhile. */
  readonly resealAccount: (account: LinkedAccount, sealedToken: string) => Promise<void>;
  /** The person's own account and the channel's, where there are such. */
  readonly accountsFor: (
    seeker: AccountSeeker,
  ) => Promise<{ readonly own: LinkedAccount | undefined; readonly channel: LinkedAccount | undefined }>;

  /** What a channel is bound to; undefined when it is not. */
  readonly bindingOf: (teamId: string, channelId: string) => Promise<Binding | undefined>;
  /** Binds a channel, in place of what it was bound to. False: it is bound to just that already, and nothing is written. */
  readonly bind: (channel: ChannelId, binding: NewBinding, event: NewHistoryEvent) => Promise<boolean>;
  /** False: it was not bound, and nothing is written. */
  readonly unbind: (channel: ChannelId, event: NewHistoryEvent) => Promise<boolean>;
  /** What somebody has set for themselves. */
  readonly settingsOf: (teamId: string, userId: string) => Promise<PersonSettings>;
  /** Their own default region; undefined takes it away. */
  readonly setRegion: (teamId: string, userId: string, region: string | undefined) => Promise<void>;

  /** Adds calls that this replica made; `day` is a UTC date, 2026-11-21. */
  readonly countCalls: (username: string, day: string, calls: number) => Promise<void>;
  readonly callsOn: (username: string, day: string) => Promise<number>;

  readonly isOpen: () => boolean;
  /** Whether the database answers now. */
  readonly isReachable: () => Promise<boolean>;
  /** Gives up what this replica holds, so that others take it at once, and closes. */
  readonly close: () => Promise<void>;
};
