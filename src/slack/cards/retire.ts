import type { Card, StoredChange } from "../../changes/stored-change.ts";
import { retiredCard } from "../../views/cards/retired-card.ts";
import type { Origin } from "../../workflow/origin.ts";
import type { Shell } from "../../workflow/shell.ts";
import type { CardDeps } from "./cards.ts";

type Clicked = { readonly card?: Card | undefined; readonly origin: Origin };

/** Removes the buttons of an outdated card that was clicked. False: the clicked card is up to date. Never rejects. */
export async function retire(
  { cards }: Pick<Shell, "cards">,
  change: StoredChange,
  { card }: Clicked,
): Promise<boolean> {
  if (card === undefined || change.card === undefined) return false;
  if (card.channelId === change.card.channelId && card.ts === change.card.ts) return false;
  await cards.retire(change, card);
  return true;
}

/** Removes the buttons of a message that is not, or no longer, the card of a Change. Never rejects. */
export async function retireCard(
  { messenger, settings, log }: Pick<CardDeps, "messenger" | "settings" | "log">,
  change: StoredChange,
  card: Card,
): Promise<void> {
  const post = retiredCard({ change, command: settings.command, defaultRegion: settings.region });
  const retired = await messenger.update(card, post, "card");
  if (!retired.ok) {
    const { reference } = retired.failure;
    log.warn({ reference, changeId: change.id }, "a superseded card could not be retired");
  }
}
