import type { StoredChange } from "../changes/stored-change.ts";
import { context, section } from "./blocks.ts";
import { deedWords } from "./change-words.ts";
import { channel, words, type Inline } from "./inline.ts";
import type { Post } from "./message.ts";
import { told } from "./spoken.ts";

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
  return told([
    section(said, [words("How it goes stands "), ...where(change), words(".")]),
    context(`Change ${change.id}`),
  ]);
}

/** Whether a card can stand there is known only of those that wait: the others run at once, wherever they were asked for. */
function where({ card, terms, channelId, state }: StoredChange): Inline[] {
  const id = card?.channelId ?? terms?.cardIn ?? channelId;
  if (!/^[CG]/u.test(id)) return [words("in your conversation with Gantry")];
  const there = [words("on its card in "), channel(id)];
  return state === "pending" ? there : [...there, words("; where Gantry may not post, it tells you alone")];
}
