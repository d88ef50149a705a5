import { REDACTED } from "./known-tokens.ts";

// RFC 7468. A key is often logged line by line, and an excerpt may start or end in the middle of one.
const EDGE = /-----(?<which>BEGIN|END) [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----/gu;

/** Without an END, this many lines after a BEGIN are hidden: more than a 16,384-bit RSA key needs. */
const LONGEST = 256;

/** Whether the last word of a line is base64 of at least this length. Loggers add prefixes. */
function endsInBase64(line: string | undefined, least: number): boolean {
  const word = line?.slice(line.trimEnd().lastIndexOf(" ") + 1).trim() ?? "";
  return word.length >= least && /^[A-Za-z0-9+/=]+$/u.test(word);
}

/** Hides the lines above an END whose BEGIN is on an older page, as long as they look like key material. */
function coverBackwards(lines: string[]): void {
  const last = lines.length - 1;
  for (let at = last; at >= 0 && at > last - LONGEST; at -= 1) {
    if (!endsInBase64(lines[at], at === last ? 1 : 40)) return;
    lines[at] = REDACTED;
  }
}

type Hidden = { readonly text: string; readonly isOpen: boolean; readonly hasStrayEnd: boolean };

/** Hides the parts of a line that belong to keys. */
function hide(line: string, wasOpen: boolean): Hidden {
  let text = wasOpen ? REDACTED : "";
  let done = 0;
  let isOpen = wasOpen;
  let hasStrayEnd = false;
  for (const edge of line.matchAll(EDGE)) {
    const isBegin = edge.groups?.["which"] === "BEGIN";
    // A key in a key: the next END closes both.
    if (isBegin && isOpen) continue;
    if (isBegin) text += line.slice(done, edge.index) + REDACTED;
    else if (!isOpen) [text, hasStrayEnd] = [REDACTED, true];
    isOpen = isBegin;
    done = edge.index + edge[0].length;
  }
  return { text: isOpen ? text : text + line.slice(done), isOpen, hasStrayEnd };
}

/** The BEGIN of a key that has no END in this text; "" without one. */
export function lastEdge(text: string): string {
  let last = "";
  for (const edge of text.matchAll(EDGE)) last = edge.groups?.["which"] === "BEGIN" ? edge[0] : "";
  return last;
}

/** Hides private keys, also across several lines of one writer. */
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
