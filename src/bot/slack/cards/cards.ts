import { type CardDeps, createRefusals } from "./work.ts";
import type { Cards } from "../../workflow/ports.ts";
import { drawCard } from "./draw.ts";
import { retireCard } from "./retire.ts";
import { tellRequester } from "./tell-requester.ts";

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
