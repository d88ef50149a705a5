import { z } from "zod";
import { attempt, UserError } from "../../errors.ts";
import {
  type CommonField,
  type FilledForm,
  type FormField,
  type FormValues,
  argumentOf,
  linesOf,
  type RawArgument,
  maskedLine,
  textOf,
  looksSecret,
} from "./form.ts";
import type { Form } from "../command.ts";
import type { Ask } from "../../ask.ts";
import { isRegionName } from "../grammar/argument-types.ts";
import { breakGlassNeedsReason, readReason } from "../grammar/flags.ts";
import { truncate, visible } from "../../views/kit/text.ts";
import { isSecretName, isSecretVariable } from "../../logs/secret-values.ts";

export type RawArguments = Readonly<Record<string, RawArgument>>;

/** The form in a verb's file. */
export type FormShape = Pick<Form, "title" | "submit" | "fields" | "hasPreview" | "prefillsAtOnce"> & {
  /** Turns the fields into the verb's arguments, where they differ. Pure. */
  readonly toArgs?: (raw: RawArguments) => RawArguments;
  /** The Ask of another verb that the fields mean, without what all verbs share. That verb checks it. Pure. */
  readonly instead?: (raw: RawArguments) => Pick<Ask, "verb" | "args"> | undefined;
  /** Errors by field that the schema of the arguments can't find. Pure; never throws. */
  readonly check?: (values: FormValues) => Readonly<Record<string, string>>;
};

/** A form with the schema of its verb's arguments. Fields are named as the arguments. */
export type FormSource = {
  readonly verb: string;
  readonly args: z.ZodType;
  readonly form: FormShape;
  readonly common: readonly CommonField[];
};

/** The fields become the arguments that words would give, and the same schema checks them. */
export function makeForm(source: FormSource): Form {
  const { title, submit, hasPreview, prefillsAtOnce } = source.form;
  return {
    title,
    submit,
    fields: (values) => allFields(source, values),
    ...(hasPreview === true && { hasPreview }),
    ...(prefillsAtOnce === true && { prefillsAtOnce }),
    fill: (values) => fill(source, values),
  };
}

export function allFields({ args, form, common }: Omit<FormSource, "verb">, values: FormValues): FormField[] {
  const mayBeEmpty = ({ id, input }: FormField): boolean =>
    input.kind === "tick" || (args instanceof z.ZodObject && args.shape[id]?.safeParse(undefined).success === true);
  return [...form.fields(values), ...common].map((field) => ({ isOptional: mayBeEmpty(field), ...field }));
}

function fill(source: FormSource, values: FormValues): FilledForm {
  const { verb, args: schema, form, common } = source;
  const fields = allFields(source, values);
  const { raw, open } = readFields(form.fields(values), values);
  const asked = commonFromForm(Object.fromEntries(common.map(({ id }) => [id, values[id] ?? ""])));
  const args = form.toArgs?.(raw) ?? raw;
  const other = form.instead?.(raw);
  const issues = other === undefined ? (schema.safeParse(args).error?.issues ?? []) : [];
  const errors = firstErrors(fields, [
    ...open,
    ...issues.map((issue) => messageFor(issue, fields, values)),
    ...Object.entries(asked.errors),
    ...Object.entries(form.check?.(values) ?? {}),
    ...fields.flatMap((field): FieldMessage[] => {
      const sentence = fieldError(field, values[field.id] ?? "");
      return sentence === undefined ? [] : [[field.id, sentence]];
    }),
  ]);
  if (Object.keys(errors).length > 0) return { kind: "errors", errors };
  return { kind: "ask", ask: { verb, args: { ...args }, ...other, ...asked.ask } };
}

type FieldMessage = readonly [id: string, sentence: string];

function readFields(
  fields: readonly FormField[],
  values: FormValues,
): { raw: RawArguments; open: readonly FieldMessage[] } {
  const raw: [string, RawArgument][] = [];
  const open: FieldMessage[] = [];
  for (const { id, input } of fields) {
    const argument = attempt(() => argumentOf(input, values[id] ?? ""));
    if (argument instanceof UserError) open.push([id, [argument.message, argument.next].join(" ")]);
    else if (argument !== undefined) raw.push([id, argument]);
  }
  return { raw: Object.fromEntries(raw), open };
}

/** Puts an issue under its field. Names the line of several instead of quoting it: it may be a secret. */
function messageFor(
  { path: [id, item], message }: z.core.$ZodIssue,
  fields: readonly FormField[],
  values: FormValues,
): FieldMessage {
  const field = fields.find((each) => each.id === id);
  const lines = field?.input.kind === "lines" && typeof item === "number" ? linesOf(values[field.id] ?? "") : [];
  const line = lines.length > 1 && typeof item === "number" ? lines[item] : undefined;
  return [field?.id ?? "", line === undefined ? message : `Line ${line.at}: ${message}`];
}

/** The first error of each field, in the form's words. An error without a field goes under the first one. */
function firstErrors(
  fields: readonly FormField[],
  messages: readonly FieldMessage[],
): Readonly<Record<string, string>> {
  const errors = new Map<string, string>();
  for (const [id, sentence] of messages) {
    const field = fields.find((each) => each.id === id) ?? fields[0];
    if (field !== undefined && !errors.has(field.id)) errors.set(field.id, formSentence(sentence, field, fields));
  }
  return Object.fromEntries(errors);
}

/**
 * The error of a field, for any verb, or undefined. Slack's own checks prevent these errors; requests that bypass
 * Slack's client must not get further. Pure.
 */
export function fieldError(field: FormField, text: string): string | undefined {
  if (text.trim() === "") return field.isOptional === true ? undefined : `${labelled(field)} is required.`;
  // The mask of a hidden value, sent back as the value.
  const masked = field.isSecret === true ? maskedLine(text) : undefined;
  if (masked !== undefined) return `Type the value of ${masked.split("=", 1)[0]} again. It isn't kept in forms.`;
  return inputError(field, text);
}

function inputError(field: FormField, text: string): string | undefined {
  const { input } = field;
  switch (input.kind) {
    case "text":
    case "lines":
    case "command":
      if (text.length > input.maxLength) {
        return `${labelled(field)} has ${text.length} characters. The limit is ${input.maxLength}.`;
      }
      return input.kind === "text" ? lineBreakError(field, text) : undefined;
    case "choice":
      return input.options.some(({ value }) => value === text.trim())
        ? undefined
        : `Choose ${labelled(field)} from the list.`;
    case "choices":
      return text.split("\n").every((line) => input.options.some(({ value }) => value === line.trim()))
        ? undefined
        : `Choose ${labelled(field)} from the list.`;
    case "tick":
      return undefined;
    default:
      return lineBreakError(field, text);
  }
}

/** Except in the reason: `readReason` joins its lines. */
function lineBreakError(field: FormField, text: string): string | undefined {
  if (field.id === "reason" || !/[\p{Cc}\p{Cs}\u2028\u2029]/u.test(text.trim())) return undefined;
  return `${labelled(field)} contains a line break or an invisible character. Type it again on one line.`;
}

type Common = Omit<Ask, "verb" | "args">;
type CommonValues = { readonly ask: Common; readonly errors: Readonly<Record<string, string>> };

/** The parts of an Ask that come from fields shared by verbs, with errors by field. Pure. */
function commonFromForm(values: FormValues): CommonValues {
  const region = values["region"]?.trim() ?? "";
  const { reason, error } = reasonIn(values);
  const isRegion = region === "" || isRegionName(region);
  const breakGlass = values["break-glass"] === "yes";
  const asked = { ...(region !== "" && { region }), share: values["share"] === "yes" };
  return {
    ask: { ...asked, ...(reason !== undefined && { reason }), ...(breakGlass && { breakGlass }) },
    errors: {
      ...(!isRegion && { region: "--region isn't a valid region name." }),
      ...(error !== undefined && { reason: error }),
    },
  };
}

function reasonIn(values: FormValues): { readonly reason?: string; readonly error?: string } {
  const typed = values["reason"] ?? "";
  const isAsked = values["break-glass"] === "yes";
  if (typed.trim() === "") return isAsked ? { error: breakGlassNeedsReason } : {};
  const reason = attempt(() => readReason(typed));
  return reason instanceof UserError ? { error: [reason.message, reason.next].join(" ") } : { reason };
}

/** Quotes of typed text are only long enough to find it. */
const LONGEST_QUOTE = 60;
/** Longer than every sentence of ours; a hostile one must not fill the screen. */
const LONGEST_SENTENCE = 400;

/**
 * Rewrites a schema's error for a form: flags and words such as `--image` and `NAME` become field labels. Text in
 * quotes or backticks was typed by a person and is not rewritten, except for a flag; forms show no backticks. Pure.
 */
function formSentence(sentence: string, field: FormField, fields: readonly FormField[]): string {
  const rewritten = sentence
    .split(/(“[^”]*”|`[^`]*`)/u)
    .map((part, at) => (at % 2 === 1 ? quoted(part, fields) : withLabels(part, fields)))
    .join("")
    .replace(/^(?:NAME|N|MIB|ID|VERB)(?![\w=])/u, () => labelled(field));
  return truncate(visible(rewritten), LONGEST_SENTENCE);
}

function quoted(part: string, fields: readonly FormField[]): string {
  const label = withLabels(part.slice(1, -1), fields);
  if (part.startsWith("`--") && label.startsWith("“")) return label;
  return `“${truncate(visible(part.slice(1, -1)), LONGEST_QUOTE)}”`;
}

function withLabels(part: string, fields: readonly FormField[]): string {
  return part.replaceAll(/--([a-z][a-z-]*)/gu, (flag, id: string) => {
    const field = fields.find((each) => each.id === id);
    return field === undefined ? flag : labelled(field);
  });
}

export function labelled({ label }: FormField): string {
  return `“${label}”`;
}

/** Typed arguments, unchecked, and the values of the shared flags. */
type TypedValues = { readonly args: Readonly<Record<string, unknown>>; readonly common: FormValues };

/**
 * The form values for words that lack only what the form asks for. Undefined for complete words, for wrong ones, and
 * when the form can't show an argument, so that nothing typed is lost. Pure.
 */
export function unfinishedValues(source: FormSource, { args, common }: TypedValues): FormValues | undefined {
  const parsed = source.args.safeParse(args);
  if (parsed.success) return undefined;
  const typed = Object.entries(args).filter(([, value]) => !isEmpty(value));
  const values = valuesOf(source, Object.fromEntries(typed));
  if (values === undefined) return undefined;
  const asksFor = new Set([...source.form.fields(values).map(({ id }) => id), ...alwaysSet(source)]);
  const isMissing = ({ path: [id] }: { readonly path: readonly PropertyKey[] }): boolean =>
    typeof id === "string" && asksFor.has(id) && isEmpty(args[id]);
  if (!parsed.error.issues.every(isMissing)) return undefined;
  const known = source.common.filter(({ id }) => common[id] !== undefined).map(({ id }) => [id, common[id]] as const);
  return { ...values, ...textsOf(known) };
}

function isEmpty(value: unknown): boolean {
  return value === undefined || value === "" || (Array.isArray(value) && value.length === 0);
}

/** Arguments that the form always sets: `domains` sets the whole list. */
function alwaysSet({ form }: FormSource): string[] {
  return Object.keys(form.toArgs?.({}) ?? {});
}

/** Reads the fields twice, because they depend on the chosen values. */
function valuesOf(source: FormSource, typed: Readonly<Record<string, unknown>>): FormValues | undefined {
  const chosen = textsOf(allFields(source, {}).map(({ id, input }) => [id, textOf(input, typed[id])] as const));
  const fields = source.form.fields(chosen);
  // The form and a button's value would show the secret in Slack.
  if (fields.some(({ id, isSecret }) => isSecret === true && holdsSecret(typed[id]))) return undefined;
  const texts = fields.map(({ id, input }) => [id, textOf(input, typed[id])] as const);
  const shown = new Set([...texts.filter(([, text]) => text !== undefined).map(([id]) => id), ...alwaysSet(source)]);
  return Object.keys(typed).every((id) => shown.has(id)) ? textsOf(texts) : undefined;
}

/** A line `NAME=value`. */
function holdsSecret(argument: unknown): boolean {
  return Array.isArray(argument) && argument.map(String).some((line) => looksSecret(line) || isSecretPair(line));
}

function isSecretPair(line: string): boolean {
  const [name = "", ...value] = line.split("=");
  return value.join("=") !== "" && (isSecretName(name) || isSecretVariable({ name, value: value.join("=") }));
}

function textsOf(entries: readonly (readonly [string, string | undefined])[]): FormValues {
  return Object.fromEntries(entries.flatMap(([id, text]) => (text === undefined ? [] : [[id, text]])));
}
