import type { InputBlock, ModalView } from "@slack/types";
import { limits } from "../kit/blocks.ts";
import type { Block } from "../kit/message.ts";
import { plain, truncate, visible, visibleLines } from "../kit/text.ts";

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

type TextInput = {
  /** Both block_id and action_id. */
  readonly id: string;
  readonly label: string;
  readonly hint?: string;
  readonly initial?: string | undefined;
  readonly maxLength: number;
  readonly isOptional?: boolean;
  readonly isMultiline?: boolean;
};

export function textInput(input: TextInput): InputBlock {
  const { id, label, hint, initial = "", isOptional = false, isMultiline = false } = input;
  const maxLength = Math.min(input.maxLength, limits.inputLength);
  const before = truncate(isMultiline ? visibleLines(initial) : visible(initial), maxLength);
  return {
    type: "input",
    block_id: id,
    label: plain(label, limits.inputLabel),
    optional: isOptional,
    ...(hint !== undefined && { hint: plain(hint, limits.inputHint) }),
    element: {
      type: "plain_text_input",
      action_id: id,
      multiline: isMultiline,
      max_length: maxLength,
      ...(before !== "" && { initial_value: before }),
    },
  };
}
