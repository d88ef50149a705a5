import type { ModalView } from "@slack/types";
import type { FormField, FormValues } from "../../commands/forms/form.ts";
import { maskValues } from "../../commands/forms/argument-text.ts";
import { formView } from "../../views/forms/form-view.ts";
import type { Line } from "../../views/kit/blocks.ts";
import type { Block } from "../../views/kit/message.ts";
import type { FormMetadata } from "./form-metadata.ts";
import type { FormCommand } from "../../commands/grammar/parse.ts";

/** A form as a person has it open. */
export type OpenedForm = {
  readonly command: FormCommand;
  readonly metadata: FormMetadata;
  readonly values: FormValues;
};

type Extras = {
  /** Sentences about the workload, before the fields. */
  readonly notes?: readonly Line[];
  /** Above everything else: a refusal, or the preview. */
  readonly above?: readonly Block[];
  /** Instead of the form's own button, below a preview. */
  readonly submit?: string;
  /** Fields whose values were not typed in this view, so that Slack does not have them yet. */
  readonly fresh?: ReadonlySet<string>;
  /** Fields that are left out. */
  readonly hidden?: ReadonlySet<string>;
};

const none: ReadonlySet<string> = new Set();

export function drawForm({ command, metadata, values }: OpenedForm, extras: Extras): ModalView {
  const { notes = [], above = [], submit, fresh = none, hidden = none } = extras;
  const { form, name: verb } = command;
  const all = form.fields(values).filter(({ id }) => !hidden.has(id));
  const fields = metadata.needsReason === true ? all.map(withReason) : all;
  return formView({
    verb,
    form: { ...form, submit: submit ?? (form.hasPreview === true ? "Preview" : form.submit) },
    fields,
    values: withoutSecrets(values, fields, fresh),
    notes,
    above,
    isMore: metadata.isMore,
    asksWhere: metadata.asksWhere ? (command.effect === "read" ? "answer" : "card") : undefined,
    generations: metadata.generations,
    metadata: JSON.stringify(metadata),
  });
}

function withReason(field: FormField): FormField {
  return field.id === "reason" ? { ...field, isOptional: false } : field;
}

/** Typed secrets are not sent back to Slack, which keeps them while the block's id stays the same. */
function withoutSecrets(values: FormValues, fields: readonly FormField[], fresh: ReadonlySet<string>): FormValues {
  const secret = fields.filter(({ id, isSecret }) => isSecret === true && !fresh.has(id) && values[id] !== undefined);
  return { ...values, ...Object.fromEntries(secret.map(({ id }) => [id, maskValues(values[id] ?? "")])) };
}
