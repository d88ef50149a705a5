import type { Logger } from "pino";
import type { Sealer } from "../../accounts/seal.ts";
import type { Settings } from "../../commands/command.ts";
import type { Store } from "../../store/store.ts";
import type { Cards, Clock, People } from "../../workflow/ports.ts";
import type { Messenger } from "../send/messenger.ts";
import { drawCard } from "./draw.ts";
import { retireCard } from "./retire.ts";
import { tellRequester } from "./tell-requester.ts";
import { LRUCache } from "lru-cache";
import { isTemporary, type SlackFailure } from "../send/slack-error.ts";

export type CardDeps = {
  readonly messenger: Pick<Messenger, "post" | "update" | "respond" | "permalink">;
  readonly people: People;
  readonly store: Pick<
    Store,
    | "beginDrawing"
    | "holdDrawing"
    | "drew"
    | "postponeDrawing"
    | "beginTelling"
    | "holdTelling"
    | "told"
    | "postponeTelling"
    | "find"
  >;
  readonly sealer: Sealer;
  readonly settings: Settings;
  readonly clock: Pick<Clock, "now">;
  readonly log: Logger;
};

export type DrawDeps = CardDeps & { readonly refusals: Refusals };

export function createCards(deps: CardDeps): Cards {
  const drawDeps = { ...deps, refusals: createRefusals() };
  return {
    draw: (changeId, known) => drawCard(drawDeps, changeId, known),
    retire: (change, card) => retireCard(deps, change, card),
    async link({ card }) {
      if (card === undefined) return undefined;
      const link = await deps.messenger.permalink(card);
      return link.ok ? link.value : undefined;
    },
    tell: (changeId, when) => tellRequester(drawDeps, changeId, when),
  };
}

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
  const refused = new LRUCache<string, { readonly tries: number; readonly failure: SlackFailure }>({
    max: MOST_CHANGES,
  });
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
