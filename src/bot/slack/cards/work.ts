import type { Card } from "../../changes/stored-change.ts";
import type { Content } from "../../workflow/stored-request.ts";
import type { Store } from "../../store/store.ts";
import type { Drawing } from "../../workflow/ports.ts";

/** One drawing of a card: the state to draw, its content, and the right to draw it. */
export type Work = Drawing & {
  /** Opened at most once. Undefined: it can't be opened any more. */
  readonly content: () => Content | undefined;
  readonly right: Right;
};

/**
 * The right to draw lasts for one call to Slack. It was just taken, or extended with a new card, before the first call;
 * every later call extends it first.
 */
export type Right = {
  /** False: another replica draws now. */
  readonly extend: () => Promise<boolean>;
  /** Stores where a new card is, and extends the right. */
  readonly keep: (card: Card) => ReturnType<Store["holdDrawing"]>;
};

export function createRight(store: Pick<Store, "holdDrawing">, changeId: string, token: string): Right {
  let isFresh = true;
  return {
    async extend() {
      const isHeld = isFresh || (await store.holdDrawing(changeId, token)) === "held";
      isFresh = false;
      return isHeld;
    },
    keep(card) {
      isFresh = true;
      return store.holdDrawing(changeId, token, card);
    },
  };
}
