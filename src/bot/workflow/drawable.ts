import type { HistoryEvent } from "../changes/history-event.ts";
import type { StoredChange } from "../changes/stored-change.ts";
import type { Content } from "./stored-request.ts";

/** The right to draw a card, for a while. */
export type Drawing = {
  readonly change: StoredChange;
  /** Proves that the right is still ours. */
  readonly token: string;
  /** How many messages were posted for this card: a deleted card is posted once more. */
  readonly posts: number;
  /** Rows of history that the thread doesn't show yet, oldest first; empty for a Change without a thread. */
  readonly untold: readonly HistoryEvent[];
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
