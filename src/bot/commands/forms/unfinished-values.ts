import { textOf, looksSecret } from "./argument-text.ts";
import { allFields, type FormSource } from "./make-form.ts";
import type { FormValues } from "./form.ts";
import { isSecretName, isSecretVariable } from "../../logs/secret-values.ts";

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
