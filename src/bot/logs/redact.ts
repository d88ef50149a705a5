import type { Redacted } from "../../api/redacted.ts";
import { redactKnownTokens } from "./known-tokens.ts";
import { lastEdge, redactPrivateKeys } from "./private-keys.ts";
import { redactRandomStrings } from "./random-strings.ts";
import { redactNextLines, redactSecretPairs } from "./secret-pairs.ts";
import { valueRedactor } from "./secret-values.ts";

/** A replacement can expose another match, so passes repeat until nothing changes. Most lines need one. */
function redactLine(line: string): string {
  let text = line;
  for (let passes = 0; passes < 8; passes += 1) {
    const next = redactRandomStrings(redactSecretPairs(redactKnownTokens(text)));
    if (next === text) return text;
    text = next;
  }
  return text;
}

/** Characters of a record that are read. Some expressions need a stack as deep as a word is long, and have none for millions. */
const READ = 32_768;
/** Shown before a cut: half of a secret there may go unrecognised, so this much of what was read is hidden as well. */
const MARGIN = 600;

/** A record that is read to its end, or what is read of one that is too long. */
function bounded(record: string): string {
  if (record.length <= READ) return record;
  // A key that begins in the rest goes on in the next records.
  const begin = lastEdge(record.slice(READ));
  return record.slice(0, READ).toWellFormed() + begin;
}

function cut(redacted: string): string {
  return `${redacted.slice(0, Math.max(0, Math.min(READ, redacted.length) - MARGIN)).toWellFormed()}… (cut)`;
}

/**
 * Replaces likely secrets with `[redacted]` and keeps their names. The lines must come from one writer, in order, because
 * a private key can span several. Linear in the text, of which the first 32,768 characters of a record are read and the rest is left out; redacting twice changes nothing. When in doubt, it redacts. A
 * secret without a known shape, a name or randomness (a short password in prose) is only found if it is in `secrets`. With
 * too many of those, lines are withheld.
 */
export function redactLines(lines: readonly string[], secrets: readonly string[] = []): Redacted[] {
  const values = valueRedactor(secrets);
  // A record can have several lines, and a key can span records.
  const counts: number[] = [];
  const single: string[] = [];
  for (const record of lines.map(bounded)) {
    const before = single.length;
    for (const line of record.split("\n")) single.push(line);
    counts.push(single.length - before);
  }
  // Known values first, while they are complete.
  const known = values.before(single);
  const flat = redactNextLines(redactPrivateKeys(known)).map(redactLine).map(values.after);
  let from = 0;
  return counts.map((count, at) => {
    const text = flat.slice(from, (from += count)).join("\n");
    return ((lines[at]?.length ?? 0) > READ ? cut(text) : text) as Redacted; // it has just passed
  });
}

/** At most so many characters: half of a secret wouldn't be recognised, so a text is redacted before it is cut. */
export function shortened(text: Redacted, most: number, mark = "… (cut)"): Redacted {
  return (text.length <= most ? text : `${text.slice(0, most).toWellFormed()}${mark}`) as Redacted; // a part of it
}

/** `redactLines` for a single text. */
export function redact(text: string, secrets: readonly string[] = []): Redacted {
  return redactLines([text], secrets).join("\n") as Redacted; // one text, which has just passed
}

/** How `cleanLine` shows what goes back to the start of a line, and by one character. */
const OVER = "\u240d";
const BACK = "\u2408";

/**
 * Of a line in which a program went back, as a progress bar does, what a terminal shows last. After redaction: the name of a
 * secret may be in what is left out. Pure.
 */
export function lastState(text: Redacted): Redacted {
  if (!text.includes(OVER) && !text.includes(BACK)) return text;
  const lines = text
    .split("\n")
    .map((line) => withoutBack(line.split(OVER).findLast((each) => each.trim() !== "") ?? ""));
  return lines.join("\n") as Redacted; // parts of it
}

function withoutBack(line: string): string {
  if (!line.includes(BACK)) return line;
  const left: string[] = [];
  for (const character of line) {
    if (character === BACK) left.pop();
    else left.push(character);
  }
  return left.join("");
}
