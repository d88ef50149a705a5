import type { Card, StoredChange } from "../../changes/stored-change.ts";
import { retiredCard } from "../../views/cards/retired-card.ts";
import type { Origin } from "../../workflow/origin.ts";
import type { Shell } from "../../workflow/shell.ts";

type Clicked = { readonly card?: Card | undefined; readonly origin: Origin };

/**
 * Handles a click on an outdated card: removes its buttons and ignores the click. Resolves to whether it was outdated.
 */
export async function retire(shell: Shell, change: StoredChange, { card }: Clicked): Promise<boolean> {
  if (card === undefined || change.card === undefined) return false;
  if (card.channelId === change.card.channelId && card.ts === change.card.ts) return false;
  await retireCard(shell, change, card);
  return true;
}

/** Removes the buttons of a message that is not, or no longer, the card of a Change. Never rejects. */
export async function retireCard(shell: Shell, change: StoredChange, card: Card): Promise<void> {
  const { text, blocks } = retiredCard({
    change,
    command: shell.settings.command,
    defaultRegion: shell.settings.region,
  });
  try {
    await shell.clients.drawing.chat.update({
      channel: card.channelId,
      ts: card.ts,
      text,
      blocks: [...blocks],
    });
  } catch (err) {
    shell.log.warn({ err, changeId: change.id }, "a superseded card could not be retired");
  }
}
