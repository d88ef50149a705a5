import { truncate, visible } from "../../views/kit/text.ts";
import type { FormField } from "./form.ts";

/** Quotes of typed text are only long enough to find it. */
const LONGEST_QUOTE = 60;
/** Longer than every sentence of ours; a hostile one must not fill the screen. */
const LONGEST_SENTENCE = 400;

/**
 * Rewrites a schema's error for a form: flags and words such as `--image` and `NAME` become field labels. Text in
 * quotes or backticks was typed by a person and is not rewritten, except for a flag; forms show no backticks. Pure.
 */
export function formSentence(sentence: string, field: FormField, fields: readonly FormField[]): string {
  const rewritten = sentence
    .split(/(“[^”]*”|`[^`]*`)/u)
    .map((part, at) => (at % 2 === 1 ? quoted(part, fields) : withLabels(part, fields)))
    .join("")
    .replace(/^(?:NAME|N|MIB|ID|VERB)(?![\w=])/u, () => labelled(field));
  return truncate(visible(rewritten), LONGEST_SENTENCE);
}

function quoted(part: string, fields: readonly FormField[]): string {
  const label = withLabels(part.slice(1, -1), fields);
  return part.startsWith("`--") && label.startsWith("“") ? label : shortQuote(part);
}

function shortQuote(part: string): string {
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
