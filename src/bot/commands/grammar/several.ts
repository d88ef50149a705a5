import { z } from "zod";
import { UserError } from "../../errors.ts";
import { matchesEverything } from "../../policy/patterns.ts";
import type { Ask } from "../../ask.ts";
import { checkArguments, type Grammar, usageOf, usualWords } from "./arguments.ts";
import { commonFromFlags, type Flags, readFlags } from "./flags.ts";
import { Target } from "./argument-types.ts";

/** The most workloads of one request: a card lists each, and each takes a few calls. */
export const MOST_WORKLOADS = 20;

/** The argument of a request for several workloads: names and patterns, as typed. */
const Several = z.object({ names: z.array(z.string()).min(1) });

/** A workload, or all whose name matches a pattern such as `shop-*` or `job/report-*`. */
export type Wanted = { readonly isPattern: boolean; readonly typed: string; readonly target: Target };

/** What `names` of an Ask holds; undefined when the Ask is about one workload. Throws a `UserError`. Pure. */
export function severalOf({ args }: Ask): readonly Wanted[] | undefined {
  const names = Several.safeParse(args).data?.names;
  return names?.map(wantedOf);
}

/**
 * Words for several workloads as one Ask: `restart web worker`, `restart shop-*`. Undefined when they name one
 * workload or none. Throws a `UserError` with the usage line. Pure.
 */
export function readSeveral(grammar: Grammar, words: readonly string[], flags: Flags): Ask | undefined {
  const typed = readFlags(words, flags);
  const positionals = usualWords(["NAME…"], typed.positionals);
  const names = [...new Set(positionals)];
  const isSeveral = positionals.length > 1 || names.some(meansMany);
  if (!isSeveral || typed.rest !== undefined) return undefined;
  const common = { verb: grammar.name, ...commonFromFlags(typed) };
  const [first = "", ...others] = names;
  try {
    if (others.length === 0 && !meansMany(first)) {
      checkArguments(grammar, { name: first });
      return { ...common, args: { name: first } };
    }
    const plain = names.map(wantedOf).filter(({ isPattern }) => !isPattern);
    if (plain.length > MOST_WORKLOADS) throw tooMany(`You named ${plain.length} workloads`);
    return { ...common, args: { names } };
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    throw new UserError(error.message, { next: error.next, usage: usageOf(grammar), example: grammar.example });
  }
}

export function tooMany(what: string): UserError {
  return new UserError(`${what}, and I act on at most ${MOST_WORKLOADS} at once. Nothing was changed.`, {
    next: "Split the request, or use a narrower pattern.",
  });
}

function isEverything(typed: string): boolean {
  return /^(?:all|everything)$/iu.test(typed) || matchesEverything(typed);
}

function meansMany(typed: string): boolean {
  return typed.includes("*") || isEverything(typed);
}

function wantedOf(typed: string): Wanted {
  if (isEverything(typed)) {
    throw new UserError("I don't act on everything at once.", {
      next: 'Name the workloads, or use a pattern like `"shop-*"`.',
    });
  }
  // Without its stars, a pattern is checked as a name is.
  const isPattern = typed.includes("*");
  const target = Target.safeParse(isPattern ? typed.replaceAll("*", "x") : typed);
  if (!target.success) throw new UserError(target.error.issues[0]?.message ?? "NAME can't be read.");
  const { kind, name } = target.data;
  if (!isPattern) return { isPattern, typed, target: { kind, name } };
  const pattern = kind === undefined ? typed : typed.slice(typed.indexOf("/") + 1);
  return matchesEverything(pattern) ? wantedOf("*") : { isPattern, typed, target: { kind, name: pattern } };
}
