import type { FormField } from "./form.ts";
import { LONGEST_REASON } from "../grammar/flags.ts";

/** The workload that a verb is about, found by typing. */
export const workloadField = {
  id: "name",
  label: "Workload",
  placeholder: "Choose a service or job",
  input: { kind: "workload", of: "any" },
} as const satisfies FormField;

/** The same for verbs that take services only. Choosing another one prefills the form again. */
export const serviceField = {
  id: "name",
  label: "Service",
  placeholder: "Choose a service",
  redraws: true,
  input: { kind: "workload", of: "service" },
} as const satisfies FormField;

/** A request that waits for approval. */
export const changeField = {
  id: "id",
  label: "Request",
  placeholder: "Choose a waiting request",
  input: { kind: "change" },
} as const satisfies FormField;

/** A box among the rarer fields. */
export function tick(id: string, label: string, text: string): FormField {
  return { id, label, isMore: true, input: { kind: "tick", text } };
}

/** Fields shared by verbs. Their values are members of the Ask, not of its `args`. */
type CommonId = "region" | "share" | "reason" | "break-glass";
export type CommonField = FormField & { readonly id: CommonId };

export const regionField: CommonField = {
  id: "region",
  label: "Region",
  hint: "Where the service runs. Jobs have their own region.",
  isOptional: true,
  isMore: true,
  input: { kind: "region" },
};

export const shareField: CommonField = { ...tick("share", "Who sees it", "Everyone in this channel"), id: "share" };

/** The reason of a rejection, always visible. */
export const rejectReasonField: CommonField = {
  id: "reason",
  label: "Reason",
  hint: "Shown on the card and in history.",
  placeholder: "For example: wait until the sale is over",
  isOptional: true,
  input: { kind: "text", maxLength: LONGEST_REASON },
};

const reasonField: CommonField = {
  ...rejectReasonField,
  hint: "Shown to approvers and in history.",
  placeholder: "For example: orders time out",
};

const breakGlassField: CommonField = {
  id: "break-glass",
  label: "Break glass",
  hint: "Needs a reason. The channel is notified.",
  isMore: true,
  input: { kind: "tick", text: "Run now without approval, if policy allows it" },
};

export const readFields: readonly CommonField[] = [regionField, shareField];
export const writeFields: readonly CommonField[] = [regionField, reasonField, breakGlassField];
