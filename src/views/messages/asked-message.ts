import type { StoredChange } from "../../changes/stored-change.ts";
import { termsWords, actionWords, namesIn } from "../cards/change-words.ts";
import { fields, section } from "../kit/blocks.ts";
import { channel, code, moment, words } from "../kit/inline.ts";
import type { Post } from "../kit/message.ts";
import { postOf, type Names } from "../kit/post.ts";

export type AskedElsewhere = {
  readonly change: StoredChange;
  /** The channel of the card. */
  readonly cardIn: string;
  readonly command: string;
  readonly defaultRegion?: string | undefined;
  readonly names?: Names;
};

/** For the requester, when the card is in another channel. */
export function askedElsewhere({ change, cardIn, command, defaultRegion, names = {} }: AskedElsewhere): Post {
  const { id, terms, expiresAt } = change;
  return postOf(
    [
      section([
        words("⏳ Asked in "),
        channel(cardIn),
        words(" for approval to "),
        ...actionWords(change, defaultRegion),
        words("."),
      ]),
      ...fields([
        { label: "Change", value: [code(id, 40)] },
        // Only the requester sees this, so mentions notify nobody.
        { label: "Needs", value: terms === undefined ? [] : termsWords({ ...terms, mention: "all" }, names) },
        { label: "Expires", value: expiresAt === undefined ? [] : [moment(expiresAt.toISOString())] },
      ]),
      section(`Its card tells how it goes. Take it back with \`${command} cancel ${id.replaceAll("`", "")}\``),
    ],
    namesIn(change, names),
  );
}
