import type { StoredChange } from "../../changes/stored-change.ts";
import { section } from "../kit/blocks.ts";
import { actionWords } from "./change-words.ts";
import { channel, code, words } from "../kit/inline.ts";
import type { Post } from "../kit/message.ts";
import { postOf } from "../kit/post.ts";

export type RetiredCard = {
  readonly change: StoredChange;
  readonly command: string;
  readonly defaultRegion?: string | undefined;
};

/** Replaces a card that was posted again elsewhere: nothing can be decided on it. */
export function retiredCard({ change, command, defaultRegion }: RetiredCard): Post {
  const { card, id } = change;
  const where = card === undefined ? [] : [words(" in "), channel(card.channelId)];
  return postOf([
    section(
      [
        words("This card is out of date: change "),
        code(id, 40),
        words(", to "),
        ...actionWords(change, defaultRegion),
        words(", has a newer card"),
        ...where,
        words("."),
      ],
      `Decide there, or see what waits with \`${command} pending\`.`,
    ),
  ]);
}
