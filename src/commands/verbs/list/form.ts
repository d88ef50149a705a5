import type { FormField } from "../../forms/form.ts";
import type { FormShape } from "../../forms/make-form.ts";

const fields: readonly FormField[] = [
  {
    id: "kind",
    label: "What",
    hint: "Both, if nothing is chosen.",
    isOptional: true,
    input: {
      kind: "choice",
      style: "menu",
      options: [
        { value: "services", text: "Services" },
        { value: "jobs", text: "Jobs" },
      ],
    },
  },
  {
    id: "text",
    label: "With this in the name",
    placeholder: "web",
    isOptional: true,
    input: { kind: "text", maxLength: 100 },
  },
  {
    id: "status",
    label: "With this status",
    placeholder: "Running",
    isOptional: true,
    input: { kind: "text", maxLength: 50 },
  },
];

export const listForm: FormShape = { title: "List workloads", submit: "List", fields: () => fields };
