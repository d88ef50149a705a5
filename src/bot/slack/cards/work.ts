import { boundedMap } from "../../../platform/bounded-map.ts";
import type { WorkspaceParts } from "../parts.ts";
import { isTemporary, type SlackFailure } from "../send/slack-error.ts";
import type { Card, StoredChange } from "../../changes/stored-change.ts";
import type { Content } from "../../workflow/stored-request.ts";
import type { Store } from "../../store/store.ts";
import type { Drawing, ToldReplies } from "../../workflow/ports.ts";
import { retiredCard } from "../../views/cards/change-card.ts";

/** One drawing of a card: the state to draw, its content, and the lease on the drawing. */
export type Work = Drawing & {
  /** Opened at most once. Undefined: it can't be opened any more. */
  readonly content: () => Content | undefined;
  readonly lease: DrawLease;
};

/**
 * The right to draw, which lasts for one call to Slack. It was just taken, or extended with a new card, before the first call;
 * every later call extends it first.
 */
export type DrawLease = {
  /** False: another replica draws now. With `told`, stores which replies the thread has. */
  readonly extend: (told?: ToldReplies) => Promise<boolean>;
  /** Stores where a new card is, and extends the right. */
  readonly keep: (card: Card) => ReturnType<Store["holdDrawing"]>;
};

export function createDrawLease(store: Pick<Store, "holdDrawing">, changeId: string, token: string): DrawLease {
  let isFresh = true;
  return {
    async extend(told) {
      const isHeld = (isFresh && told === undefined) || (await store.holdDrawing(changeId, token, { told })) === "held";
      isFresh = false;
      return isHeld;
    },
    keep(card) {
      isFresh = true;
      return store.holdDrawing(changeId, token, { card });
    },
  };
}

/** What cards are drawn with. */
export type CardParts = Pick<WorkspaceParts, "clock" | "log" | "messenger" | "people" | "sealer" | "settings"> & {
  readonly refusals: Refusals;
  readonly store: Pick<
    Store,
    | "beginDrawing"
    | "holdDrawing"
    | "markDrawn"
    | "postponeDrawing"
    | "beginTelling"
    | "holdTelling"
    | "markTold"
    | "postponeTelling"
    | "find"
    | "waitsFor"
  >;
};

/** What Slack refused of the card of a Change, and how often for a reason that may be ours. Kept per process. */
export type Refusals = {
  /** Notes a refusal. True while another attempt may work: false from the third one on, until `clear`. */
  readonly mayRetry: (changeId: string, failure: SlackFailure) => boolean;
  /** The last refusal since `clear`, if this process saw it. */
  readonly latest: (changeId: string) => SlackFailure | undefined;
  readonly clear: (changeId: string) => void;
};

const MOST_TRIES = 3;
const MOST_CHANGES = 1_000;

export function createRefusals(): Refusals {
  const refused = boundedMap<string, { readonly tries: number; readonly failure: SlackFailure }>(MOST_CHANGES);
  return {
    mayRetry(changeId, failure) {
      const isOurs = ["content", "ours", "unknown"].includes(failure.kind);
      const tries = (refused.get(changeId)?.tries ?? 0) + (isOurs ? 1 : 0);
      refused.set(changeId, { tries, failure });
      return isTemporary(failure) || (isOurs && tries < MOST_TRIES);
    },
    latest: (changeId) => refused.get(changeId)?.failure,
    clear: (changeId) => void refused.delete(changeId),
  };
}

/** Removes the buttons of a message that is not, or no longer, the card of a Change. Never rejects. */
export async function retireCard(
  { messenger, settings, log }: Pick<CardParts, "messenger" | "settings" | "log">,
  change: StoredChange,
  card: Card,
): Promise<void> {
  const post = retiredCard({ change, defaultRegion: settings.region });
  const retired = await messenger.update(card, post, "card");
  if (!retired.ok) {
    const { reference } = retired.failure;
    log.warn({ reference, changeId: change.id }, "a superseded card could not be retired");
  }
}
