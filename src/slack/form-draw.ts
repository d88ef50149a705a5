import type { ModalView } from "@slack/types";
import type { FormValues } from "../commands/form.ts";
import { formView } from "../views/form-view.ts";
import type { Block } from "../views/message.ts";
import type { FormCommand, FormMetadata } from "./form-metadata.ts";

/** A form as somebody has it before them. */
export type OpenedForm = {
  readonly command: FormCommand;
  readonly metadata: FormMetadata;
  readonly values: FormValues;
};

type Said = {
  /** Sentences for its head: what is known of the workload. */
  readonly notes?: readonly string[];
  /** Why it stands there again, or what it would do. */
  readonly above?: readonly Block[];
  /** Instead of the form's own, once its preview stands there. */
  readonly submit?: string;
};

/** The form of a verb with what stands in it. */
export function drawForm(
  { command, metadata, values }: OpenedForm,
  { notes = [], above = [], submit }: Said,
): ModalView {
  const { form, name: verb } = command;
  return formView({
    verb,
    form: submit === undefined ? form : { ...form, submit },
    fields: form.fields(values),
    values,
    notes,
    above,
    isMore: metadata.isMore,
    asksWhere: metadata.asksWhere,
    generations: metadata.generations,
    metadata: JSON.stringify(metadata),
  });
}
