import type { Card, StoredChange } from "../changes/stored-change.ts";
import type { Post } from "../views/kit/post.ts";
import type { Due } from "./due-kinds.ts";
import type { Content } from "./stored-request.ts";

// Messages that Gantry keeps true: a row of `post` says where one is and what its thread has, and a kind says what it shows.

export type PostKindName =
  | "alert"
  | "announcement"
  /** The card of a request; the message has its id. */
  | "change"
  | "digest"
  /** The message with which a followed log begins; the message has the id of the follow. */
  | "follow"
  /** The same once it was over, of an earlier version. */
  | "follow end"
  /** A message of its thread. */
  | "follow lines"
  /** News for a requester, beside the card. */
  | "requester"
  | "watch news";

/** A row of `post`: one message, posted or not yet. */
export type StoredPost = {
  readonly id: string;
  readonly kind: PostKindName;
  /** What it shows, within its kind. */
  readonly key: string;
  readonly teamId: string;
  /** What it says, as far as it isn't stored elsewhere. Sealed in the database. */
  readonly payload: string | undefined;
  /** A channel, or a person's id for their direct message. */
  readonly place: string;
  /** The channel that can't be posted to, so that a person gets this message. */
  readonly insteadOf: string | undefined;
  /** Who gets such a message. */
  readonly fallback: string | undefined;
  /** Undefined until Slack has taken it. */
  readonly card: Card | undefined;
  /** How many messages Slack took, or may have taken. */
  readonly posts: number;
  /** Keys of the replies that were sent, and of other messages that say what this one can't. The column is `told`. */
  readonly sentKeys: readonly string[];
  /** Ids of what it lists. */
  readonly listed: readonly string[];
  /** Until then it isn't drawn again. */
  readonly restUntil: Date | undefined;
  /** Since when Slack refuses it until somebody changes something. */
  readonly blockedAt: Date | undefined;
  readonly createdAt: Date;
};

export type NewPost = Pick<StoredPost, "kind" | "key" | "teamId" | "payload" | "place" | "fallback"> & {
  readonly id?: string;
  readonly insteadOf?: string | undefined;
  /** One that is there already. */
  readonly card?: Card | undefined;
  /** Slack took, or may have taken, so many. */
  readonly posts?: number;
};

/** What a message says, of its kind and key. */
export type Said = Pick<StoredPost, "kind" | "key" | "payload">;

export type SavedPost = {
  readonly card?: Card;
  readonly posts?: number;
  readonly sentKeys?: readonly string[];
  readonly listed?: readonly string[];
  /** What it says from now on. */
  readonly says?: Said;
  readonly restMs?: number;
  readonly isBlocked?: boolean;
  /** Also schedules other messages. */
  readonly also?: readonly NewPost[];
  /** It shows all there is: ends the lease. */
  readonly isOver?: true;
};

/** A message that this replica posts first, at once, with what is known of it. */
export type TakenPost = { readonly due: Due; readonly post: StoredPost };
export type TakenCard = TakenPost & { readonly change: StoredChange; readonly opened: Content | undefined };

/** Why Slack didn't take a message: the end of a sentence, and the reference in the log. */
export type Refusal = { readonly reason: string; readonly reference?: string };

/** What Slack did with a message. */
export type Sent<Value> =
  | { readonly kind: "sent"; readonly value: Value }
  /** Not now. `isMaybeSent`: only the answer was lost. */
  | { readonly kind: "later"; readonly ms: number; readonly isMaybeSent: boolean; readonly refusal: Refusal }
  /**
   * Until somebody changes something: the app, the place, which an invitation of the bot may be, or this message, such as one that is
   * too old to be edited.
   */
  | { readonly kind: "blocked"; readonly by: "app" | "invitation" | "place" | "message"; readonly refusal: Refusal }
  /** The message, its thread or the person doesn't exist any more. */
  | { readonly kind: "gone"; readonly refusal: Refusal };

/** Each function is one attempt. Never rejects. */
export type Sender = {
  /** By its `response_url`, to whoever used a slash command or a button. `maybe`: Slack's answer was lost. */
  readonly answer: (responseUrl: string, post: Post) => Promise<boolean | "maybe">;
  /** To a channel, or to a person by their id. */
  readonly post: (
    to: { readonly place: string; readonly threadTs?: string; readonly isBroadcast?: boolean },
    post: Post,
  ) => Promise<Sent<Card>>;
  readonly update: (card: Card, post: Post) => Promise<Sent<void>>;
  readonly remove: (card: Card) => Promise<void>;
  /** Undefined when Slack can't say. */
  readonly link: (card: Card) => Promise<string | undefined>;
};

export type ThreadSoFar = {
  readonly sentKeys: readonly string[];
  /** False: Slack refuses to edit the card, which shows an earlier state. */
  readonly isShown: boolean;
  /** The card was just posted and shows the current state. */
  readonly isNew: boolean;
};

/** The part of a message that the readers of a place may see now. */
export type Readable =
  | ({ readonly kind: "shown" } & Shown)
  /** Slack can't say right now what they may see. */
  | { readonly kind: "unknown" }
  /** They may see nothing of it. `isOver`: nor later. */
  | { readonly kind: "nothing"; readonly isOver?: true };

export type CardHow = {
  /** Slack took, or may have taken, an earlier message of it, which nothing updates. */
  readonly isAgain: boolean;
};

/** Why a message doesn't show what it should. `thread`: only its thread lacks something. */
export type Unshown = {
  readonly why: "later" | "gone" | "thread" | Extract<Sent<never>, { readonly kind: "blocked" }>["by"];
  readonly refusal: Refusal;
  /** For how long it has been due. */
  readonly lateMs: number;
};

/** Other messages, for people whom this one doesn't reach. */
export type Beside =
  /** Scheduled once: its keys are stored with this message. */
  | { readonly kind: "tell"; readonly keys: readonly [string, ...string[]]; readonly posts: readonly NewPost[] }
  /** This one may show it soon. */
  | { readonly kind: "soon"; readonly ms: number };

export type Shown = {
  /** Like replies, made without the workload API. */
  readonly card: (how: CardHow) => Promise<Post>;
  /** Posted first and then updated: one that Slack takes without an answer has no buttons. */
  readonly opening?: () => Post;
  /** Its thread; in the place itself once that is gone. */
  readonly threadTs?: string | undefined;
  /** Also shown in the channel of its thread, for people who don't follow the thread. */
  readonly isBroadcast?: boolean;
  /** Not in the place itself. */
  readonly isOnlyInThread?: true;
  /** Sent there first, and to its place if Slack doesn't take it. */
  readonly responseUrl?: string | undefined;
  /** Without `unshown`, it shows all. */
  readonly beside?: (sentKeys: readonly string[], unshown?: Unshown) => Beside | undefined;
  /** Who gets it directly while its place takes none; without it, the message's own fallback. */
  readonly instead?: readonly string[];
  /** Somebody waits for it: it is sent at once, also during a pause. */
  readonly isAwaited?: true;
  /** Ids of what it lists: its readers know them, whatever they may see later. */
  readonly listed?: readonly string[] | undefined;
  /** Of a message that is updated; any other is over once it is posted. */
  readonly kept?: Kept;
  /** It never changes again: it is over once it is drawn. */
  readonly isLast?: true;
};

export type Kept = {
  /** Keys of the replies that the thread lacks, in order. */
  readonly lacks: (thread: ThreadSoFar) => readonly string[];
  /** Undefined: there is nothing to say yet. */
  readonly reply: (key: string) => Promise<Post | undefined>;
  /** The payload of the message once this reply is sent; undefined: it stays as it is. */
  readonly saysAfter?: (key: string) => string | undefined;
  /** What is stored of the keys once the thread has all its replies. */
  readonly complete?: (sentKeys: readonly string[]) => readonly string[];
  /** How long the next drawing waits, in milliseconds. */
  readonly restMs: number;
};

/** The workload API has to be read first. That may take long, so permissions are checked again afterwards. */
export type Unread = { readonly kind: "unread"; readonly gather: () => Promise<void> };

/**
 * Asked again before every call to Slack, because people leave, rules change and workloads are deleted. What it gathers, it keeps for
 * one attempt. `key`: that of the reply that comes next.
 */
export type PostKind = (post: StoredPost, key?: string) => Promise<Readable | Unread>;
