import { isDeepStrictEqual } from "node:util";
import { attempt, type Suggestion, UserError } from "../../errors.ts";
import { type Command, isReadOnly } from "../command.ts";
import { commands } from "../verbs.ts";
import { findCommand, holdsSecrets, nearCommands, suggestionFor } from "./find-command.ts";
import { dictionary } from "./dictionary.ts";
import {
  AND,
  leftOver,
  LeftOver,
  isLink,
  isNegated,
  isNoName,
  isPolite,
  isQuestion,
  isSomeName,
  plain,
  withoutEnd,
  withoutOpening,
} from "./manners.ts";
import { type Parsed, parseText, parseWords, type Unfinished, unfinishedWords, withoutTool } from "./parse.ts";
import { questionWordNear, wordsOfSentence } from "./plain-sentences.ts";
import { splitMessage, splitWords } from "./words.ts";

type Understood =
  | { readonly kind: "run"; readonly parsed: Parsed }
  /** It changes something and isn't a plain order: its author confirms it with a button. */
  | { readonly kind: "confirm"; readonly parsed: Parsed }
  /** Not understood. `begun`: it only lacks what a form asks for. */
  | { readonly kind: "miss"; readonly error: UserError; readonly begun?: Unfinished };

/** What a message asks for. */
export type ParsedMention = Understood | { readonly kind: "menu" };

/** What a slash command asks for. A form asks for what its words lack. */
export type ParsedSlash = Understood | { readonly kind: "form"; readonly begun: Unfinished };

/** A question; and a lone dash, after which comes the command of a container, or an afterthought. */
function isDoubtful(text: string): boolean {
  return isQuestion(text) || /(?:^|\s)[‒–—―](?:\s|$)/u.test(text);
}

type Said = {
  readonly text: string;
  /** The words before a mention in the middle of a sentence: what follows changes nothing without a button. */
  readonly before?: string;
};

/**
 * Reads what a message says to the bot: the words of a command, or a sentence. A write runs at once only if the message
 * is that command from its first word to its last. A sentence may end with one of the `regions`. Pure; rethrows what
 * isn't a `UserError`.
 */
export function readMention({ text, before }: Said, regions: readonly string[]): ParsedMention {
  const split = attempt(() => withoutTool(splitMessage(text)));
  if (split instanceof UserError) return { kind: "miss", error: split };
  if (before === undefined) {
    const order = readOrder(split, regions);
    return isDoubtful(text) && order.kind === "run" ? offeredUnlessRead(order.parsed) : order;
  }
  const order = readOrder(split, regions);
  const isAgainst = isNegated(before.split(/\s+/u));
  if (order.kind === "menu") return miss();
  if (order.kind === "miss") return isAgainst ? miss() : order;
  const { parsed } = order;
  if (namesIn(parsed).some((name) => !/^[\w./*-]+$/u.test(name))) return miss();
  return isAgainst && !isReadOnly(parsed.command) ? miss() : offeredUnlessRead(parsed);
}

/** Reads the text of a slash command: the words of a command, or else a sentence. Pure; rethrows what isn't a `UserError`. */
export function readSlash(text: string, regions: readonly string[]): ParsedSlash {
  const parsed = attempt(() => parseText(text));
  if (!(parsed instanceof UserError)) return { kind: "run", parsed };
  const split = attempt(() => withoutTool(splitWords(text)));
  if (split instanceof UserError) return { kind: "miss", error: split };
  const begun = unfinishedWords(split);
  if (begun !== undefined) return { kind: "form", begun };
  const meant = readSentence(split, regions, parsed);
  const isBetter = meant.kind === "run" || (meant.kind === "confirm" && !offersBetter(parsed, meant.parsed));
  return isBetter || (meant.kind === "miss" && meant.error instanceof LeftOver)
    ? meant
    : { kind: "miss", error: parsed };
}

/** Its buttons run what was typed with the verb that was probably meant. A whole sentence says more than a word like a verb. */
function offersBetter({ suggestions }: UserError, { ask }: Parsed): boolean {
  const runnable = suggestions.filter(({ words }) => words !== undefined);
  const [only, ...others] = runnable;
  if (only === undefined || others.length > 0) return others.length > 0;
  return only.ask.verb !== ask.verb || isDeepStrictEqual(only.ask.args, ask.args);
}

/** What a sentence after the slash command means, whose words are a mistake as those of a command. */
function readSentence(split: readonly string[], regions: readonly string[], mistake: UserError): Understood {
  const words = withoutOpening(split);
  const typed = words.length < split.length ? attempt(() => parseWords(words)) : mistake;
  if (!(typed instanceof UserError) && !namesIn(typed).some(isNoName)) return asTyped(typed, words);
  const meaning = wordsOfSentence(split.join(" "), regions);
  const meant = meaning && parsedOf(meaning);
  return meant === undefined ? (readPart(words, regions, typed) ?? miss()) : asMeant(meant, split);
}

function readOrder(split: readonly string[], regions: readonly string[]): ParsedMention {
  if (split.length === 0 || isPolite(split.join(" "))) return { kind: "menu" };
  const words = withoutFinalPunctuation(withoutOpening(split));
  if (words.length === 0) return { kind: "menu" };
  const typed = attempt(() => parseWords(words));
  const meaning = wordsOfSentence(split.join(" "), regions);
  const meant = meaning && parsedOf(meaning);
  const isOrder = !(typed instanceof UserError) && !namesIn(typed).some(isNoName);
  if (isOrder && (meant === undefined || isAsTyped(typed, meant))) return asTyped(typed, split);
  if (meant !== undefined) return asMeant(meant, split);
  const part = unfinishedWords(meaning ?? []) === undefined ? readPart(words, regions, typed) : undefined;
  return part ?? misread(typed instanceof UserError ? typed : undefined, words, meaning);
}

function parsedOf(words: readonly string[]): Parsed | undefined {
  const parsed = attempt(() => parseWords(words));
  return parsed instanceof UserError ? undefined : parsed;
}

/**
 * Words that fit a command say more than a phrase, as "list services web" does. Only names and filters take any word:
 * "restart web job" is about one job, and "list all" about no workload called "all".
 */
function isAsTyped(typed: Parsed, meant: Parsed): boolean {
  if (typed.command.name !== meant.command.name) return false;
  const { names, text = "" } = typed.ask.args;
  return (names === undefined && isSomeName(String(text))) || isDeepStrictEqual(typed.ask, meant.ask);
}

function asMeant(parsed: Parsed, words: readonly string[]): Understood {
  if (isReadOnly(parsed.command)) return { kind: "run", parsed };
  // "Is web up today" asks about now, but what is to happen today may have a time.
  if (/^today\b/iu.test(words.at(-1) ?? "")) return left(words.slice(-1));
  return isNegated(words) ? miss() : offered(parsed);
}

/**
 * An order with something before or behind it: "restart web at 18:00". Words that are only polite don't matter, and others are
 * named. Undefined without such an order, and where `typed` says more about its words.
 */
function readPart(
  words: readonly string[],
  regions: readonly string[],
  typed: Parsed | UserError,
): Understood | undefined {
  if (explains(typed, words)) return undefined;
  if (words.length <= FIRST_WORDS && !words.some((word) => word.startsWith("-"))) {
    let first: readonly string[] | undefined;
    for (let end = words.length - 1; end > 1; end -= 1) {
      // "at" belongs to the words behind it.
      const order = isLink(words[end - 1] ?? "") ? undefined : orderIn(words.slice(0, end), regions);
      const rest = words.slice(end);
      if (order !== undefined && isPolite(rest.join(" "))) return asMeant(order, words);
      if (order !== undefined) first ??= rest;
    }
    if (first !== undefined) return left(first);
    for (let start = 1; start < words.length - 1 && !isNegated(words); start += 1) {
      if (isLink(words[start] ?? "")) continue;
      if (orderIn(words.slice(start), regions) !== undefined) return left(words.slice(0, start));
    }
  }
  return typed instanceof LeftOver ? { kind: "miss", error: typed } : undefined;
}

/** Whether the words are those of a command with a mistake. */
function explains(typed: Parsed | UserError, [verb = "", ...others]: readonly string[]): boolean {
  return typed instanceof UserError && !(typed instanceof LeftOver) && isVerb(verb) && !isSentence(others);
}

/** "logs of worker since 10:00" is a sentence: that "logs" takes only one name explains nothing. */
function isSentence(afterVerb: readonly string[]): boolean {
  return afterVerb.length > 1 && ownWords(afterVerb).some(isNoName);
}

function left(words: readonly string[]): Understood {
  return { kind: "miss", error: leftOver(words) };
}

/** Words that change or decide something. */
function orderIn(words: readonly string[], regions: readonly string[]): Parsed | undefined {
  if (isNegated(words)) return undefined;
  const typed = parsedOf(withoutFinalPunctuation(words));
  const meaning = wordsOfSentence(words.join(" "), regions);
  const meant = meaning && parsedOf(meaning);
  const order = meant ?? (typed === undefined || namesIn(typed).some(isNoName) ? undefined : typed);
  const isOrder = order !== undefined && !isReadOnly(order.command) && order.command.effect !== "link";
  return isOrder ? order : undefined;
}

function asTyped(parsed: Parsed, words: readonly string[]): Understood {
  if (isReadOnly(parsed.command)) return { kind: "run", parsed };
  if (isNegated(ownWords(words))) return miss();
  return mayBeSentence(parsed, words) ? offered(parsed) : { kind: "run", parsed };
}

/** "delete web logs" and "stop deploying web" are lists of names only if these workloads exist. */
function mayBeSentence(parsed: Parsed, words: readonly string[]): boolean {
  const names = namesIn(parsed);
  const isLinked = words.some((word) => AND.test(word) || word.endsWith(","));
  return names.length > 1 && !isLinked && names.some((name) => dictionary.has(name));
}

function offeredUnlessRead(parsed: Parsed): Understood {
  return isReadOnly(parsed.command) ? { kind: "run", parsed } : offered(parsed);
}

/** A button's value is stored in Slack, so it can't hold the value of a variable. */
function offered(parsed: Parsed): Understood {
  if (!holdsSecrets(parsed.command)) return { kind: "confirm", parsed };
  const error = new UserError("I only run that when a message starts with it. Nothing was changed.", {
    next: "Send it again right after the mention, without a question mark, a dash or a code block.",
  });
  return { kind: "miss", error };
}

function namesIn({ ask: { args } }: Parsed): readonly string[] {
  return [args["name"], args["names"]].flat().filter((each) => typeof each === "string");
}

/** Says what is wrong with the words of a command, with its form; otherwise offers the commands that come closest. */
function misread(
  typed: UserError | undefined,
  words: readonly string[],
  meaning: readonly string[] = [],
): ParsedMention {
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
  const isAsking = others.length > 1 && questionWordNear(verb.toLowerCase()) !== undefined;
  const similar = isCommand || isLong || isAsking ? [] : nearCommands(commands, verb);
  if (!isCommand && similar.length === 0) return miss(nearest(words));
  const suggestions = mistake?.suggestions ?? [];
  const isOffered = suggestions.some((each) => each.words !== undefined);
  const near = isOffered ? [] : nearest(words);
  const known = wordsForForm(similar[0]?.name ?? verb, others);
  const form = isOffered || near.length > 0 ? undefined : unfinishedWords(known);
  if (form !== undefined) return missing(mistake ?? attempt(() => parseWords(known)), form);
  if (mistake === undefined) return miss(near);
  const { message, next } = mistake;
  return { kind: "miss", error: new UserError(message, { next, suggestions: [...near, ...suggestions] }) };
}

const MOST_NAMED = 4;
const WHY = /^why (?:is|are|isn't|aren't|does|do|doesn't|don't|did|has|have|was|were|won't|can't) (.+)$/u;

/** "why are pay and cart down": `why` takes one workload, so each gets a button. */
function severalInTrouble(words: readonly string[]): ParsedMention | undefined {
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

/** Without the usage line: the form asks for what is missing. */
function missing(mistake: unknown, begun: Unfinished): ParsedMention {
  const { message, next } = mistake instanceof UserError ? mistake : notUnderstood([]);
  return { kind: "miss", error: new UserError(message, { next }), begun };
}

/** The verb and as many of the words after it as its form takes. */
function wordsForForm(verb: string, [name]: readonly string[]): readonly string[] {
  const isNamed = name !== undefined && isSomeName(name) && unfinishedWords([verb, name]) !== undefined;
  return isNamed ? [verb, name] : [verb];
}

const MOST_NEAR = 2;
/** Nobody means a command by the twentieth word. */
const FIRST_WORDS = 20;
/** No name is longer. */
const LONGEST_WORD = 300;

/** Commands that look, by words of the sentence: a verb with the names right after it, or what is said to be in trouble. */
function nearest(words: readonly string[]): readonly Suggestion[] {
  const first = words
    .slice(0, FIRST_WORDS)
    .map((word) => word.slice(0, LONGEST_WORD).replaceAll(/^[("'„“]+|[)"'“”.,;:!?…]+$/gu, ""));
  const near = first.flatMap((word, at) => {
    const command = verbNamed(word);
    // What would run without the other words isn't meant.
    if (command === undefined || !isReadOnly(command)) return [];
    const after = first.slice(at + 1).filter((each) => !/^(?:the|my|our|a|of|for|from|in|pods?)$/iu.test(each));
    const end = after.findIndex((each) => !isSomeName(each.toLowerCase()) || isVerb(each));
    return fitting(command, end < 0 ? after : after.slice(0, end));
  });
  const known = new Map([...near, ...inTrouble(first)].map((each) => [each.words, each]));
  return [...known.values()].slice(0, MOST_NEAR);
}

/** Shorter words are a verb only in the first place. */
const SHORTEST = 3;

function isVerb(word: string): boolean {
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
function ownWords(words: readonly string[]): readonly string[] {
  const end = words.findIndex((word) => word.startsWith("-"));
  return end < 0 ? words : words.slice(0, end);
}

function withoutFinalPunctuation(words: readonly string[]): readonly string[] {
  const last = words.at(-1) ?? "";
  const bare = withoutEnd(last);
  const isValue = words.at(-2)?.startsWith("--") === true;
  return bare === last || isValue ? words : [...words.slice(0, -1), ...(bare === "" ? [] : [bare])];
}

const ways: readonly Suggestion[] = [
  { label: "List workloads", ask: { verb: "list", share: false, args: {} } },
  { label: "All commands", ask: { verb: "help", share: false, args: {} } },
];

function miss(near: readonly Suggestion[] = []): Understood {
  return { kind: "miss", error: notUnderstood(near) };
}

function notUnderstood(near: readonly Suggestion[]): UserError {
  return new UserError("I didn't understand that. Nothing was changed.", {
    next: near.length > 0 ? "Did you mean this?" : "Try `list`, `why web` or `restart web`.",
    suggestions: [...near, ...ways],
  });
}
