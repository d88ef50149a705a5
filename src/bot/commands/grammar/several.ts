import { z } from "zod";
import { UserError } from "../../errors.ts";
import { matchesEverything } from "../../policy/patterns.ts";
import type { Ask } from "../../ask.ts";
import { checkArguments, type Grammar, readArguments, usageOf, usualWords } from "./arguments.ts";
import { commonFromFlags, type Flags, readFlags, type Typed } from "./flags.ts";
import { firstLink, LeftOver, refuseLinks } from "./manners.ts";
import { Target } from "./argument-types.ts";
import { echo } from "./words.ts";

/** The most workloads of one request: a card lists each, and each takes a few calls. */
export const MOST_WORKLOADS = 20;

/**
 * The arguments of a request for several workloads: names and patterns, as typed, and by name what differs between them.
 * All others are the same for each.
 */
const Several = z.object({
  names: z.array(z.string()).min(1),
  each: z.record(z.string(), z.record(z.string(), z.unknown())).optional(),
});

/**
 * The words of a verb that are names, and the argument in the others: `deploy web worker 1.5`. Undefined when they can
 * only be about one workload. Throws a `UserError`. Pure.
 */
export type SeveralWords = (
  words: readonly string[],
  flags: Pick<Typed, "has">,
) => { readonly names: readonly string[]; readonly args: Ask["args"] } | undefined;

/** A workload, or all whose name matches a pattern such as `shop-*` or `job/report-*`. */
export type Wanted = { readonly isPattern: boolean; readonly typed: string; readonly target: Target };

/** What `names` of an Ask holds; undefined when the Ask is about one workload. Throws a `UserError`. Pure. */
export function severalOf({ args }: Ask): readonly Wanted[] | undefined {
  const names = Several.safeParse(args).data?.names;
  return names?.map(wantedOf);
}

/** The Ask about one of them, named as in `names` of the other one. Pure. */
export function askAbout(ask: Ask, name: string): Ask {
  const { names: _names, each: _each, ...common } = ask.args;
  return { ...ask, args: { ...common, ...Several.safeParse(ask.args).data?.each?.[name], name } };
}

/**
 * Words for several workloads as one Ask: `restart web worker`, `restart shop-*`. Undefined when they name one
 * workload or none. Throws a `UserError` with the usage line. Pure.
 */
export function readSeveral(
  grammar: Grammar,
  words: readonly string[],
  { flags, split = namesOnly }: { readonly flags: Flags; readonly split?: SeveralWords | undefined },
): Ask | undefined {
  const typed = readFlags(words, flags);
  if (typed.rest !== undefined) return undefined;
  try {
    const found = split(typed.positionals, typed);
    if (found !== undefined) checkNames(grammar, typed, found.names);
    const positionals = usualWords(["NAME…"], found?.names ?? []);
    const names = [...new Set(positionals)];
    const isSeveral = positionals.length > 1 || names.some(meansMany);
    if (found === undefined || !isSeveral) return undefined;
    const ask = { verb: grammar.name, ...commonFromFlags(typed) };
    const byFlag = readArguments({ ...grammar, words: {} }, { ...typed, positionals: [] });
    const args = { ...byFlag, ...found.args };
    const [first = "", ...others] = names;
    if (others.length === 0 && !meansMany(first)) {
      checkArguments(grammar, { ...args, name: first });
      return { ...ask, args: { ...args, name: first } };
    }
    const plain = names.map(wantedOf).filter(({ isPattern }) => !isPattern);
    if (plain.length > MOST_WORKLOADS) throw tooMany(`You named ${plain.length} workloads`);
    checkArguments(grammar, { ...args, name: "web" });
    return { ...ask, args: { ...args, names } };
  } catch (error) {
    if (!(error instanceof UserError) || error instanceof LeftOver) throw error;
    const { message, next, suggestions } = error;
    throw new UserError(message, { next, usage: usageOf(grammar), example: grammar.example, suggestions });
  }
}

function checkNames({ name: verb }: Grammar, typed: Typed, names: readonly string[]): void {
  const word = names[firstLink(names)];
  // `--reason it is slow`
  if (word !== undefined && names.length > 1 && typed.has("reason")) {
    throw new UserError(`\`${verb}\` doesn't take ${echo(word)}.`, { next: "Put the whole reason in quotes." });
  }
  refuseLinks(names);
}

const namesOnly: SeveralWords = (words) => ({ names: words, args: {} });

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
  const { kind, object } = target.data;
  if (!isPattern) return { isPattern, typed, target: target.data };
  const pattern = kind === undefined ? typed : typed.slice(typed.indexOf("/") + 1);
  return matchesEverything(pattern)
    ? wantedOf("*")
    : { isPattern, typed, target: { kind, name: pattern, ...(object !== undefined && { object }) } };
}
