import type { z } from "zod";
import { UserError } from "../../errors.ts";
import type { Ask } from "../ask.ts";
import { commonFromFlags } from "./common-flags.ts";
import { type Flags, readFlags, type Typed } from "./flags.ts";

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
    throw new UserError(error.message, { next: error.next, ...hint(grammar) });
  }
}

/** The arguments as typed, without those that are missing; only superfluous words are refused here. Pure. */
export function readArguments(grammar: Grammar, typed: Typed): Ask["args"] {
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
  const message = parsed.error.issues[0]?.message ?? "The arguments are not as this verb takes them.";
  throw new UserError(message, hint(grammar));
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

function refuseSuperfluous({ words = {}, takesCommand }: Grammar, typed: Typed): void {
  const labels = Object.values(words);
  const extra = labels.some(isRest) ? undefined : typed.positionals[labels.length];
  if (extra !== undefined) {
    throw new UserError(`“${extra}” is one word too many.`, { next: "Put words that belong together in quotes." });
  }
  if (typed.rest !== undefined && takesCommand !== true) {
    throw new UserError("Only create takes a command after --.", { next: "Leave out -- and what follows it." });
  }
}

function hint(grammar: Grammar): { readonly usage: string; readonly example: string } {
  return { usage: usageOf(grammar), example: grammar.example };
}
