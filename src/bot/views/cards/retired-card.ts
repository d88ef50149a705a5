import type { StoredChange } from "../../changes/stored-change.ts";
import { context, section } from "../kit/blocks.ts";
import { channel, strong, words } from "../kit/inline.ts";
import type { Post } from "../kit/message.ts";
import { postOf } from "../kit/post.ts";
import { truncate } from "../kit/text.ts";
import { phraseText } from "./phrases.ts";

export type RetiredCard = {
  readonly change: StoredChange;
  readonly defaultRegion?: string | undefined;
};

/** Replaces a card that was posted again elsewhere: nothing can be decided on it. */
export function retiredCard({ change, defaultRegion }: RetiredCard): Post {
  const { card, id } = change;
  const where = card === undefined ? [] : [words(" in "), channel(card.channelId)];
  return postOf([
    section(
      [words("↪️ "), strong(`Moved: ${phraseText(change, "title", defaultRegion)}`, 400)],
      [words("This request has a newer card"), ...where, words(". Use that one.")],
    ),
    context(truncate(id, 40)),
  ]);
}
