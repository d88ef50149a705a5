import { REDACTED } from "./redacted.ts";

// RFC 7468. A key is often logged line by line, and an excerpt may begin or end in its middle.
const BEGIN = /-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----/u;
const END = /-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----/u;

/** Lines after a BEGIN that are taken for its key without an END: more than an RSA key of 16,384 bits needs. */
const LONGEST = 256;

/** The last word of a line, after whatever a logger puts before it, is base64 of at least this length. */
function endsInBase64(line: string | undefined, least: number): boolean {
  const word = line?.slice(line.trimEnd().lastIndexOf(" ") + 1).trim() ?? "";
  return word.length >= least && /^[A-Za-z0-9+/=]+$/u.test(word);
}

/** An END whose BEGIN stands on an older page: the lines above it that look like key material go too. */
function coverBackwards(lines: string[]): void {
  const last = lines.length - 1;
  for (let at = last; at >= 0 && at > last - LONGEST; at -= 1) {
    if (!endsInBase64(lines[at], at === last ? 1 : 40)) return;
    lines[at] = REDACTED;
  }
}

type Hidden = { readonly text: string; readonly isOpen: boolean; readonly hasStrayEnd: boolean };

/** Hides the part of a line that belongs to keys. Says whether a key is still open after it. */
function hide(line: string, wasOpen: boolean): Hidden {
  let text = wasOpen ? REDACTED : "";
  let rest = line;
  let isOpen = wasOpen;
  let hasStrayEnd = false;
  for (;;) {
    const end = END.exec(rest);
    const begin = isOpen ? null : BEGIN.exec(rest);
    const edge = begin !== null && (end === null || begin.index < end.index) ? begin : end;
    if (edge === null) return { text: isOpen ? text : text + rest, isOpen, hasStrayEnd };
    if (edge === begin) text += rest.slice(0, edge.index) + REDACTED;
    else if (!isOpen) [text, hasStrayEnd] = [REDACTED, true];
    isOpen = edge === begin;
    rest = rest.slice(edge.index + edge[0].length);
  }
}

/** Hides private keys, also when they are spread over several lines of one writer. */
export function redactPrivateKeys(lines: readonly string[]): string[] {
  const out: string[] = [];
  let openFor = 0;
  for (const line of lines) {
    const { text, isOpen, hasStrayEnd } = hide(line, openFor > 0);
    if (hasStrayEnd && openFor === 0) coverBackwards(out);
    out.push(text);
    openFor = isOpen ? (openFor + 1) % LONGEST : 0;
  }
  return out;
}
