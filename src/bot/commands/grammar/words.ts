import { UserError } from "../../errors.ts";
import { truncate, visible } from "../../views/kit/text.ts";

const DOUBLE = '"“”„‟';
const SINGLE = "'‘’‚‛";
/** Phones and word processors turn one or two typed hyphens into these. */
const LONG_DASHES = /^[-‐‑‒–—―−]*[‐‑‒–—―−][-‐‑‒–—―−]*/u;

const CODE = /^(`)([^`]+)`$/u;

/** Splits the text of a slash command, which Slack escapes and doesn't format: `*web*` is a pattern. Pure. */
export function splitWords(text: string): string[] {
  return split(text, CODE);
}

/** Splits the text of a message, in which `*web*` is bold and `_web_` italic. Pure. */
export function splitMessage(text: string): string[] {
  return split(text, /^([`*_])((?!\1).+)(?<!\1)\1$/u);
}

/** As `splitPlainWords` does, without the marks around the whole text or a word. */
function split(text: string, marked: RegExp): string[] {
  return withoutMarks(readWords(unwrapped(unescapeSlack(text))), marked);
}

/**
 * Splits text into words. Pure. Quotes group words, straight or curly; they open at the start of a word or after `=`,
 * so that an apostrophe inside a word stays one. Inside double quotes `\"` and `\\` are the character itself; every
 * other backslash is kept, because regular expressions need them. Throws a `UserError` for a quote that is never
 * closed.
 */
export function splitPlainWords(text: string): string[] {
  return readWords(text).map(({ word }) => word);
}

type Word = { readonly word: string; readonly isQuoted: boolean };

function readWords(text: string): Word[] {
  const words: Word[] = [];
  const characters = Array.from(text);
  let at = 0;
  while (at < characters.length) {
    if (isSpace(characters[at])) {
      at += 1;
      continue;
    }
    const { end, ...read } = readWord(characters, at);
    words.push(read);
    at = end;
  }
  return words;
}

/**
 * Reverts Slack's escaping of a command's text (docs.slack.dev/interactivity/implementing-slash-commands, "escaping"):
 * a host name that became a link is the typed words again, people and channels stay `<@U…|name>` and `<#C…|name>`, and
 * `&amp;`, `&lt;`, `&gt;` are their characters.
 */
function unescapeSlack(text: string): string {
  return text
    .replace(/<([^<>|\s]+)(?:\|([^<>]*))?>/gu, (whole, target: string, label: string | undefined) =>
      /^[@#!]/u.test(target) ? whole : (label ?? target),
    )
    .replaceAll("&lt;", "<")
    .replaceAll("&gt;", ">")
    .replaceAll("&amp;", "&");
}

/**
 * The text inside back-ticks, bold or italics that surround all of it, as when a command was pasted. No command begins with
 * a pattern.
 */
function unwrapped(text: string): string {
  const inside = /^\s*(```|[`*_])([\s\S]+)\1\s*$/u.exec(text);
  if (inside === null) return text;
  const [, mark = "", words = ""] = inside;
  return words.includes(mark) ? text : words;
}

/** Quoted words stay as they are, and so do a flag's value, which may be an expression, and a container's command. */
function withoutMarks(words: readonly Word[], marked: RegExp): string[] {
  const end = words.findIndex(({ word, isQuoted }) => word === "--" && !isQuoted);
  return words.map(({ word, isQuoted }, at) => {
    if (isQuoted || (end >= 0 && at > end)) return word;
    const isValue = /^--[a-z]/u.test(words[at - 1]?.word ?? "");
    return (isValue ? CODE : marked).exec(word)?.[2] ?? word;
  });
}

function readWord(characters: readonly string[], start: number): Word & { end: number } {
  let word = "";
  let at = start;
  let quoted = false;
  while (at < characters.length && !isSpace(characters[at])) {
    const character = characters[at] ?? "";
    const quotes =
      at === start || word.endsWith("=") ? [DOUBLE, SINGLE].find((each) => each.includes(character)) : undefined;
    if (quotes === undefined) {
      word += character;
      at += 1;
      continue;
    }
    quoted ||= at === start;
    const inside = readQuoted(characters, at + 1, quotes);
    word += inside.text;
    at = inside.end;
  }
  return { word: quoted ? word : plainDashes(word), isQuoted: quoted, end: at };
}

function readQuoted(characters: readonly string[], start: number, quotes: string): { text: string; end: number } {
  let text = "";
  for (let at = start; at < characters.length; at += 1) {
    const character = characters[at] ?? "";
    const next = characters[at + 1];
    if (quotes.includes(character)) return { text, end: at + 1 };
    if (quotes === DOUBLE && character === "\\" && (next === '"' || next === "\\")) {
      text += next;
      at += 1;
    } else {
      text += character;
    }
  }
  throw new UserError("A quote isn't closed.", { next: "Add the closing quote, or remove the opening one." });
}

/** A long dash before a letter, or alone, is two hyphens; before a digit it is a minus sign. */
function plainDashes(word: string): string {
  const dashes = LONG_DASHES.exec(word)?.[0];
  if (dashes === undefined) return word;
  const rest = word.slice(dashes.length);
  return (/^\d/u.test(rest) ? "-" : "--") + rest;
}

function isSpace(character: string | undefined): boolean {
  return character !== undefined && /[\s\u200b\u2060\ufeff]/u.test(character);
}

/**
 * One line that splits into exactly these words, as `splitPlainWords` splits; undefined where no quotes can hold one of
 * them. Pure.
 */
export function joinWords(words: readonly string[]): string | undefined {
  const quoted = words.map(quote);
  return quoted.includes(undefined) ? undefined : quoted.join(" ");
}

/** A curly quote closes a straight one of its kind, and only straight ones can be escaped. */
function quote(word: string): string | undefined {
  if (/^[\w@%+:,./=-]+$/u.test(word)) return word;
  if (!/[“”„‟]/u.test(word)) return `"${word.replaceAll(/["\\]/gu, "\\$&")}"`;
  return /['‘’‚‛]/u.test(word) ? undefined : `'${word}'`;
}

/** Longer input fills the screen, and its end is seldom where the mistake is. */
const LONGEST_ECHO = 60;

/** What was typed, shortened and between backticks, for a sentence that views draw as code. Pure. */
export function echo(typed: string): string {
  const shown = truncate(visible(typed.replaceAll("`", "'")), LONGEST_ECHO);
  return shown === "" ? "an empty word" : `\`${shown}\``;
}
