import type { AccountOwner, AccountSeeker, LinkedAccount } from "../accounts/account.ts";
import type { HistoryEvent, HistoryQuery, NewEvent } from "../changes/history-event.ts";
import type { Outcome } from "../changes/outcome.ts";
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
  /** The same for requests that would do the same: of those, one waits at a time. */
  readonly waitKey?: string;
};

/** Why an approved Change waits again: the terms of this moment, and whose approvals count by them. */
export type Return = {
  readonly id: string;
  /** The version that was judged: whatever happened since, it is judged again. */
  readonly version: number;
  readonly rule: string;
  readonly terms: Terms;
  readonly counting: readonly string[];
  readonly notice: string;
};

export type ReturnResult =
  | { readonly kind: "pending"; readonly change: StoredChange }
  /** An equal request waits already, so this one cannot; nothing changed. */
  | { readonly kind: "rival"; readonly rival: StoredChange | undefined }
  /** It is not approved any more, or something happened to it since it was judged; nothing changed. */
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
  /** A card was perhaps posted and its answer got lost: it counts as a message. */
  readonly isPosted?: boolean;
  /** The number of the last event that was told all the same. */
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
  /** Its work is over; what it asked for is forgotten, its id is remembered for a while. */
  readonly finish: (deliveryId: string) => Promise<void>;
  /** Stores an id as finished, in one statement: a delivery that was refused, or a read. False: it was known before. */
  readonly remember: (deliveryId: string) => Promise<boolean>;
  /** Whether it was accepted or remembered before. */
  readonly isKnown: (deliveryId: string) => Promise<boolean>;
  /** Nobody begins it from now on, whether or not we stored it; what another replica took stays with it. */
  readonly drop: (deliveryId: string) => Promise<void>;
  /** Unfinished deliveries of replicas that are gone; they are ours from now on. */
  readonly takeDeliveries: () => Promise<readonly Delivery[]>;

  /**
   * Adds a Change and its event. Nothing is added, and the other Change comes back, when its delivery has one already,
   * when another Undo of the same Change counts, or when an equal request waits.
   */
  readonly addChange: (change: NewChange, event: NewEvent) => Promise<StoredChange>;
  readonly findChange: (id: string) => Promise<StoredChange | undefined>;
  readonly changeOfDelivery: (deliveryId: string) => Promise<StoredChange | undefined>;
  /** Those that wait for votes, oldest first. */
  readonly pendingChanges: (teamId: string) => Promise<readonly StoredChange[]>;
  /** The request with this `waitKey` that waits for votes and may still get them. */
  readonly waitingLike: (waitKey: string) => Promise<StoredChange | undefined>;
  /** Counts a vote of somebody who may vote; the last one that is needed makes it approved, and ours. */
  readonly vote: (
    id: string,
    who: Who,
    events: { readonly voted: NewEvent; readonly approved: NewEvent },
  ) => Promise<VoteResult>;
  /** pending → rejected. */
  readonly reject: (
    id: string,
    by: { readonly who: Who; readonly reason: string | undefined },
    event: NewEvent,
  ) => Promise<StoredChange | undefined>;
  /** pending or approved → cancelled. */
  readonly cancel: (id: string, by: Who, event: NewEvent) => Promise<StoredChange | undefined>;
  /** approved → drifted; its votes are void. */
  readonly drift: (id: string, drift: readonly Drift[], event: NewEvent) => Promise<StoredChange | undefined>;
  /** approved → failed, because it was refused before anything was sent. */
  readonly refuse: (id: string, outcome: Outcome, event: NewEvent) => Promise<StoredChange | undefined>;
  /** approved → claimed, before the request leaves; at most once for ever. Checked against our lease. */
  readonly claim: (id: string, event: NewEvent) => Promise<ClaimResult>;
  /** claimed → unknown: no answer came, and the workload is being read back. */
  readonly doubt: (id: string, outcome: Outcome, event: NewEvent) => Promise<StoredChange | undefined>;
  /** claimed or an open unknown → done (done, asked), failed or unknown, for good; as the outcome says. Ours only. */
  readonly settle: (id: string, outcome: Outcome, event: NewEvent) => Promise<StoredChange | undefined>;
  /** Once, of a done one that is ours; its event is optional, because most health is not news. */
  readonly setHealth: (id: string, health: Health, event: NewEvent | undefined) => Promise<StoredChange | undefined>;
  /** approved → pending, with other terms and only the approvals that count by them. */
  readonly returnToPending: (what: Return, event: NewEvent) => Promise<ReturnResult>;
  /** The Undo of a Change that was asked for and has not come to nothing. */
  readonly undoOf: (id: string) => Promise<StoredChange | undefined>;
  /** Once its inverse was asked for, so that the card offers it no more, unless that came to nothing. True: it was not yet. */
  readonly markUndone: (id: string) => Promise<boolean>;
  /** pending past their time, and approved that nobody carried out within `approvedMs`, → expired; `event` makes the row. */
  readonly expireDue: (
    approvedMs: number,
    event: (change: StoredChange) => NewEvent,
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
   * Keeps the right for as long as one call to Slack may take. With a card, stores where it was posted as well, before
   * anything else is said. `lost`: somebody else draws. `adopted`: so they do, and our card is the one they will use.
   */
  readonly holdDrawing: (id: string, token: string, card?: Card) => Promise<"held" | "adopted" | "lost">;
  /** Notes what stands in Slack. Without the right any more, what was drawn may be old: it is drawn anew. True: draw again. */
  readonly drew: (id: string, drawn: Drawn) => Promise<boolean>;
  /** Gives the right back; nobody tries before `ms` are over. */
  readonly postponeDrawing: (id: string, token: string, wait: Postponed) => Promise<void>;

  /** An event that belongs to no transition: a refusal, a linked account. */
  readonly addEvent: (event: NewEvent) => Promise<void>;
  /** Newest first. */
  readonly history: (query: HistoryQuery) => Promise<readonly HistoryEvent[]>;

  readonly saveAccount: (account: Omit<LinkedAccount, "linkedAt">, event: NewEvent) => Promise<void>;
  readonly removeAccount: (
    teamId: string,
    owner: Exclude<AccountOwner, { readonly kind: "workspace" }>,
    event: NewEvent,
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
  readonly bind: (channel: ChannelId, binding: NewBinding, event: NewEvent) => Promise<boolean>;
  /** False: it was not bound, and nothing is written. */
  readonly unbind: (channel: ChannelId, event: NewEvent) => Promise<boolean>;
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
