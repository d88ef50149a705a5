import type { ModalView } from "@slack/types";
import { type FormField, type FormValues, type FormFacts, maskValues } from "../../commands/forms/form.ts";
import { formView } from "../../views/forms/form-view.ts";
import { type Block, type Line, section } from "../../views/kit/blocks.ts";
import { strong, words } from "../../views/kit/inline.ts";
import { type FormMetadata, digest, keptOptions } from "./form-metadata.ts";
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
  const all = form
    .fields(values)
    .filter(({ id }) => !hidden.has(id))
    .flatMap((field) => withOptions(field, metadata));
  const fields =
    metadata.needsReason === true
      ? all.map((field) => (field.id === "reason" ? { ...field, isOptional: false } : field))
      : all;
  // Typed secrets are not sent back to Slack, which keeps them while the block's id stays the same.
  const typed = fields.filter(({ id, isSecret }) => isSecret === true && !fresh.has(id) && values[id] !== undefined);
  const masked = Object.fromEntries(typed.map(({ id }) => [id, maskValues(values[id] ?? "")]));
  return formView({
    verb,
    form: { ...form, submit: submit ?? (form.hasPreview === true ? "Preview" : form.submit) },
    fields,
    values: { ...values, ...masked },
    notes,
    above: [...accountLine(metadata), ...above],
    isMore: metadata.isMore,
    asksWhere: metadata.asksWhere ? command.effect : undefined,
    generations: metadata.generations,
    metadata: JSON.stringify(metadata),
  });
}

function accountLine({ otherAccount }: FormMetadata): Block[] {
  return otherAccount === undefined ? [] : [section([words("For the account "), strong(otherAccount, 100)])];
}

function withOptions(field: FormField, { options: found = {} }: FormMetadata): FormField[] {
  if (field.input.kind !== "listed") return [field];
  const options = (Object.hasOwn(found, field.id) ? found[field.id] : undefined) ?? [];
  if (options.length === 0) return [];
  const known = options.map(({ value, text, description = "" }) => ({ value, text, description }));
  return [{ ...field, input: { kind: "choice", style: "menu", options: known } }];
}

/** True if the form needs a read: of the chosen workload, or of the one to create another like. */
export function readsFacts({ command, values, metadata }: OpenedForm): boolean {
  const { form } = command;
  if (form.prefill === undefined) return false;
  if (metadata.like !== undefined) return true;
  const asksForWorkload = form.fields(values).some(({ id, input }) => id === "name" && input.kind === "workload");
  return asksForWorkload && values["name"] !== undefined;
}

/** The name the form reads about, as people say it. */
export function chosenName({ values, metadata }: OpenedForm): string | undefined {
  return (metadata.like ?? values["name"])?.replace(/^(?:service|job)\//u, "");
}

/** Identifies what the form reads about: equal choices show equal facts. */
function choiceOf({ values, metadata: { like } }: OpenedForm): string {
  return digest(JSON.stringify(like === undefined ? [values["name"], values["region"]] : [like]));
}

/**
 * The form while it reads about what is chosen in it. Values read about another workload are dropped; typed values stay.
 */
export function readingForm(opened: OpenedForm): OpenedForm {
  const { previewed: _previewed, about: _about, options: _options, ...metadata } = opened.metadata;
  const former = [...Object.keys(metadata.filled).filter((id) => isFilled(opened, id)), ...listedIn(opened)];
  const values = Object.fromEntries(Object.entries(opened.values).filter(([id]) => !former.includes(id)));
  const generations = { ...metadata.generations, ...raised(opened, former) };
  return { ...opened, values, metadata: { ...metadata, generations, filled: {}, isReading: true } };
}

/** Read values fill empty fields and replace values read before, but never typed ones. */
export function filledForm(opened: OpenedForm, { values: facts, options }: Omit<FormFacts, "notes">): OpenedForm {
  const { values } = opened;
  const { isReading: _isReading, ...metadata } = opened.metadata;
  const isTyped = (id: string): boolean => values[id] !== undefined && !isFilled(opened, id);
  const news = Object.entries(facts).filter(([id, value]) => !isTyped(id) && values[id] !== value);
  const ids = news.map(([id]) => id);
  const filled = Object.fromEntries(news.map(([id, value]) => [id, digest(value)]));
  return {
    ...opened,
    values: { ...values, ...Object.fromEntries(news) },
    metadata: {
      ...metadata,
      about: choiceOf(opened),
      ...(options !== undefined && { options: keptOptions(options) }),
      generations: { ...metadata.generations, ...raised(opened, ids) },
      filled: { ...metadata.filled, ...filled },
    },
  };
}

/** True if the form's facts are about another workload than the one chosen now. */
export function isOutdated(opened: OpenedForm): boolean {
  return readsFacts(opened) && opened.metadata.about !== choiceOf(opened);
}

/** True if a form must be read again before it can be sent: fields are missing, or hold values of another workload. */
export function mustReadFirst(opened: OpenedForm): boolean {
  if (!isOutdated(opened)) return false;
  if (opened.metadata.isReading === true) return hiddenWhileReading(opened).size > 0;
  if (listedIn(opened).some((id) => opened.values[id] !== undefined)) return true;
  return Object.keys(opened.metadata.filled).some((id) => isFilled(opened, id));
}

const always: ReadonlySet<string> = new Set(["name", "region", "reason", "share", "break-glass"]);

/**
 * Fields that are hidden while the form reads. Filling a field needs a new block, so a value that somebody typed there in
 * the meantime would be lost.
 */
export function hiddenWhileReading({ command, values }: OpenedForm): ReadonlySet<string> {
  const hidden = command.form
    .fields(values)
    .filter((field) => !isChoice(field) && !always.has(field.id) && values[field.id] === undefined);
  return new Set(hidden.map(({ id }) => id));
}

/**
 * Makes a form show exactly the workload that it was drawn for. Slack keeps a later choice in a block with the same id, so
 * a draw without `hash` would put facts about one workload under the name of another.
 */
export function withChoiceShown(opened: OpenedForm): OpenedForm {
  const { command, values, metadata } = opened;
  const ids = command.form
    .fields(values)
    .filter((field) => isChoice(field) || field.input.kind === "region")
    .map(({ id }) => id);
  return { ...opened, metadata: { ...metadata, generations: { ...metadata.generations, ...raised(opened, ids) } } };
}

function listedIn({ command, values }: OpenedForm): readonly string[] {
  return command.form
    .fields(values)
    .filter(({ input }) => input.kind === "listed")
    .map(({ id }) => id);
}

function isChoice({ redraws, input }: FormField): boolean {
  return redraws === true || input.kind === "workload";
}

function isFilled({ values, metadata }: OpenedForm, id: string): boolean {
  const value = values[id];
  return value !== undefined && metadata.filled[id] === digest(value);
}

function raised({ metadata }: OpenedForm, ids: readonly string[]): Readonly<Record<string, number>> {
  return Object.fromEntries(ids.map((id) => [id, (metadata.generations[id] ?? 0) + 1]));
}
