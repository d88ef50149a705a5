import type { StoredChange } from "../../changes/stored-change.ts";
import { phraseText } from "../cards/phrases.ts";
import { termsWords, namesIn } from "../cards/change-words.ts";
import { actionButton, actions, context, linkButton, section } from "../kit/blocks.ts";
import { channel, expires, strong, words } from "../kit/inline.ts";
import type { Post } from "../kit/message.ts";
import { postOf, type Names } from "../kit/post.ts";
import { truncate } from "../kit/text.ts";

export type AskedElsewhere = {
  readonly change: StoredChange;
  /** The channel of the card. */
  readonly cardIn: string;
  /** Link to the card, if known. */
  readonly link?: string | undefined;
  readonly defaultRegion?: string | undefined;
  readonly names?: Names;
};

/** For the requester, when the card is in another channel. */
export function askedElsewhere({ change, cardIn, link, defaultRegion, names = {} }: AskedElsewhere): Post {
  const { id, terms, expiresAt } = change;
  // Only the requester sees this, so mentions notify nobody.
  const needs = terms === undefined ? [] : termsWords({ ...terms, mention: "all" }, names);
  const end = expiresAt === undefined ? [] : [words(" · "), expires(expiresAt.toISOString())];
  return postOf(
    [
      section(
        [words("⏳ "), strong(`Waiting for approval: ${phraseText(change, "title", defaultRegion)}`, 400)],
        [
          words("Requested in "),
          channel(cardIn),
          ...(needs.length === 0 ? [] : [words(" · needs "), ...needs]),
          ...end,
        ],
      ),
      ...actions(
        linkButton("Open card", link),
        actionButton({ label: "Cancel", action: { kind: "request", act: "cancel", isBeside: true }, value: id }),
      ),
      context(truncate(id, 40)),
    ],
    namesIn(change, names),
  );
}
