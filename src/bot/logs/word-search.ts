/** Where a word was found, in bytes. */
export type Span = { readonly start: number; readonly end: number };

export type WordSearch = {
  /** The parts of a text that belong to at least one of the words, in order and without overlaps. */
  readonly find: (text: Uint8Array) => Span[];
  /** How many of a text's last bytes are the beginning of a word. */
  readonly begunAtEnd: (text: Uint8Array) => number;
};

/** Adds a span that ends last, and joins those it overlaps. */
function join(spans: Span[], { start, end }: Span): void {
  let from = start;
  for (let last = spans.at(-1); last !== undefined && last.end > from; last = spans.at(-1)) {
    from = Math.min(from, last.start);
    spans.pop();
  }
  spans.push({ start: from, end });
}

/**
 * Searches for many words at once, in time linear in the text however many and whatever they are: Aho and Corasick's
 * automaton (https://doi.org/10.1145/360825.360855). State 0 is its root. Every other state is a beginning of a word.
 */
export function createWordSearch(words: readonly Uint8Array[]): WordSearch {
  const most = words.reduce((sum, { length }) => sum + length, 1);
  const byte = new Uint8Array(most);
  const depth = new Int32Array(most);
  /** The states one byte further, as a list. The root's are in an array, because most bytes are looked up there. */
  const firstChild = new Int32Array(most);
  const nextChild = new Int32Array(most);
  const rootChild = new Int32Array(256);
  /** The longest other state that is an end of this one. */
  const fallback = new Int32Array(most);
  /** The length of the longest word that ends here. */
  const found = new Int32Array(most);

  const child = (state: number, next: number): number => {
    if (state === 0) return rootChild[next] ?? 0;
    let at = firstChild[state] ?? 0;
    while (at !== 0 && byte[at] !== next) at = nextChild[at] ?? 0;
    return at;
  };
  const step = (from: number, next: number): number => {
    let state = from;
    for (;;) {
      const to = child(state, next);
      if (to !== 0 || state === 0) return to;
      state = fallback[state] ?? 0;
    }
  };

  let count = 1;
  for (const word of words) {
    let state = 0;
    for (const next of word) {
      let to = child(state, next);
      if (to === 0) {
        to = count;
        count += 1;
        byte[to] = next;
        depth[to] = (depth[state] ?? 0) + 1;
        if (state === 0) rootChild[next] = to;
        else [nextChild[to], firstChild[state]] = [firstChild[state] ?? 0, to];
      }
      state = to;
    }
    if (state !== 0) found[state] = word.length;
  }
  // Shorter states first: a fallback is always shorter than its state.
  const queue = new Int32Array(count);
  let filled = 0;
  for (const to of rootChild) if (to !== 0) queue[filled++] = to;
  for (let at = 0; at < filled; at += 1) {
    const state = queue[at] ?? 0;
    const other = fallback[state] ?? 0;
    if (found[state] === 0) found[state] = found[other] ?? 0;
    for (let to = firstChild[state] ?? 0; to !== 0; to = nextChild[to] ?? 0) {
      fallback[to] = step(other, byte[to] ?? 0);
      queue[filled++] = to;
    }
  }

  return {
    find(text) {
      const spans: Span[] = [];
      let state = 0;
      for (let at = 0; at < text.length; at += 1) {
        state = step(state, text[at] ?? 0);
        const length = found[state] ?? 0;
        if (length > 0) join(spans, { start: at + 1 - length, end: at + 1 });
      }
      return spans;
    },
    begunAtEnd: (text) => depth[text.reduce(step, 0)] ?? 0,
  };
}

/** A text in bytes, and where each of them (and the end) stands in the text as it was logged. */
export type Written = { readonly bytes: Buffer; readonly at: Int32Array };

type Escape = { readonly pattern: RegExp; readonly meaning: (escape: string) => Buffer };

const named: Readonly<Record<string, string>> = {
  "\\b": "\b",
  "\\f": "\f",
  "\\n": "\n",
  "\\r": "\r",
  "\\t": "\t",
  "&amp;": "&",
  "&lt;": "<",
  "&gt;": ">",
  "&quot;": '"',
  "&apos;": "'",
};

function character(code: number): Buffer {
  return Buffer.from(code <= 0x10_ffff ? String.fromCodePoint(code).toWellFormed() : "\ufffd");
}

/** Percent-encoding (RFC 3986), the backslashes of JSON, shells and programming languages, and the entities of XML. */
const escapes: readonly Escape[] = [
  { pattern: /%[0-9a-f]{2}/giu, meaning: (found) => Buffer.from(found.slice(1), "hex") },
  {
    pattern: /\\(?:u[d][89ab][0-9a-f]{2}\\u[d][c-f][0-9a-f]{2}|u[0-9a-f]{4}|x[0-7][0-9a-f]|[bfnrt]|[^0-9a-z])/giu,
    meaning(found) {
      if (/^\\u/iu.test(found)) {
        const units = found.match(/[0-9a-f]{4}/giu) ?? [];
        return Buffer.from(String.fromCharCode(...units.map((unit) => Number.parseInt(unit, 16))).toWellFormed());
      }
      if (/^\\x/iu.test(found)) return Buffer.from(found.slice(2), "hex");
      return Buffer.from(named[found] ?? found.slice(1), "latin1");
    },
  },
  {
    pattern: /&(?:amp|lt|gt|quot|apos|#\d{1,7}|#x[0-9a-f]{1,6});/giu,
    meaning(found) {
      const [, hex, digits] = /^&#(?:x([0-9a-f]+)|(\d+));$/iu.exec(found) ?? [];
      if (hex !== undefined) return character(Number.parseInt(hex, 16));
      return digits === undefined ? Buffer.from(named[found.toLowerCase()] ?? found) : character(Number(digits));
    },
  },
];

/** The text with one kind of escape replaced by what it means; undefined if it has none. No escape is shorter than that. */
function unescaped({ bytes, at }: Written, { pattern, meaning }: Escape): Written | undefined {
  // One character for each byte, so that positions agree.
  const text = bytes.toString("latin1");
  if (text.search(pattern) === -1) return undefined;
  const out = Buffer.allocUnsafe(bytes.length);
  const outAt = new Int32Array(bytes.length + 1);
  let length = 0;
  let from = 0;
  const copyTo = (end: number): void => {
    bytes.copy(out, length, from, end);
    outAt.set(at.subarray(from, end), length);
    length += end - from;
  };
  for (const found of text.matchAll(pattern)) {
    copyTo(found.index);
    const meant = meaning(found[0]);
    meant.copy(out, length);
    outAt.fill(at[found.index] ?? 0, length, length + meant.length);
    length += meant.length;
    from = found.index + found[0].length;
  }
  copyTo(bytes.length);
  outAt[length] = at[bytes.length] ?? 0;
  return { bytes: out.subarray(0, length), at: outAt.subarray(0, length + 1) };
}

/** JSON in JSON, or an address in an address. */
const MOST_NESTED = 2;

/** All readings of a line that differ from what it literally says. */
export function* readings(written: Written, nested = 1): Generator<Written> {
  for (const escape of escapes) {
    const read = unescaped(written, escape);
    if (read === undefined) continue;
    yield read;
    if (nested < MOST_NESTED) yield* readings(read, nested + 1);
  }
}
