import type { z } from "zod";
import { type Suggestion, UserError } from "../../errors.ts";
import type { Ask } from "../../ask.ts";
import { commonFromFlags } from "./common-flags.ts";
import { echo } from "./echo.ts";
import { type Flags, readFlags, type Typed, UnknownFlag } from "./flags.ts";
import { missingName } from "./target.ts";
import { usualWords } from "./usual-words.ts";
import { joinWords } from "./words.ts";

/** How people type a verb, and the schema of its arguments, which words and forms share. */
export type Grammar<Args extends z.ZodType = z.ZodType> = {
  readonly name: string;
  /** Without the command's name: `scale web 4`. */
  readonly example: string;
  /**
   * The words after the verb, in order: the argument and its label in the usage line, as in `{ name: "NAME", size: "N"
   * }`. A label that ends with … takes all remaining words.
   */
  readonly words?: Readonly<Record<string, string>>;
  readonly flags?: Flags;
  /** Words after `--` become the argument `command`. */
  readonly takesCommand?: true;
  /** Replaces the usage line that follows from `words` and `flags`. */
  readonly usage?: string;
  readonly args: Args;
  /** Replaces the arguments read by name, for words that need more than a name. The schema still checks them. Pure. */
  readonly read?: (typed: Typed, byName: Readonly<Record<string, unknown>>) => unknown;
};

/** Without the command's name: `scale NAME N`. */
export function usageOf({ name, words = {}, flags = {}, usage }: Grammar): string {
  const options = Object.entries(flags).map(([flag, { value }]) =>
    value === undefined ? `[--${flag}]` : `[--${flag} ${value}]`,
  );
  return usage ?? [name, ...Object.values(words), ...options].join(" ");
}

/** Words after the verb to an Ask. Pure. Throws a `UserError` with the usage line. */
export function readAsk(grammar: Grammar, words: readonly string[], flags: Flags): Ask {
  try {
    const typed = readFlags(words, flags);
    const ask: Ask = { verb: grammar.name, args: readArguments(grammar, typed), ...commonFromFlags(typed) };
    checkArguments(grammar, ask.args);
    return ask;
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    const suggestions = error instanceof UnknownFlag ? corrected({ grammar, words, flags }, error) : error.suggestions;
    throw new UserError(error.message, { next: error.next, ...hint(grammar), suggestions });
  }
}

type Misspelt = { readonly grammar: Grammar; readonly words: readonly string[]; readonly flags: Flags };

/** The same words with the flag that was meant, if they are complete then. The value of a variable goes into no button. */
function corrected({ grammar, words, flags }: Misspelt, { typed, near }: UnknownFlag): readonly Suggestion[] {
  if (near === undefined || "env" in flags) return [];
  const meant = words.map((word) => (word.split("=", 1)[0] === typed ? near + word.slice(typed.length) : word));
  const line = joinWords([grammar.name, ...meant]);
  if (line === undefined || meant.every((word, at) => word === words[at])) return [];
  try {
    return [{ ask: readAsk(grammar, meant, flags), words: line }];
  } catch (error) {
    if (error instanceof UserError) return [];
    throw error;
  }
}

/** The arguments as typed, without those that are missing; only superfluous words are refused here. Pure. */
export function readArguments(grammar: Grammar, raw: Typed): Ask["args"] {
  const typed = { ...raw, positionals: usualWords(Object.values(grammar.words ?? {}), raw.positionals) };
  refuseSuperfluous(grammar, typed);
  const byName = argumentsByName(grammar, typed);
  return Object.fromEntries(
    Object.entries(grammar.read?.(typed, byName) ?? byName).filter(([, value]) => value !== undefined),
  );
}

/**
 * Throws a `UserError` with the usage line. An Ask is checked when it is made, and again when a button brings it back.
 */
export function checkArguments<Args extends z.ZodType>(grammar: Grammar<Args>, args: unknown): z.output<Args> {
  const parsed = grammar.args.safeParse(args);
  if (parsed.success) return parsed.data;
  const message = parsed.error.issues[0]?.message ?? "I don't understand these words.";
  throw new UserError(message === missingName ? `\`${grammar.name}\` needs a workload.` : message, hint(grammar));
}

function argumentsByName({ words = {}, flags = {}, takesCommand }: Grammar, typed: Typed): Record<string, unknown> {
  const byWord = Object.entries(words).map(([name, label], at) => [
    name,
    isRest(label) ? typed.positionals.slice(at) : typed.positionals[at],
  ]);
  const byFlag = Object.entries(flags).map(([name, { value, many }]) => {
    if (value === undefined) return [name, typed.has(name) ? true : undefined];
    return [name, many === true ? typed.many(name) : typed.one(name)];
  });
  return { ...Object.fromEntries([...byWord, ...byFlag]), ...(takesCommand === true && { command: typed.rest }) };
}

function isRest(label: string): boolean {
  return label.endsWith("…");
}

function refuseSuperfluous({ name, words = {}, takesCommand }: Grammar, typed: Typed): void {
  const labels = Object.values(words);
  const extra = labels.some(isRest) ? undefined : typed.positionals[labels.length];
  if (extra !== undefined) {
    throw new UserError(`\`${name}\` doesn't take ${echo(extra)}.`, {
      next: typed.has("reason")
        ? "Put the whole reason in quotes."
        : "Remove it, or put words that belong together in quotes.",
    });
  }
  if (typed.rest !== undefined && takesCommand !== true) {
    throw new UserError("Only `create` takes a command after `--`.", {
      next: "Remove `--` and everything after it.",
    });
  }
}

function hint(grammar: Grammar): { readonly usage: string; readonly example: string } {
  return { usage: usageOf(grammar), example: grammar.example };
}
