import { createTurns } from "../platform/turns.ts";
import { jsonIn } from "../platform/optional.ts";

export type Slicing = {
  /** Of the object that the text is: the list that is parsed in slices. */
  readonly key: string;
  /** Gets the entries, slice by slice, in their order. */
  readonly take: (entries: readonly unknown[]) => void;
  /** How much text is parsed at once, in characters. */
  readonly size?: number;
  /** How long others wait at most meanwhile. */
  readonly turnMs?: number;
};

/** Less than a millisecond's work. */
const SIZE = 64 * 1024;

/**
 * Parses a JSON object with a long list out of the pieces of its text, and steps aside in between, so that nobody else's
 * acknowledgement waits for it. Resolves to the object with that list empty. Undefined for every other text, whole or broken:
 * `JSON.parse` says what it is. `take` may have been called by then. Of the text, it holds no more than it needs at a time.
 */
export async function parseSliced(pieces: Iterable<string>, slicing: Slicing): Promise<object | undefined> {
  const { key, take, size = SIZE, turnMs } = slicing;
  const { stepAside } = createTurns(turnMs);
  const more = appending(pieces);
  let text = "";
  let list: number | undefined;
  while (list === undefined) {
    const longer = more(text);
    if (longer === undefined) return undefined;
    text = longer;
    list = startOf(text, key);
  }
  const head = text.slice(0, list);
  text = text.slice(list);
  let isFirst = true;
  let seam: string | undefined;
  for (let at = 0; ;) {
    if (seam !== undefined) {
      const cut = text.indexOf(seam, size);
      // Others don't wait for so much at once.
      const isNear = (cut === -1 ? text.length : cut) < 4 * size;
      const longer = isNear && cut === -1 ? more(text) : undefined;
      const entries = isNear && cut !== -1 ? jsonIn(`[${text.slice(0, cut + 1)}]`) : undefined;
      if (Array.isArray(entries)) {
        take(entries);
        text = text.slice(cut + 2);
        await stepAside();
      }
      // The end of the list comes before the next seam, or one stands within an entry, too.
      else if (longer === undefined) seam = undefined;
      else text = longer;
      continue;
    }
    const { end, isLast } = entryEnd(text, at);
    if (end === undefined) {
      const longer = more(text);
      if (longer === undefined) return undefined;
      text = longer;
      continue;
    }
    at = end + 1;
    if (!isLast && end < size) continue;
    const entries = jsonIn(`[${text.slice(0, end)}]`);
    if (!Array.isArray(entries)) return undefined;
    // Only a whole list may be empty: otherwise a comma has nothing behind it.
    if (entries.length === 0 && !(isFirst && isLast)) return undefined;
    take(entries);
    if (isLast) return restOf(head + text.slice(end) + [...remaining(more)].join(""), key);
    if (isFirst) seam = seamAt(text, end);
    text = text.slice(at);
    at = 0;
    isFirst = false;
    await stepAside();
  }
}

type More = (text: string) => string | undefined;

/**
 * The text with what follows it; undefined at the end. It is at least twice as long: what begins in it and doesn't end is
 * looked at again from its beginning.
 */
function appending(pieces: Iterable<string>): More {
  const left = pieces[Symbol.iterator]();
  return (text) => {
    let longer = text;
    while (longer.length < 2 * text.length || longer.length === text.length) {
      const next = left.next();
      if (next.done === true) break;
      longer += next.value;
    }
    return longer.length === text.length ? undefined : longer;
  };
}

function* remaining(more: More): Generator<string> {
  for (let piece = more(""); piece !== undefined; piece = more("")) yield piece;
}

function restOf(text: string, key: string): object | undefined {
  // With the key twice, also in escapes, the second list counts.
  if (text.includes("\\") || text.split(JSON.stringify(key)).length !== 2) return undefined;
  const rest = jsonIn(text);
  return typeof rest === "object" && rest !== null ? rest : undefined;
}

/** Where the entries of the list begin. */
function startOf(text: string, key: string): number | undefined {
  const opening = /^\s*\{/u.exec(text);
  if (!opening) return undefined;
  const member = new RegExp(String.raw`\s*${JSON.stringify(key)}\s*:\s*\[`, "uy");
  let at: number | undefined = opening[0].length;
  while (at !== undefined) {
    member.lastIndex = at;
    if (member.test(text)) return member.lastIndex;
    const { end, isLast } = entryEnd(text, at);
    at = end === undefined || isLast ? undefined : end + 1;
  }
  return undefined;
}

/**
 * What stands between two entries that begin with the same key, `},{"uid":`. What is parsed up to there is whole: looking for
 * it is quicker than for the end of each entry.
 */
function seamAt(text: string, comma: number): string | undefined {
  return /\},\{"\w+":/uy.exec(text.slice(comma - 1, comma + LONGEST_SEAM))?.[0];
}

const LONGEST_SEAM = 100;

type EntryEnd = { readonly end: number | undefined; readonly isLast: boolean };

/** Where an entry of a list or an object ends: at the comma behind it, or at the bracket that closes all of them. */
function entryEnd(text: string, from: number): EntryEnd {
  let depth = 0;
  for (let at = from; at < text.length; at += 1) {
    switch (text.charCodeAt(at)) {
      case 0x22: // "
        at = closingQuote(text, at);
        if (at === -1) return { end: undefined, isLast: true };
        break;
      case 0x5b: // [
      case 0x7b: // {
        depth += 1;
        break;
      case 0x5d: // ]
      case 0x7d: // }
        if (depth === 0) return { end: at, isLast: true };
        depth -= 1;
        break;
      case 0x2c: // ,
        if (depth === 0) return { end: at, isLast: false };
        break;
      default:
    }
  }
  return { end: undefined, isLast: true };
}

function closingQuote(text: string, opening: number): number {
  for (let at = text.indexOf('"', opening + 1); at !== -1; at = text.indexOf('"', at + 1)) {
    let before = at - 1;
    while (text.charCodeAt(before) === 0x5c) before -= 1;
    if ((at - before) % 2 === 1) return at;
  }
  return -1;
}
