import type { StoredChange } from "../../changes/stored-change.ts";
import { type Line, section } from "../kit/blocks.ts";
import { channel, code, words } from "../kit/inline.ts";
import { type Post, type Names, postOf } from "../kit/post.ts";
import { inviteHint } from "../messages/sentences.ts";
import { changeBlocks } from "./change-card.ts";
import { namesIn, personWords } from "./change-words.ts";

export type NewsPost = {
  readonly change: StoredChange;
  /** This region isn't mentioned; without it, none is. */
  readonly defaultRegion?: string | undefined;
  readonly names?: Names;
  /** In the thread of the card for everybody, or for the requester alone. */
  readonly route: "thread" | "alone";
  /** It hasn't ended. */
  readonly isRunning?: boolean;
  /** It took effect, and the workload is still being watched. */
  readonly isWatched?: boolean;
  /** Only its thread takes nothing. */
  readonly isCardShown?: boolean;
  /** The card shows it, and they asked to be notified. */
  readonly isAsked?: boolean;
  /** Adds a hint how to invite the bot. */
  readonly botName?: string;
  /** Why the card doesn't show it, as the end of a sentence; and the reference in the log. */
  readonly reason?: string;
  readonly reference?: string;
};

/** News for a requester whose card doesn't show it. No buttons: nothing would update them. */
export function newsPost(news: NewsPost): Post {
  const { change, names, route, botName, isWatched = false } = news;
  const mention = route === "thread" ? [section([personWords(change.requester)])] : [];
  const willTell = isWatched && news.isRunning !== true;
  const watched = willTell ? [section("I'm still watching it, and I'll tell you if it fails.")] : [];
  const why = news.isAsked
    ? [section(whereCard(change))]
    : botName === undefined || route === "thread"
      ? [section(whyNoCard(news))]
      : inviteHint(change.channelId, botName).blocks;
  return postOf([...mention, ...changeBlocks(news), ...watched, ...why], namesIn(change, names));
}

/** "You asked to hear how it ends. Its card is in #ops." */
function whereCard({ card }: StoredChange): Line {
  const asked = words("You asked to hear how it ends.");
  // A conversation of two has no name.
  return card === undefined || card.channelId.startsWith("D")
    ? [asked]
    : [asked, words(" Its card is in "), channel(card.channelId), words(".")];
}

/** "The card in #ops can't be updated: the channel is archived. Reference `1f9c02ab`." */
function whyNoCard({ change, isRunning = false, isCardShown = false, reason, reference }: NewsPost): Line {
  const { card, terms, channelId } = change;
  const where = channel(card?.channelId ?? terms?.cardIn ?? channelId);
  const [before, after] =
    card === undefined
      ? ["There's no card in ", ""]
      : isCardShown
        ? ["I couldn't post this in the card's thread in ", ""]
        : ["The card in ", " can't be updated"];
  const known = reference === undefined ? [] : [words(" Reference "), code(reference, 40), words(".")];
  const then = isRunning ? " It runs, so don't request it again. I'll tell you here how it ends." : "";
  return [words(before), where, words(`${after}: ${reason ?? "Slack isn't taking it right now"}.${then}`), ...known];
}
