import type { ModalView } from "@slack/types";
import type { StoredChange } from "../../changes/stored-change.ts";
import { section } from "../kit/blocks.ts";
import { actionWords, personWords } from "../cards/change-words.ts";
import { diffList } from "../cards/diff.ts";
import { words } from "../kit/inline.ts";
import { modal, textInput } from "./modal.ts";

const REASON = 500;

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
      textInput({
        id: "reason",
        label: "Reason",
        hint: "Shown on the card and in history.",
        maxLength: REASON,
        isOptional: true,
        isMultiline: true,
      }),
    ],
  });
}
