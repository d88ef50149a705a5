import { attempt, UserError, type Suggestion } from "../../errors.ts";
import { nearNames } from "../../policy/near-names.ts";
import type { Command } from "../command.ts";
import { echo, joinWords } from "./words.ts";
import { isNegated } from "./manners.ts";

const MOST_SUGGESTED = 2;
/** A longer word is no misspelt verb, and comparing it costs time. */
const LONGEST_TYPO = 30;
const allCommands: Suggestion = { label: "All commands", ask: { verb: "help", share: false, args: {} } };

/** The verb of this name or alias, in any case. Throws a `UserError` that suggests verbs close to it. */
export function findCommand(commands: readonly Command[], verb: string, words: readonly string[] = []): Command {
  const wanted = verb.toLowerCase();
  const found =
    commands.find(({ name }) => name === wanted) ?? commands.find(({ aliases = [] }) => aliases.includes(wanted));
  if (found !== undefined) return found;
  const near = nearCommands(commands, wanted);
  const runnable = near.flatMap((command) => suggestionFor(command, words));
  throw new UserError(`I don't know ${echo(verb)}.`, {
    next:
      near.length === 0
        ? "See all commands with `help`."
        : `Did you mean ${near.map(({ name }) => `\`${name}\``).join(" or ")}?`,
    ...(near.length === 1 && runnable.length === 0 && { usage: near[0]?.usage, example: near[0]?.example }),
    suggestions: [...runnable, allCommands],
  });
}

/** The verbs that a wrong word may have meant: by meaning if one is near in meaning, otherwise by spelling. Pure. */
export function nearCommands(
  commands: readonly Command[],
  word: string,
  by: "meaning" | "either" = "either",
): readonly Command[] {
  const wanted = word.toLowerCase();
  const byMeaning = commands.filter(({ near = [] }) => near.includes(wanted));
  if (byMeaning.length > 0 || by === "meaning") return byMeaning.slice(0, MOST_SUGGESTED);
  // "never" is near "revert" in spelling alone.
  if (wanted.length > LONGEST_TYPO || isNegated([wanted])) return [];
  const known = commands.flatMap(namesOf);
  const [closest] = nearNames(
    wanted,
    known.filter((each) => mayBeTypo(wanted, each)),
  );
  return commands.filter((command) => closest !== undefined && namesOf(command).includes(closest));
}

/** Its name and its aliases. */
export function namesOf({ name, aliases = [] }: Command): readonly string[] {
  return [name, ...aliases];
}

/** In a short word a typo seldom hits the first letter: `top` isn't `stop`, and `ps` isn't `use`. */
function mayBeTypo(wanted: string, known: string): boolean {
  if (known.length < 3) return false;
  const isSwapped = wanted.charAt(0) === known.charAt(1) && wanted.charAt(1) === known.charAt(0);
  return wanted.charAt(0) === known.charAt(0) || isSwapped || Math.min(wanted.length, known.length) >= 5;
}

/** A button that runs the verb with the words that were typed; none where they don't fit it. */
export function suggestionFor(command: Command, words: readonly string[]): readonly Suggestion[] {
  // A button's value is stored in Slack, so it must hold neither a token nor the value of a variable.
  if (command.effect === "link" || holdsSecrets(command)) return [];
  const ask = attempt(() => command.parse(words));
  const typed = joinWords([command.name, ...words]);
  return typed === undefined || ask instanceof UserError ? [] : [{ ask, words: typed }];
}

/** It takes values of variables. */
export function holdsSecrets({ options }: Command): boolean {
  return options.some(({ flag }) => flag.startsWith("--env"));
}
