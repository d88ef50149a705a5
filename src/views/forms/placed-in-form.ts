import type { StoredChange } from "../../changes/stored-change.ts";
import { context, section } from "../kit/blocks.ts";
import { deedWords } from "../cards/change-words.ts";
import { channel, words, type Inline } from "../kit/inline.ts";
import type { Post } from "../kit/message.ts";
import { told } from "../cards/spoken.ts";

type Placed = {
  readonly change: StoredChange;
  readonly defaultRegion?: string | undefined;
};

/** What became of a form that was sent: the change itself is told by its card. */
export function placedInForm({ change, defaultRegion }: Placed): Post {
  const deed = deedWords(change, defaultRegion);
  const said: Inline[] =
    change.state === "pending"
      ? [words("⏳ You asked to "), ...deed, words(". Others have to approve it.")]
      : [words("✅ Gantry is at it: "), ...deed, words(".")];
  return told([section(said, [...where(change), words(" tells how it goes.")]), context(`Change ${change.id}`)]);
}

function where({ card, terms, channelId }: StoredChange): Inline[] {
  const id = card?.channelId ?? terms?.cardIn ?? channelId;
  if (!/^[CG]/u.test(id)) return [words("Its card in your conversation with Gantry")];
  return [words("Its card in "), channel(id)];
}
