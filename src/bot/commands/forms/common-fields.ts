import { LONGEST_REASON } from "../grammar/common-flags.ts";
import type { FormField } from "./form.ts";

/** Fields shared by verbs. Their values are members of the Ask, not of its `args`. */
export type CommonId = "region" | "share" | "reason" | "break-glass";
export type CommonField = FormField & { readonly id: CommonId };

export const regionField: CommonField = {
  id: "region",
  label: "Region",
  hint: "Where the service runs. Jobs have their own region.",
  isOptional: true,
  isMore: true,
  input: { kind: "region" },
};

export const shareField: CommonField = {
  id: "share",
  label: "Who sees it",
  isOptional: true,
  isMore: true,
  input: { kind: "tick", text: "Everyone in this channel" },
};

/** The reason of a rejection, always visible. */
export const rejectReasonField: CommonField = {
  id: "reason",
  label: "Reason",
  hint: "Shown on the card and in history.",
  placeholder: "For example: wait until the sale is over",
  isOptional: true,
  input: { kind: "text", maxLength: LONGEST_REASON },
};

export const reasonField: CommonField = {
  ...rejectReasonField,
  hint: "Shown to approvers and in history.",
  placeholder: "For example: orders time out",
};

export const breakGlassField: CommonField = {
  id: "break-glass",
  label: "Break glass",
  hint: "Needs a reason. The channel is notified.",
  isOptional: true,
  isMore: true,
  input: { kind: "tick", text: "Run now without approval, if policy allows it" },
};

export const readFields: readonly CommonField[] = [regionField, shareField];
export const writeFields: readonly CommonField[] = [regionField, reasonField, breakGlassField];
