import type { ModalView } from "@slack/types";
import { section } from "../kit/blocks.ts";
import { words } from "../kit/inline.ts";
import type { Block, Post } from "../kit/message.ts";
import { modal } from "./modal.ts";

type Stage = { readonly title: string; readonly sentence: string };

const SENTENCE = 700;

/** What is opened at once where something has to be read first: a click is good for a form for three seconds only. */
export function skeletonView({ title, sentence }: Stage): ModalView {
  return modal({ title, close: "Cancel", blocks: [section([words(`⏳ ${sentence}`, SENTENCE)])] });
}

type End = { readonly title: string; readonly post: Pick<Post, "blocks"> };

/** How it ended, in the form itself: what a message would say, without what only a message can have. */
export function endView({ title, post }: End): ModalView {
  const kept = post.blocks.filter(isForModals);
  return modal({ title, blocks: kept.length === 0 ? [section("It is done.")] : kept });
}

/** Slack takes no table in a modal, and a click in one tells no message that could be drawn again. */
function isForModals({ type }: Block): boolean {
  return type !== "table" && type !== "actions";
}
