import { attempt, type Suggestion, UserError } from "../../errors.ts";
import { type Command, isReadOnly } from "../command.ts";
import { commands } from "../verbs.ts";
import { findCommand, nearCommands, suggestionFor } from "./find-command.ts";
import { isNegated, isNoName, isSomeName, plain } from "./manners.ts";
import { type Parsed, parseWords, type Unfinished, unfinishedWords } from "./parse.ts";
import { dictionary } from "./dictionary.ts";
import { questionWordNear } from "./plain-sentences.ts";
import { likelyName } from "./sentence-words.ts";

export type Understood =
  | { readonly kind: "run"; readonly parsed: Parsed }
  /** It changes something and isn't a plain order: its author confirms it with a button. */
  | { readonly kind: "confirm"; readonly parsed: Parsed }
  /** Not understood. `begun`: it only lacks what a form asks for. */
  | { readonly kind: "miss"; readonly error: UserError; readonly begun?: Unfinished };

/** Answers words that can't be run: what is wrong with a command, and its form; of any other sentence, the closest commands. */
export function misread(
  typed: UserError | undefined,
  words: readonly string[],
  meaning: readonly string[] = [],
): Understood {
  if (isNegated(ownWords(words))) return miss();
  const [verb = "", ...others] = words;
  const mistake = isSentence(others) ? undefined : typed;
  const meant = unfinishedWords(meaning);
  if (meant !== undefined)
    return missing(
      attempt(() => parseWords(meaning)),
      meant,
    );
  const several = severalInTrouble(words);
  if (several !== undefined) return several;
  const begun = unfinishedWords(words);
  if (begun !== undefined) return missing(mistake, begun);
  const isCommand = isVerb(verb);
  const isLong = words.length > 3 && !words.some((word) => word.startsWith("-"));
  // "wat broke there" doesn't mean `watch`.
  const isAsking = others.length > 1 && questionWordNear(plain(verb).replace(/'s$/u, "")) !== undefined;
  const similar = isCommand || isAsking ? [] : nearCommands(commands, verb, isLong ? "meaning" : "either");
  if (!isCommand && similar.length === 0) return miss(isAsking ? nearest(words) : offersFor(words));
  const suggestions = mistake?.suggestions ?? [];
  const isOffered = suggestions.some((each) => each.words !== undefined);
  const near = isOffered ? [] : nearest(words);
  const known = wordsForForm(similar[0]?.name ?? verb, words);
  const form = isOffered || near.length > 0 ? undefined : unfinishedWords(known);
  if (form !== undefined) return missing(mistake ?? attempt(() => parseWords(known)), form);
  if (mistake === undefined) return miss(offersFor(words));
  const { message, next } = mistake;
  return { kind: "miss", error: new UserError(message, { next, suggestions: [...near, ...suggestions] }) };
}

const MOST_NAMED = 4;
const WHY = /^why (?:is|are|isn't|aren't|does|do|doesn't|don't|did|has|have|was|were|won't|can't) (.+)$/u;

/** "why are pay and cart down": `why` takes one workload, so each gets a button. */
function severalInTrouble(words: readonly string[]): Understood | undefined {
  const [, about = ""] = WHY.exec(plain(words.slice(0, FIRST_WORDS).join(" "))) ?? [];
  const names = about.split(/, and |, | and | or | & /u).flatMap((part) => {
    const [name = ""] = part.replace(/^(?:(?:is|are|the|our|my) )+/u, "").split(" ");
    return isSomeName(name) ? [name] : [];
  });
  const command = findCommand(commands, "why");
  const offers = [...new Set(names)].slice(0, MOST_NAMED).flatMap((name) => suggestionFor(command, [name]));
  if (offers.length < 2) return undefined;
  const error = new UserError("`why` takes one workload.", { next: "Which one do you mean?", suggestions: offers });
  return { kind: "miss", error };
}

/** Its error has no usage line, because the form asks for what is missing. */
function missing(mistake: unknown, begun: Unfinished): Understood {
  const { message, next } = mistake instanceof UserError ? mistake : notUnderstood([]);
  return { kind: "miss", error: new UserError(message, { next }), begun };
}

/** The verb, and the name in the sentence if its form takes one. */
function wordsForForm(verb: string, sentence: readonly string[]): readonly string[] {
  const [, next = ""] = sentence;
  const name = isSomeName(next) ? next : nameIn(sentence);
  const isNamed = name !== undefined && unfinishedWords([verb, name]) !== undefined;
  return isNamed ? [verb, name] : [verb];
}

const MOST_NEAR = 2;
/** Nobody means a command by the twentieth word. */
export const FIRST_WORDS = 20;
/** No name is longer. */
const LONGEST_WORD = 300;

/** Commands that only read, made of words of the sentence: a verb with the names right after it, or `why` for a workload that is said to fail. */
function nearest(words: readonly string[]): readonly Suggestion[] {
  const first = words
    .slice(0, FIRST_WORDS)
    .map((word) => word.slice(0, LONGEST_WORD).replaceAll(/^[("'„“]+|[)"'“”.,;:!?…]+$/gu, ""));
  const near = first.flatMap((word, at) => {
    const command = verbNamed(word);
    // What would run without the other words isn't meant.
    if (command === undefined || !isReadOnly(command) || command.name === "help") return [];
    const after = first.slice(at + 1).filter((each) => !/^(?:the|my|our|a|of|for|from|in|pods?)$/iu.test(each));
    const end = after.findIndex((each) => !isSomeName(each.toLowerCase()) || isVerb(each));
    return fitting(command, end < 0 ? after : after.slice(0, end));
  });
  const known = new Map([...near, ...inTrouble(first)].map((each) => [each.words, each]));
  return [...known.values()].slice(0, MOST_NEAR);
}

/** The closest commands, or else what there is to know of the workload in the sentence. */
function offersFor(words: readonly string[]): readonly Suggestion[] {
  const near = nearest(words);
  return near.length > 0 ? near : about(words);
}

/** For a workload in the sentence: what happened to it, if the sentence says that something did, and how it is. */
function about(words: readonly string[]): readonly Suggestion[] {
  const name = nameIn(words);
  if (name === undefined) return [];
  const isOfChange = words.some((word) => {
    const { is, any = is } = dictionary.get(plain(word)) ?? { is: "" };
    return /^(?:VERB|DONE|EVENT|happened|changed)$/u.test(any);
  });
  const verbs = isOfChange ? ["history", "show"] : ["show", "why"];
  return verbs.flatMap((verb) => suggestionFor(findCommand(commands, verb), [name]));
}

function nameIn(sentence: readonly string[]): string | undefined {
  return likelyName(plain(sentence.slice(0, FIRST_WORDS).join(" ").slice(0, LONGEST_WORD)));
}

/** Shorter words are a verb only in the first place. */
const SHORTEST = 3;

export function isVerb(word: string): boolean {
  return !(attempt(() => findCommand(commands, word)) instanceof UserError);
}

function verbNamed(word: string): Command | undefined {
  if (word.length < SHORTEST) return undefined;
  const found = attempt(() => findCommand(commands, word));
  if (!(found instanceof UserError)) return found;
  if (isNoName(word)) return undefined;
  const [only, ...others] = nearCommands(commands, word, "meaning");
  return others.length === 0 ? only : undefined;
}

/** The command with as many of the words as it takes: at most a name and what to do with it. */
function fitting(command: Command, words: readonly string[]): readonly Suggestion[] {
  for (let length = Math.min(words.length, 2); length >= 0; length -= 1) {
    const found = suggestionFor(command, words.slice(0, length));
    if (found.length > 0) return found;
  }
  return [];
}

/** "web is slow" */
function inTrouble(words: readonly string[]): readonly Suggestion[] {
  const [, name] = /^(?:the |our |my )?(\S+) (?:is|are|keeps|seems|looks|has|gets)\b/iu.exec(words.join(" ")) ?? [];
  if (name === undefined || !isSomeName(name.toLowerCase())) return [];
  return suggestionFor(findCommand(commands, "why"), [name]);
}

/** The words before the first flag, whose value may be any text. */
export function ownWords(words: readonly string[]): readonly string[] {
  const end = words.findIndex((word) => word.startsWith("-"));
  return end < 0 ? words : words.slice(0, end);
}

/** "logs of worker since 10:00" is a sentence: that "logs" takes only one name explains nothing. */
export function isSentence(afterVerb: readonly string[]): boolean {
  return afterVerb.length > 1 && ownWords(afterVerb).some(isNoName);
}

const ways: readonly Suggestion[] = [
  { label: "List workloads", ask: { verb: "list", share: false, args: {} } },
  { label: "All commands", ask: { verb: "help", share: false, args: {} } },
];

export function miss(near: readonly Suggestion[] = []): Understood {
  return { kind: "miss", error: notUnderstood(near) };
}

function notUnderstood(near: readonly Suggestion[]): UserError {
  return new UserError("I didn't understand that. Nothing was changed.", {
    next: near.length > 0 ? "Did you mean this?" : "Try `list`, `why web` or `restart web`.",
    suggestions: [...near, ...ways],
  });
}
