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
