import type { StoredChange } from "../../changes/stored-change.ts";
import { context } from "../kit/blocks.ts";
import type { Post } from "../kit/message.ts";
import { postOf, type Names } from "../kit/post.ts";
import { truncate } from "../kit/text.ts";
import { headlineBlock } from "./change-card.ts";
import { changeFacts } from "./change-facts.ts";
import { namesIn } from "./change-words.ts";

export type OpeningCard = {
  readonly change: StoredChange;
  readonly defaultRegion?: string | undefined;
  readonly names?: Names;
};

/**
 * A card as first posted; an update adds its buttons. If Slack's answer is lost, this message can never be updated, so
 * it has no buttons and stays true after a decision: it shows no count and no end. It mentions the approvers, because
 * only a new message notifies them.
 */
export function openingCard({ change, defaultRegion, names = {} }: OpeningCard): Post {
  const asked: StoredChange = { ...change, votes: [], expiresAt: undefined, notice: undefined };
  return postOf(
    [
      headlineBlock(asked, defaultRegion),
      ...changeFacts(asked, names),
      context(`${truncate(change.id, 40)} · No buttons? A newer message has them.`),
    ],
    namesIn(change, names),
  );
}
