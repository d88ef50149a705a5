import { isDeepStrictEqual } from "node:util";
import { attempt, UserError } from "../../errors.ts";
import { isReadOnly } from "../command.ts";
import { holdsSecrets } from "./find-command.ts";
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
  withoutEnd,
  withoutOpening,
} from "./manners.ts";
import { type Parsed, parseText, parseWords, type Unfinished, unfinishedWords, withoutTool } from "./parse.ts";
import { FIRST_WORDS, isSentence, isVerb, misread, miss, ownWords, type Understood } from "./misread.ts";
import { wordsOfSentence } from "./plain-sentences.ts";
import { splitMessage, splitWords } from "./words.ts";

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
  const { names, name, text = name ?? "" } = typed.ask.args;
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
  // "Which deploy broke web" is no order with words left over.
  if (explains(typed, words) || /^(?:what|which|who|why)$/iu.test(words[0] ?? "")) return undefined;
  if (words.length <= FIRST_WORDS && !words.some((word) => word.startsWith("-"))) {
    const [lead = "", verb = ""] = words;
    // "maybe restart web"
    const isLed = words.length > 2 && !isVerb(lead) && isVerb(verb) && !isNegated(words);
    if (isLed && orderIn(words.slice(1), regions) !== undefined) return left([lead]);
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

/**
 * "delete web logs" and "stop deploying web" are lists of names only if these workloads exist. "deploy web failed" and
 * "deploy web quickly" end with a tag only if it exists. `web:latest` and `1.5` can be nothing else.
 */
function mayBeSentence(parsed: Parsed, words: readonly string[]): boolean {
  const { image } = parsed.ask.args;
  if (words.some((word) => word === image && /^[\p{L}-]+$/u.test(word))) return true;
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

function withoutFinalPunctuation(words: readonly string[]): readonly string[] {
  const last = words.at(-1) ?? "";
  const bare = withoutEnd(last);
  const isValue = words.at(-2)?.startsWith("--") === true;
  return bare === last || isValue ? words : [...words.slice(0, -1), ...(bare === "" ? [] : [bare])];
}
