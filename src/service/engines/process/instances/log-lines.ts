/** Longer lines of a program are stored in several pieces. */
export const MAX_LINE_BYTES = 16 * 1024;

/** Prefix of all pieces of a long line except the first. */
const CONTINUED = "[…] ";
const NEWLINE = 10;
const CARRIAGE_RETURN = 13;

type LineSplitter = {
  /** Yields the lines this chunk completes, lazily because a chunk can hold many. Consume all of them. */
  readonly push: (chunk: Buffer) => Iterable<string>;
  /** The last line, when the output ended without a line end. */
  readonly end: () => string[];
};

/** Cuts the output of a program into lines. Invalid UTF-8 and NUL become U+FFFD; the end of a line is `\n` or `\r\n`. */
export function splitLines(): LineSplitter {
  let rest = Buffer.alloc(0);
  let continued = false;

  function take(piece: Buffer, complete: boolean): string {
    const text = piece.toString("utf8").replaceAll("\0", "\uFFFD");
    const line = (continued ? CONTINUED : "") + (complete ? text.replace(/\r$/, "") : text);
    continued = !complete;
    return line;
  }

  function* cutLong(): Iterable<string> {
    while (rest.length > MAX_LINE_BYTES && !isFullLine(rest)) {
      const cut = cutBefore(rest, MAX_LINE_BYTES);
      yield take(rest.subarray(0, cut), false);
      rest = rest.subarray(cut);
    }
  }

  return {
    *push(chunk) {
      let from = 0;
      for (let at = chunk.indexOf(NEWLINE); at !== -1; at = chunk.indexOf(NEWLINE, from)) {
        rest = join(rest, chunk.subarray(from, at));
        yield* cutLong();
        yield take(rest, true);
        rest = Buffer.alloc(0);
        from = at + 1;
      }
      rest = join(rest, chunk.subarray(from));
      yield* cutLong();
    },
    end() {
      const last = rest.length > 0 ? [take(rest, true)] : [];
      rest = Buffer.alloc(0);
      return last;
    },
  };
}

/** As long as a line may be, and what can be the first half of `\r\n`. */
function isFullLine(bytes: Buffer): boolean {
  return bytes.length === MAX_LINE_BYTES + 1 && bytes.at(-1) === CARRIAGE_RETURN;
}

function join(left: Buffer<ArrayBuffer>, right: Buffer): Buffer<ArrayBuffer> {
  return Buffer.concat([left, right]);
}

/** The last index at or before `limit` that is not inside a character: continuation bytes of UTF-8 are 10xxxxxx. */
function cutBefore(bytes: Buffer, limit: number): number {
  let cut = limit;
  while (cut > limit - 4 && ((bytes[cut] ?? 0) & 0xc0) === 0x80) cut -= 1;
  return ((bytes[cut] ?? 0) & 0xc0) === 0x80 ? limit : cut;
}
