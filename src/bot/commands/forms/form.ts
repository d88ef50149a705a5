import { type Line, limits } from "../../views/kit/blocks.ts";
import type { Ask } from "../../ask.ts";
import { isDeepStrictEqual } from "node:util";
import { parseLogDate } from "../../../api/log-pages.ts";
import { joinWords, splitPlainWords } from "../grammar/words.ts";
import { redact } from "../../logs/redact.ts";

/**
 * The texts of a form's fields. A ticked box is `yes`; empty fields are left out.
 */
export type FormValues = Readonly<Record<string, string>>;

/** The input decides how the field's text becomes an argument. */
export type FormInput =
  /** One line. */
  | { readonly kind: "text"; readonly maxLength: number }
  /** One item per line; empty lines are ignored. */
  | { readonly kind: "lines"; readonly maxLength: number }
  /** A command line; quotes group words. */
  | { readonly kind: "command"; readonly maxLength: number }
  | { readonly kind: "number"; readonly from: number; readonly to: number }
  | { readonly kind: "choice"; readonly options: readonly FormOption[]; readonly style: "menu" | "radio" }
  /** One of those that reading the workload found; without any, the field is left out. See `FormFacts`. */
  | { readonly kind: "listed" }
  /** Some of these; their values, separated by commas, are one argument. */
  | { readonly kind: "choices"; readonly options: readonly FormOption[] }
  | { readonly kind: "tick"; readonly text: string }
  /** Found by typing: live names, `service/web`. */
  | { readonly kind: "workload"; readonly of: "service" | "job" | "any" }
  /** An instance of the job that the field `name` names. */
  | { readonly kind: "instance" }
  | { readonly kind: "region" }
  /** A change that waits for approval. */
  | { readonly kind: "change" }
  /** A day, as `2026-11-20`. */
  | { readonly kind: "date" }
  /** A person, as `<@U0DANA>`. */
  | { readonly kind: "person" }
  /** A channel, by its id; at first the current one, if so. */
  | { readonly kind: "channel"; readonly isCurrent?: true };

export type FormOption = { readonly value: string; readonly text: string; readonly description?: string };

export type FormField = {
  /** The argument's name. */
  readonly id: string;
  readonly label: string;
  readonly hint?: string;
  readonly placeholder?: string;
  /** Default: whether its argument may be missing. A box never has to be ticked. */
  readonly isOptional?: boolean;
  /** Shown only after "More settings". */
  readonly isMore?: boolean;
  /** A choice here changes the other fields, so the form is drawn again. */
  readonly redraws?: boolean;
  /** Lines `NAME=value`. The bot never sends a typed value back to Slack. */
  readonly isSecret?: boolean;
  readonly input: FormInput;
};

/** Sentences for the head of a form, values for its empty fields, and the options of its fields that list them. */
export type FormFacts = {
  readonly notes: readonly Line[];
  readonly values: FormValues;
  readonly options?: Readonly<Record<string, readonly FormOption[]>>;
};

export const noFacts: FormFacts = { notes: [], values: {} };

export type FilledForm =
  | { readonly kind: "ask"; readonly ask: Ask }
  /** A sentence under each field that is wrong; at least one. */
  | { readonly kind: "errors"; readonly errors: Readonly<Record<string, string>> };

/** The workload that a verb is about, found by typing. */
export const workloadField = {
  id: "name",
  label: "Workload",
  placeholder: "Choose a service or job",
  input: { kind: "workload", of: "any" },
} as const satisfies FormField;

/** The same for verbs that take services only. Choosing another one prefills the form again. */
export const serviceField = {
  id: "name",
  label: "Service",
  placeholder: "Choose a service",
  redraws: true,
  input: { kind: "workload", of: "service" },
} as const satisfies FormField;

/** A request that waits for approval. */
export const changeField = {
  id: "id",
  label: "Request",
  placeholder: "Choose a waiting request",
  input: { kind: "change" },
} as const satisfies FormField;

/** A box among the rarer fields. */
export function tick(id: string, label: string, text: string): FormField {
  return { id, label, isMore: true, input: { kind: "tick", text } };
}

/** Fields shared by verbs. Their values are members of the Ask, not of its `args`. */
type CommonId = "region" | "share" | "reason" | "break-glass";
export type CommonField = FormField & { readonly id: CommonId };

export const regionField: CommonField = {
  id: "region",
  label: "Region",
  hint: "Where the service runs. Jobs have their own region.",
  isOptional: true,
  isMore: true,
  input: { kind: "region" },
};

export const shareField: CommonField = { ...tick("share", "Who sees it", "Everyone in this channel"), id: "share" };

/** Long enough for a ticket and a sentence, short enough for a card: in UTF-16 units. */
export const LONGEST_REASON = 500;

/** The reason of a rejection, always visible. */
export const rejectReasonField: CommonField = {
  id: "reason",
  label: "Reason",
  hint: "Shown on the card and in history.",
  placeholder: "For example: wait until the sale is over",
  isOptional: true,
  input: { kind: "text", maxLength: LONGEST_REASON },
};

const reasonField: CommonField = {
  ...rejectReasonField,
  hint: "Shown to approvers and in history.",
  placeholder: "For example: orders time out",
};

const breakGlassField: CommonField = {
  id: "break-glass",
  label: "Break glass",
  hint: "Needs a reason. The channel is notified.",
  isMore: true,
  input: { kind: "tick", text: "Run now without approval, if policy allows it" },
};

export const readFields: readonly CommonField[] = [regionField, shareField];
export const writeFields: readonly CommonField[] = [regionField, reasonField, breakGlassField];

/** An argument as typed, before its schema transforms it. */
export type RawArgument = string | true | readonly string[];

/**
 * A field's text as the argument that words would give; undefined for an empty field. Pure. Throws a `UserError` for a
 * command line with an open quote.
 */
export function argumentOf(input: FormInput, text: string): RawArgument | undefined {
  switch (input.kind) {
    case "tick":
      return text === "yes" ? true : undefined;
    case "lines":
      return unlessEmpty(linesOf(text).map(({ line }) => line));
    case "command":
      return unlessEmpty(splitPlainWords(text));
    case "choices": {
      const chosen = linesOf(text).map(({ line }) => line);
      return chosen.length === 0 ? undefined : chosen.join(",");
    }
    default:
      return text.trim() === "" ? undefined : text.trim();
  }
}

/** The lines that aren't empty, with their numbers from 1. */
export function linesOf(text: string): { readonly line: string; readonly at: number }[] {
  return text
    .split(/\r\n|[\n\r\u2028\u2029]/u)
    .map((line, index) => ({ line: line.trim(), at: index + 1 }))
    .filter(({ line }) => line !== "");
}

function unlessEmpty(items: readonly string[]): readonly string[] | undefined {
  return items.length > 0 ? items : undefined;
}

/** An argument as a field's text; undefined when the field can't hold it unchanged. Pure. */
export function textOf(input: FormInput, raw: unknown): string | undefined {
  if (input.kind === "date") return typeof raw === "string" ? parseLogDate(raw)?.replaceAll(".", "-") : undefined;
  const text = textFor(input, raw);
  return text !== undefined && fits(input, text) && isDeepStrictEqual(argumentOf(input, text), raw) ? text : undefined;
}

function textFor(input: FormInput, raw: unknown): string | undefined {
  if (raw === true) return "yes";
  if (typeof raw === "string") return input.kind === "choices" ? raw.replaceAll(",", "\n") : raw;
  if (!Array.isArray(raw)) return undefined;
  const items = raw.map(String);
  return input.kind === "command" ? joinWords(items) : items.join("\n");
}

function fits(input: FormInput, text: string): boolean {
  switch (input.kind) {
    case "text":
    case "lines":
    case "command":
      return text.length <= input.maxLength;
    case "choice":
      return input.options.some(({ value }) => value === text);
    case "choices":
      return linesOf(text).every(({ line }) => input.options.some(({ value }) => value === line));
    case "workload":
    case "instance":
    case "region":
    case "change":
      return text.length <= limits.optionValue;
    default:
      return true;
  }
}

/** Replaces secret values when a form is drawn again. */
const MASK = "••••••";

/** Masks the values of lines `NAME=value`. Pure. */
export function maskValues(text: string): string {
  return text
    .split("\n")
    .map((line) => line.replace(/^([^=]*)=.*\S.*$/su, `$1=${MASK}`))
    .join("\n");
}

/** The first line that contains the mask, or undefined. Pure. */
export function maskedLine(text: string): string | undefined {
  return text.split("\n").find((line) => line.includes(MASK));
}

/** True when a part of the text looks like a secret, by its name or its shape. Pure. */
export function looksSecret(text: string): boolean {
  return redact(text) !== text;
}
