import type { StoredChange } from "../../changes/stored-change.ts";
import { termsWords, actionWords, namesIn, oneLine, personWords } from "./change-words.ts";
import { context, fields, section } from "../kit/blocks.ts";
import { words } from "../kit/inline.ts";
import type { Post } from "../kit/message.ts";
import { postOf, type Names } from "../kit/post.ts";
import { truncate } from "../kit/text.ts";

export type OpeningCard = {
  readonly change: StoredChange;
  readonly command: string;
  readonly defaultRegion?: string | undefined;
  readonly names?: Names;
};

const REASON = 500;

/**
 * A card as first posted; an update adds its buttons. If Slack's answer is lost, this message can never be updated, so
 * it has no buttons and stays true after a decision. It mentions the approvers, because only a new message notifies
 * them.
 */
export function openingCard({ change, command, defaultRegion, names = {} }: OpeningCard): Post {
  const { id, requester, reason, terms, state } = change;
  const name = truncate(id, 40);
  const facts = fields([
    { label: "Reason", value: reason === undefined ? [] : [words(oneLine(reason), REASON)] },
    { label: "Needs", value: state === "pending" && terms !== undefined ? termsWords(terms, names) : [] },
  ]);
  return postOf(
    [
      section([
        words("📨 "),
        personWords(requester),
        words(" asks to "),
        ...actionWords(change, defaultRegion),
        words("."),
      ]),
      ...facts,
      context(`Change ${name} · No buttons? See the newer message, or check ${command} pending`),
    ],
    namesIn(change, names),
  );
}
