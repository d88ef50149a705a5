import { UserError } from "../../errors.ts";

const DOUBLE = '"“”„‟';
const SINGLE = "'‘’‚‛";
/** Phones and word processors turn one or two typed hyphens into these. */
const LONG_DASHES = /^[-‐‑‒–—―−]*[‐‑‒–—―−][-‐‑‒–—―−]*/u;

/** Splits text from Slack, which escapes it, as `splitPlainWords` does. Pure. */
export function splitWords(text: string): string[] {
  return splitPlainWords(unescapeSlack(text));
}

/**
 * Splits text into words. Pure. Quotes group words, straight or curly; they open at the start of a word or after `=`,
 * so that an apostrophe inside a word stays one. Inside double quotes `\"` and `\\` are the character itself; every
 * other backslash is kept, because regular expressions need them. Throws a `UserError` for a quote that is never
 * closed.
 */
export function splitPlainWords(text: string): string[] {
  const words: string[] = [];
  const characters = Array.from(text);
  let at = 0;
  while (at < characters.length) {
    if (isSpace(characters[at])) {
      at += 1;
      continue;
    }
    const { word, end } = readWord(characters, at);
    words.push(word);
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

function readWord(characters: readonly string[], start: number): { word: string; end: number } {
  let word = "";
  let at = start;
  let quoted = false;
  while (at < characters.length && !isSpace(characters[at])) {
    const character = characters[at] ?? "";
    const quotes = at === start || word.endsWith("=") ? quotesOf(character) : undefined;
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
  return { word: quoted ? word : plainDashes(word), end: at };
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
  throw new UserError("A quote was opened and never closed, so it is not clear where that word ends.", {
    next: "Close the quote, or leave it out.",
  });
}

/** A long dash before a letter, or alone, is two hyphens; before a digit it is a minus sign. */
function plainDashes(word: string): string {
  const dashes = LONG_DASHES.exec(word)?.[0];
  if (dashes === undefined) return word;
  const rest = word.slice(dashes.length);
  return (/^\d/u.test(rest) ? "-" : "--") + rest;
}

function quotesOf(character: string): string | undefined {
  if (DOUBLE.includes(character)) return DOUBLE;
  return SINGLE.includes(character) ? SINGLE : undefined;
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
