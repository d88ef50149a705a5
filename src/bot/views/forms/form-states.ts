import type { ModalView } from "@slack/types";
import { section, context } from "../kit/blocks.ts";
import { words, channel, type Inline } from "../kit/inline.ts";
import type { Block, Post } from "../kit/message.ts";
import { modal } from "./modal.ts";
import type { StoredChange } from "../../changes/stored-change.ts";
import { actionWords } from "../cards/change-words.ts";
import { postOf } from "../kit/post.ts";

type Stage = { readonly title: string; readonly sentence: string };

const SENTENCE = 700;

/** Opened at once when the form needs data first: Slack's trigger_id expires after three seconds. */
export function skeletonView({ title, sentence }: Stage): ModalView {
  return modal({ title, close: "Cancel", blocks: [section([words(`⏳ ${sentence}`, SENTENCE)])] });
}

type End = { readonly title: string; readonly post: Pick<Post, "blocks"> };

/** A message shown in the form, without the blocks that only a message can have. */
export function endView({ title, post }: End): ModalView {
  const kept = post.blocks.filter(isForModals);
  return modal({ title, blocks: kept.length === 0 ? [section("Done.")] : kept });
}

/** A click in a modal doesn't name a message to update. */
function isForModals({ type }: Block): boolean {
  return type !== "actions";
}

type Placed = {
  readonly change: StoredChange;
  readonly defaultRegion?: string | undefined;
};

/** Shown in the form after its submission; the card reports the rest. */
export function placedInForm({ change, defaultRegion }: Placed): Post {
  const deed = actionWords(change, defaultRegion);
  const headline: Inline[] =
    change.state === "pending"
      ? [words("⏳ Sent for approval: "), ...deed, words(".")]
      : [words("🔄 Started: "), ...deed, words(".")];
  return postOf([section(headline, [...where(change), words(" shows the outcome.")]), context(`Request ${change.id}`)]);
}

function where({ card, terms, channelId }: StoredChange): Inline[] {
  const id = card?.channelId ?? terms?.cardIn ?? channelId;
  if (!/^[CG]/u.test(id)) return [words("The card in your messages with Gantry")];
  return [words("The card in "), channel(id)];
}
