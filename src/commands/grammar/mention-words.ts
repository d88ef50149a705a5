import { isDeepStrictEqual } from "node:util";
import { type Suggestion, UserError } from "../../errors.ts";
import { onlyLooks } from "../command.ts";
import { nearCommands } from "./find-command.ts";
import { type Parsed, parseWords } from "./parse.ts";
import { isGreeting, isNegated, isNoName, wordsOfSentence } from "./plain-sentences.ts";
import { splitWords } from "./words.ts";
import { commands } from "../verbs.ts";

/** What a message to the bot asks for. */
export type Heard =
  | { readonly kind: "run"; readonly parsed: Parsed }
  /** A sentence that changes something: its author confirms it with a button. */
  | { readonly kind: "confirm"; readonly parsed: Parsed }
  | { readonly kind: "menu" }
  | { readonly kind: "error"; readonly error: UserError };

/**
 * Reads the text after a mention: the words of a command, or a sentence. A command in words runs as if typed after the
 * slash command; a sentence only reads, or asks first. Pure; rethrows what isn't a `UserError`.
 */
export function readMention(text: string): Heard {
  const split = attempt(() => splitWords(text));
  if (split instanceof UserError) return { kind: "error", error: split };
  const words = withoutFinalPunctuation(split);
  if (words.length === 0 || isGreeting(split.join(" "))) return { kind: "menu" };
  const typed = attempt(() => parseWords(words));
  const meant = wordsOfSentence(split.join(" "));
  if (meant === undefined) return typed instanceof UserError ? misread(typed, words) : asTyped(typed, split);
  const parsed = attempt(() => parseWords(meant));
  if (parsed instanceof UserError) return { kind: "error", error: notUnderstood() };
  // "scale web to 3" is a sentence too, though it parses.
  const isProse = split.some((word) => word.toLowerCase() === "to");
  const isSame = !(typed instanceof UserError) && isSameRequest(typed, parsed);
  return isSame && !isProse ? asTyped(typed, split) : asMeant(parsed, split);
}

/** A read that parses says more than a pattern, as "list services" does. */
function isSameRequest(typed: Parsed, meant: Parsed): boolean {
  const isRead = onlyLooks(typed.command) && typed.command.name === meant.command.name;
  return isRead || isDeepStrictEqual(typed.ask, meant.ask);
}

function asMeant(parsed: Parsed, words: readonly string[]): Heard {
  if (onlyLooks(parsed.command)) return { kind: "run", parsed };
  return isNegated(words) ? { kind: "error", error: notUnderstood() } : { kind: "confirm", parsed };
}

/** Words that parse can still be a sentence, as "restart it, not web". A question is confirmed. */
function asTyped(parsed: Parsed, words: readonly string[]): Heard {
  const isRead = onlyLooks(parsed.command);
  const own = ownWords(words);
  const { name, names: several } = parsed.ask.args;
  const names = [name, several].flat().filter((each) => typeof each === "string");
  if (names.some(isNoName) || (!isRead && isNegated(own))) return { kind: "error", error: notUnderstood() };
  return { kind: !isRead && own.at(-1)?.endsWith("?") === true ? "confirm" : "run", parsed };
}

/** The error if a verb was probably meant; otherwise these are words to somebody else, or a sentence we don't know. */
function misread(error: UserError, words: readonly string[]): Heard {
  const [verb = ""] = words;
  const isCommand = attempt(() => parseWords([verb, "--help"]));
  const isNear = nearCommands(commands, verb).length > 0;
  const isLong = words.length > 3 && !words.some((word) => word.startsWith("-"));
  if (isNegated(ownWords(words)) || (isCommand instanceof UserError && (!isNear || isLong))) {
    return { kind: "error", error: notUnderstood() };
  }
  return { kind: "error", error };
}

/** The words before the first flag, whose value may be any text. */
function ownWords(words: readonly string[]): readonly string[] {
  const end = words.findIndex((word) => word.startsWith("-"));
  return end < 0 ? words : words.slice(0, end);
}

function withoutFinalPunctuation(words: readonly string[]): readonly string[] {
  const last = words.at(-1) ?? "";
  const bare = last.replace(/[.,;!?…]+$/u, "");
  const isValue = words.at(-2)?.startsWith("--") === true;
  return bare === last || isValue ? words : [...words.slice(0, -1), ...(bare === "" ? [] : [bare])];
}

const ways: readonly Suggestion[] = [
  { label: "List workloads", ask: { verb: "list", share: false, args: {} } },
  { label: "All commands", ask: { verb: "help", share: false, args: {} } },
];

function notUnderstood(): UserError {
  return new UserError("I didn't understand that. Nothing was changed.", {
    next: "Try `list`, `why web` or `restart web`.",
    suggestions: ways,
  });
}

function attempt<Result>(work: () => Result): Result | UserError {
  try {
    return work();
  } catch (error) {
    if (error instanceof UserError) return error;
    throw error;
  }
}
