import type { FormField } from "./form.ts";

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
