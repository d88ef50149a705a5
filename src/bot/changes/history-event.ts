import type { StoredChange, Who } from "./stored-change.ts";

/** `refused` is a request that policy refused; it has no Change. */
export const historyEventKinds = [
  "requested",
  "refused",
  "voted",
  "vote-refused",
  "approved",
  "returned",
  "rejected",
  "cancelled",
  "expired",
  "drifted",
  "claimed",
  "done",
  "failed",
  "unknown",
  "confirmed",
  "health",
  "recovered",
  "connected",
  "disconnected",
  "bound",
  "unbound",
  "watched",
  "unwatched",
  "muted",
  "unmuted",
  "taken",
  "handed-over",
  "released",
  "installed",
  "uninstalled",
  "erased",
] as const;
export type HistoryEventKind = (typeof historyEventKinds)[number];

/** A row of history without its number and time. Append-only; never contains a token, an environment value or log text. */
export type NewHistoryEvent = {
  readonly kind: HistoryEventKind;
  readonly teamId: string;
  readonly changeId: string | undefined;
  /** Undefined for what the bot does on its own. */
  readonly who: Who | undefined;
  readonly channelId: string | undefined;
  readonly verb: string | undefined;
  readonly workload: { readonly kind: string; readonly region: string; readonly name: string } | undefined;
  /** A username. */
  readonly account: string | undefined;
  readonly rule: string | undefined;
  readonly breakGlass: boolean;
  /** In words: the diff, the reason, why it was refused, or what was found. */
  readonly result: string;
  /** Milliseconds since the request, if there was one. */
  readonly elapsedMs: number | undefined;
  /** The reference of an error in the log. */
  readonly reference: string | undefined;
  /** Stored in the same transaction, so that a channel is told what happened and who did it even if Gantry stops right after. */
  readonly announcement?: Announcement | undefined;
};

/** A message for everybody in a channel. */
export type Announcement = {
  /** Of the message, before it is posted. */
  readonly id: string;
  readonly channelId: string;
  /** The message and who did it, as JSON. */
  readonly payload: string;
};

export type HistoryEvent = NewHistoryEvent & {
  readonly seq: number;
  readonly at: Date;
  /** The request as it is now; only in lists of outcomes, and only while it is kept. */
  readonly request?: StoredChange | undefined;
};

/** Why a Change that the API accepted can't be confirmed. Rows of kind `done` are recognised by its beginning. */
export function unconfirmedText(unseen: string): string {
  return `Accepted, can't be confirmed: the workload API doesn't report ${unseen}.`;
}

/** Kinds that say how a request ended. */
export const endingKinds = [
  "rejected",
  "cancelled",
  "expired",
  "drifted",
  "done",
  "failed",
  "unknown",
] as const satisfies readonly HistoryEventKind[]; // literal kinds

/** Kinds in a list of outcomes: of each request, only its latest such row is shown. */
export const outcomeKinds = [
  "requested",
  ...endingKinds,
  "refused",
  "connected",
  "disconnected",
  "bound",
  "unbound",
  "watched",
  "unwatched",
  "muted",
  "unmuted",
  "taken",
  "handed-over",
  "released",
  "installed",
  "uninstalled",
  "erased",
] as const satisfies readonly HistoryEventKind[]; // literal kinds

export type HistoryQuery = {
  readonly teamId: string;
  /** Only rows about this name; of one account, or of all when it is undefined: another account may have it, too. */
  readonly workload?: { readonly name: string; readonly account: string | undefined };
  /** What this person did; with `show`, also requests that they asked for or decided. */
  readonly userId?: string;
  /** Only rows about one of these verbs. */
  readonly verbs?: readonly string[];
  readonly since?: Date;
  /** For the next page: only rows with a smaller number. */
  readonly before?: number;
  /** One row per request: `ended` only shows how requests ended, `outcomes` everything that came to something. */
  readonly show?: "ended" | "outcomes" | undefined;
  readonly limit: number;
};

/**
 * News of a request, in the order in which it happens: it waits or runs, it waits again, it ended, and afterwards the workload is in
 * trouble or the job ended. `asked`: the end that its requester asked to be notified of. A message with news is stored under its name.
 */
export const newsRanks = { waiting: 1, running: 1, returned: 2, ended: 3, after: 4, asked: 4 } as const; // the literal names
export type News = keyof typeof newsRanks;
export const newsKinds = Object.keys(newsRanks) as [News, ...News[]]; // its keys

/** News that tells how a request ended. */
export const endNews = newsKinds.filter((news) => newsRanks[news] >= newsRanks.ended);
