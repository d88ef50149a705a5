import type { FormField } from "./form.ts";

/** The change that is decided about. */
export const changeField: FormField = {
  id: "id",
  label: "Change",
  placeholder: "One that waits",
  input: { kind: "change" },
};
