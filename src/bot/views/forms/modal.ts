import type { ModalView } from "@slack/types";
import { limits, type Block, section, context } from "../kit/blocks.ts";
import { plain } from "../kit/text.ts";
import { words, channel, type Inline } from "../kit/inline.ts";
import { formInput } from "./form-element.ts";
import { type Post, postOf } from "../kit/post.ts";
import type { StoredChange } from "../../changes/stored-change.ts";
import { actionWords, personWords } from "../cards/change-words.ts";
import { diffList } from "../cards/diff.ts";

// Like the builders in blocks.ts, these accept any input and stay within Slack's limits.

type Modal = {
  readonly title: string;
  readonly blocks: readonly Block[];
  readonly close?: string;
  /** For modals that send clicks and submissions back. Without `submit` there is no submit button. */
  readonly form?: { readonly callbackId: string; readonly submit?: string | undefined; readonly metadata: string };
};

/** Throws when the metadata is too long for Slack, because truncating would change its meaning. */
export function modal({ title, blocks, close = "Close", form }: Modal): ModalView {
  if (form !== undefined && form.metadata.length > limits.viewMetadata) {
    throw new Error(`the metadata of a form is longer than ${limits.viewMetadata} characters`);
  }
  return {
    type: "modal",
    title: plain(title, limits.viewTitle),
    close: plain(close, limits.viewClose),
    ...(form !== undefined && {
      callback_id: form.callbackId,
      ...(form.submit !== undefined && { submit: plain(form.submit, limits.viewSubmit) }),
      private_metadata: form.metadata,
    }),
    blocks: blocks.slice(0, limits.viewBlocks),
  };
}

type Stage = { readonly title: string; readonly sentence: string };

const SENTENCE = 700;

/** Opened at once when the form needs data first: Slack's trigger_id expires after three seconds. */
export function skeletonView({ title, sentence }: Stage): ModalView {
  return modal({ title, close: "Cancel", blocks: [section([words(`⏳ ${sentence}`, SENTENCE)])] });
}

type End = { readonly title: string; readonly post: Pick<Post, "blocks"> };

/** A message shown in the form, without the blocks that only a message can have. */
export function endView({ title, post }: End): ModalView {
  // A click in a modal doesn't name a message to update.
  const kept = post.blocks.filter(({ type }) => type !== "actions");
  return modal({ title, blocks: kept.length === 0 ? [section("Done.")] : kept });
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

export type RejectForm = {
  readonly change: StoredChange;
  /** Comes back with the submission; at most 3,000 characters. */
  readonly metadata: string;
  readonly defaultRegion?: string | undefined;
};

/** Asks for the reason of a rejection. Its field `reason` is optional. */
export function rejectForm({ change, metadata, defaultRegion }: RejectForm): ModalView {
  return modal({
    title: "Reject request",
    close: "Back",
    form: { callbackId: "change:reject", submit: "Reject", metadata },
    blocks: [
      section([personWords(change.requester), words(" wants to "), ...actionWords(change, defaultRegion), words(".")]),
      ...diffList(change.diff),
      formInput({
        id: "reason",
        label: "Reason",
        hint: "Shown on the card and in history.",
        isOptional: true,
        input: { kind: "lines", maxLength: 500 },
      }),
    ],
  });
}
