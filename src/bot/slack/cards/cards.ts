import type { Logger } from "pino";
import type { Sealer } from "../../accounts/seal.ts";
import type { Settings } from "../../commands/command.ts";
import type { Store } from "../../store/store.ts";
import type { Cards, Clock, People } from "../../workflow/ports.ts";
import type { Messenger } from "../send/messenger.ts";
import { drawCard } from "./draw.ts";
import { createRefusals, type Refusals } from "./refusals.ts";
import { retireCard } from "./retire.ts";
import { tellRequester } from "./tell-requester.ts";

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
