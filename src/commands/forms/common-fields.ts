import { LONGEST_REASON } from "../grammar/common-flags.ts";
import type { FormField } from "./form.ts";

/** Fields shared by verbs. Their values are members of the Ask, not of its `args`. */
export type CommonId = "region" | "share" | "reason" | "break-glass";
export type CommonField = FormField & { readonly id: CommonId };

export const regionField: CommonField = {
  id: "region",
  label: "Region",
  hint: "Where the service is; jobs are always in the region us.",
  isOptional: true,
  isMore: true,
  input: { kind: "region" },
};

export const shareField: CommonField = {
  id: "share",
  label: "Who sees the answer",
  isOptional: true,
  isMore: true,
  input: { kind: "tick", text: "Show it to everybody in the channel" },
};

/** The reason of a rejection, always visible. */
export const rejectReasonField: CommonField = {
  id: "reason",
  label: "Reason",
  hint: "It stands on the card and in history.",
  placeholder: "Not before the sale is over",
  isOptional: true,
  input: { kind: "text", maxLength: LONGEST_REASON },
};

export const reasonField: CommonField = {
  ...rejectReasonField,
  hint: "Why, for those who approve and for history.",
  placeholder: "The sale is over",
};

export const breakGlassField: CommonField = {
  id: "break-glass",
  label: "Break the glass",
  hint: "Takes a reason, and the channel is told.",
  isOptional: true,
  isMore: true,
  input: { kind: "tick", text: "Run at once, without approval, where a rule lets me" },
};

export const readFields: readonly CommonField[] = [regionField, shareField];
export const writeFields: readonly CommonField[] = [regionField, reasonField, breakGlassField];
