import { changeBlocks, type ChangeCard } from "./change-card.ts";
import { section } from "../kit/blocks.ts";
import { words } from "../kit/inline.ts";
import { namesIn } from "./change-words.ts";
import { inviteHint } from "../messages/invite-hint.ts";
import type { Post } from "../kit/message.ts";
import { told } from "./spoken.ts";

export type RunWithoutCard = Omit<ChangeCard, "canUndo" | "isOnce"> & {
  /** How the bot is invited to where it cannot post; without it, no hint is given. */
  readonly botName?: string;
  /** Why there is no card, as a sentence. */
  readonly reason?: string;
};

/** How a Change went, for who asked alone, where no card can stand: without buttons, since nothing would draw them anew. */
export function runWithoutCard({ botName, reason, ...card }: RunWithoutCard): Post {
  const { change, names } = card;
  const why = reason === undefined ? [] : [section([words(reason)])];
  const hint = botName === undefined ? why : inviteHint(change.channelId, botName).blocks;
  return told([...changeBlocks({ ...card, canUndo: false, isOnce: true }), ...hint], namesIn(change, names));
}
