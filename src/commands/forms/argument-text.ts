import { isDeepStrictEqual } from "node:util";
import { parseLogDate } from "../../api/log-pages.ts";
import { limits } from "../../views/kit/blocks.ts";
import type { FormInput } from "./form.ts";
import { joinWords, splitPlainWords } from "../grammar/words.ts";

/** An argument as words give it, before the schema of its verb has seen it. */
export type RawArgument = string | true | readonly string[];

/**
 * What stands in a field, as the argument that words would have given; undefined for nothing. Pure. Throws a `UserError`
 * for a command line in which a quote stays open.
 */
export function argumentOf(input: FormInput, text: string): RawArgument | undefined {
  switch (input.kind) {
    case "tick":
      return text === "yes" ? true : undefined;
    case "lines":
      return someOf(linesOf(text).map(({ line }) => line));
    case "command":
      return someOf(splitPlainWords(text));
    default:
      return text.trim() === "" ? undefined : text.trim();
  }
}

/** The lines that count, and where each of them stands, from 1. */
export function linesOf(text: string): { readonly line: string; readonly at: number }[] {
  return text
    .split(/\r\n|[\n\r\u2028\u2029]/u)
    .map((line, index) => ({ line: line.trim(), at: index + 1 }))
    .filter(({ line }) => line !== "");
}

function someOf(items: readonly string[]): readonly string[] | undefined {
  return items.length > 0 ? items : undefined;
}

/** The way back, for words that lack something: undefined where the field cannot hold the argument as it is. Pure. */
export function textOf(input: FormInput, raw: unknown): string | undefined {
  if (input.kind === "date") return typeof raw === "string" ? parseLogDate(raw)?.replaceAll(".", "-") : undefined;
  const text = written(input, raw);
  return text !== undefined && holds(input, text) && isDeepStrictEqual(argumentOf(input, text), raw) ? text : undefined;
}

function written(input: FormInput, raw: unknown): string | undefined {
  if (raw === true) return "yes";
  if (typeof raw === "string") return raw;
  if (!Array.isArray(raw)) return undefined;
  const items = raw.map(String);
  return input.kind === "command" ? joinWords(items) : items.join("\n");
}

function holds(input: FormInput, text: string): boolean {
  switch (input.kind) {
    case "text":
    case "lines":
    case "command":
      return text.length <= input.maxLength;
    case "choice":
      return input.options.some(({ value }) => value === text);
    case "workload":
    case "instance":
    case "region":
    case "change":
      return text.length <= limits.optionValue;
    default:
      return true;
  }
}
