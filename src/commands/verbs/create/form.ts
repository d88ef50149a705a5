import { createFields } from "./fields.ts";
import { filledLike } from "./filled-like.ts";
import type { FormFacts, FormValues } from "../../forms/form.ts";
import type { FormShape } from "../../forms/make-form.ts";
import type { VerbContext } from "../../grammar/verb.ts";

type CreateForm = FormShape & { readonly prefill: (values: FormValues, context: VerbContext) => Promise<FormFacts> };

/** One form for both kinds; what fields there are follows from the kind that is chosen. */
export const createForm: CreateForm = {
  title: "Create a workload",
  submit: "Create",
  fields: createFields,
  hasPreview: true,
  prefill: filledLike,
};
