import { REDACTED } from "./known-tokens.ts";

// Secrets without a known shape or name: 32 or more characters of hex, base32, base62 or base64 that switch between
// lower case, upper case and digits as often as random text does.
// Kept: UUIDs, names with short random parts (pods), and hex strings next to a word such as commit, digest or trace.
// When in doubt, it is redacted.

const RUN = /[A-Za-z0-9+/_-]{32,}={0,2}/gu;
export const UUID = /(?<![0-9a-f])[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}(?![0-9a-f])/giu;
const harmless =
  /commit|sha\d|\bsha\b|revision|\brev\b|\bHEAD\b|digest|checksum|etag|md5|hash|image|layer|docker|containerd|overlay|trace|span|request|build|\bgit\b|blob|tree\b/iu;
const sensitive =
  /(?<![a-z])(?:token|keys?|secret|passw|auth(?!or)|credential|session)(?![a-z]{5})|(?:token|secret|key)s?\b/iu;
/** How many characters before a string are searched for a word that explains it. */
const BESIDE = 32;

function kindOf(code: number): number {
  if (code <= 57) return 0;
  return code <= 90 ? 1 : 2;
}

/** Share of neighbouring characters of different kinds. Random base64 is near 0.6, hex near 0.5, words near 0.1. */
function switching(chunk: string): number {
  let switches = 0;
  for (let at = 1; at < chunk.length; at += 1) {
    if (kindOf(chunk.charCodeAt(at)) !== kindOf(chunk.charCodeAt(at - 1))) switches += 1;
  }
  return switches / Math.max(1, chunk.length - 1);
}

/** Whether it switches between digits and letters, or between cases, as often as random text does. */
export function isNoisy(chunk: string): boolean {
  if (chunk.length < 8) return false;
  if (/\d/u.test(chunk)) return /[A-Za-z]/u.test(chunk) && switching(chunk) >= (chunk.length >= 24 ? 0.22 : 0.3);
  if (chunk.length < 32) return false;
  const oneCase = chunk === chunk.toLowerCase() || chunk === chunk.toUpperCase();
  return oneCase ? new Set(chunk).size >= 12 : switching(chunk) >= 0.4;
}

/** Base64 with slashes in it (an AWS secret has 40 characters), checked as a whole. */
function isBase64(run: string): boolean {
  if (/[_-]/u.test(run)) return false;
  const joined = run.replaceAll(/[+/=]/gu, "");
  const kinds = /\d/u.test(joined) && /[a-z]/u.test(joined) && /[A-Z]/u.test(joined);
  return kinds && joined.length >= 32 && switching(joined) >= 0.28;
}

export function isHex(chunk: string): boolean {
  return /^[0-9a-f]+$/u.test(chunk) || /^[0-9A-F]+$/u.test(chunk);
}

function redactRun(run: string, before: string): string {
  if (/^sha(?:1|256|384|512)-/u.test(run)) return run;
  if (isBase64(run) && !isHex(run)) return REDACTED;
  const chunks = run.replaceAll(UUID, "/").split(/[+/=_-]+/u);
  const noisy = chunks.filter(isNoisy);
  if (noisy.reduce((sum, chunk) => sum + chunk.length, 0) < 24) return run;
  const beside = before + run.slice(0, run.indexOf(noisy[0] ?? ""));
  const named = noisy.every(isHex) && harmless.test(beside.slice(-BESIDE)) && !sensitive.test(beside.slice(-BESIDE));
  return named ? run : REDACTED;
}

/** Replaces matches one by one. `before` is already redacted, so that a second pass decides the same. */
function replaceAfter(
  line: string,
  pattern: RegExp,
  replacement: (found: string, before: string, after: string) => string,
): string {
  const out: string[] = [];
  let from = 0;
  // Kept apart: the end of a text that grows is only found by copying all of it.
  let before = "";
  const add = (text: string): void => {
    out.push(text);
    before = (before + text.slice(-BESIDE)).slice(-BESIDE);
  };
  for (const found of line.matchAll(pattern)) {
    add(line.slice(from, found.index));
    from = found.index + found[0].length;
    add(replacement(found[0], before, line.slice(from, from + 40)));
  }
  return out.join("") + line.slice(from);
}

/** A UUID is an ordinary id, unless words next to it say "token" or "key". */
function redactUuid(uuid: string, before: string, after: string): string {
  const description = /^["']?[ \t](?:is|as|was)[ \t](?:the|a|an|your|my)?[ \t]?\w{0,16}/u.exec(after)?.[0] ?? "";
  return sensitive.test(before) || sensitive.test(description) ? REDACTED : uuid;
}

/** What `RUN` and `UUID` consist of. */
function isOfRun(code: number): boolean {
  if (code >= 97) return code <= 122;
  if (code >= 65) return code <= 90 || code === 95;
  return (code >= 47 && code <= 57) || code === 43 || code === 45;
}

const SHORTEST_RUN = 32;

/** Whether so many characters of a run follow each other. Looks backwards from where such a run would end. */
function hasRun(line: string): boolean {
  let end = SHORTEST_RUN - 1;
  while (end < line.length) {
    let at = end;
    while (at > end - SHORTEST_RUN && isOfRun(line.charCodeAt(at))) at -= 1;
    if (at === end - SHORTEST_RUN) return true;
    end = at + SHORTEST_RUN;
  }
  return false;
}

/** Replaces long random strings, and UUIDs next to words such as token or key. */
export function redactRandomStrings(line: string): string {
  if (!hasRun(line)) return line;
  return replaceAfter(replaceAfter(line, RUN, redactRun), UUID, redactUuid);
}
