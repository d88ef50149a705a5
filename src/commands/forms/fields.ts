import type { FormField } from "./form.ts";

/** The workload that a verb is about, found by typing. */
export const workloadField = {
  id: "name",
  label: "Workload",
  placeholder: "A service or a job",
  input: { kind: "workload", of: "any" },
} as const satisfies FormField;

/** What stands in the form is read anew when another workload is chosen. */
export function lookedAt(field: FormField): FormField {
  return { ...field, redraws: true };
}

/** The same for verbs that are for services only, all of which look at it. */
export const serviceField: FormField = lookedAt({
  id: "name",
  label: "Service",
  placeholder: "A service",
  input: { kind: "workload", of: "service" },
});
