import type { InputBlock, ModalView } from "@slack/types";
import { limits } from "../kit/blocks.ts";
import type { Block } from "../kit/message.ts";
import { plain, truncate, visible, visibleLines } from "../kit/text.ts";

// Builders of forms, as total as those of messages in blocks.ts.

type Modal = {
  readonly title: string;
  readonly blocks: readonly Block[];
  readonly close?: string;
  /** With it a form, whose clicks and submission come back under this callback_id. Without `submit` it cannot be sent. */
  readonly form?: { readonly callbackId: string; readonly submit?: string | undefined; readonly metadata: string };
};

/** A modal. Throws when the metadata is longer than Slack takes: cut, it would mean something else. */
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

/** A field to type into. */
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
