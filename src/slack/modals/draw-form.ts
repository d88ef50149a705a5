import type { ModalView } from "@slack/types";
import type { FormField, FormValues } from "../../commands/forms/form.ts";
import { maskValues } from "../../commands/forms/form-secret.ts";
import { formView } from "../../views/forms/form-view.ts";
import type { Block } from "../../views/kit/message.ts";
import type { FormMetadata } from "./form-metadata.ts";
import type { FormCommand } from "../../commands/grammar/parse.ts";

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
  /** Fields with values that nobody typed here, so that Slack does not have them yet. */
  readonly fresh?: ReadonlySet<string>;
};

const nothing: ReadonlySet<string> = new Set();

/** The form of a verb with what stands in it. */
export function drawForm({ command, metadata, values }: OpenedForm, said: Said): ModalView {
  const { notes = [], above = [], submit, fresh = nothing } = said;
  const { form, name: verb } = command;
  const fields = metadata.needsReason === true ? form.fields(values).map(withReason) : form.fields(values);
  return formView({
    verb,
    form: submit === undefined ? form : { ...form, submit },
    fields,
    values: withoutSecrets(values, fields, fresh),
    notes,
    above,
    isMore: metadata.isMore,
    asksWhere: metadata.asksWhere,
    generations: metadata.generations,
    metadata: JSON.stringify(metadata),
  });
}

function withReason(field: FormField): FormField {
  return field.id === "reason" ? { ...field, isOptional: false } : field;
}

/** What was typed stays in its field without being sent there again: Slack keeps it, for the block has the same id. */
function withoutSecrets(values: FormValues, fields: readonly FormField[], fresh: ReadonlySet<string>): FormValues {
  const secret = fields.filter(({ id, isSecret }) => isSecret === true && !fresh.has(id) && values[id] !== undefined);
  return { ...values, ...Object.fromEntries(secret.map(({ id }) => [id, maskValues(values[id] ?? "")])) };
}
