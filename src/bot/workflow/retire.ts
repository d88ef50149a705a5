import type { Card, StoredChange } from "../changes/stored-change.ts";
import type { WorkflowParts } from "./ports.ts";

/** Handles a click on an outdated card: removes its buttons. Resolves to whether the clicked card was outdated. */
export async function retireOutdated(
  { cards }: Pick<WorkflowParts, "cards">,
  change: StoredChange,
  clicked: Card | undefined,
): Promise<boolean> {
  const { card } = change;
  if (clicked === undefined || card === undefined) return false;
  if (clicked.channelId === card.channelId && clicked.ts === card.ts) return false;
  await cards.retire(change, clicked);
  return true;
}
