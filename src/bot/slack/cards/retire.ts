import type { Card, StoredChange } from "../../changes/stored-change.ts";
import { retiredCard } from "../../views/cards/retired-card.ts";
import type { CardDeps } from "./work.ts";

/** Removes the buttons of a message that is not, or no longer, the card of a Change. Never rejects. */
export async function retireCard(
  { messenger, settings, log }: Pick<CardDeps, "messenger" | "settings" | "log">,
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
