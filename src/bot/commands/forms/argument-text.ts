import { isDeepStrictEqual } from "node:util";
import { parseLogDate } from "../../../api/log-pages.ts";
import { limits } from "../../views/kit/blocks.ts";
import type { FormInput } from "./form.ts";
import { joinWords, splitPlainWords } from "../grammar/words.ts";
import { redact } from "../../logs/redact.ts";

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
