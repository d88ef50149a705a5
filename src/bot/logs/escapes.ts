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
