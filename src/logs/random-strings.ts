import { REDACTED } from "./redacted.ts";

// What has no known shape and no telling name is judged by its look: 32 and more characters of an alphabet for secrets
// (hex, base32, base62, base64) that switch between letters, capitals and digits as often as chance would.
// Kept: UUIDs, names with short random parts (pods), and hex strings beside a word that says what they are (a commit, a
// digest, a trace). In doubt it is redacted.

const RUN = /[A-Za-z0-9+/_-]{32,}={0,2}/gu;
const UUID = /(?<![0-9a-f])[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}(?![0-9a-f])/giu;
const harmless =
  /commit|sha\d|\bsha\b|revision|\brev\b|\bHEAD\b|digest|checksum|etag|md5|hash|image|layer|docker|containerd|overlay|trace|span|request|build|\bgit\b|blob|tree\b/iu;
const sensitive =
  /(?<![a-z])(?:token|keys?|secret|passw|auth(?!or)|credential|session)(?![a-z]{5})|(?:token|secret|key)s?\b/iu;
/** How many characters before a string are looked at for a word that says what it is. */
const BESIDE = 32;

function kindOf(code: number): number {
  if (code <= 57) return 0;
  return code <= 90 ? 1 : 2;
}

/** How often neighbours are of another kind, 0 to 1. Random base64 is near 0.6, hex near 0.5, words near 0.1. */
function switching(chunk: string): number {
  let switches = 0;
  for (let at = 1; at < chunk.length; at += 1) {
    if (kindOf(chunk.charCodeAt(at)) !== kindOf(chunk.charCodeAt(at - 1))) switches += 1;
  }
  return switches / Math.max(1, chunk.length - 1);
}

function isNoisy(chunk: string): boolean {
  if (chunk.length < 8) return false;
  if (/\d/u.test(chunk)) return /[A-Za-z]/u.test(chunk) && switching(chunk) >= (chunk.length >= 24 ? 0.22 : 0.3);
  if (chunk.length < 32) return false;
  const oneCase = chunk === chunk.toLowerCase() || chunk === chunk.toUpperCase();
  return oneCase ? new Set(chunk).size >= 12 : switching(chunk) >= 0.4;
}

/** Base64 that slashes cut into short pieces (40 characters: an AWS secret), judged as a whole. */
function isBase64(run: string): boolean {
  if (/[_-]/u.test(run)) return false;
  const joined = run.replaceAll(/[+/=]/gu, "");
  const kinds = /\d/u.test(joined) && /[a-z]/u.test(joined) && /[A-Z]/u.test(joined);
  return kinds && joined.length >= 32 && switching(joined) >= 0.28;
}

function isHex(chunk: string): boolean {
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

/** Replaces matches one by one; `before` is what stands before one, already redacted, so that a second pass sees it too. */
function replaceAfter(
  line: string,
  pattern: RegExp,
  judge: (found: string, before: string, after: string) => string,
): string {
  let out = "";
  let from = 0;
  for (const found of line.matchAll(pattern)) {
    out += line.slice(from, found.index);
    from = found.index + found[0].length;
    out += judge(found[0], out.slice(-BESIDE), line.slice(from, from + 40));
  }
  return out + line.slice(from);
}

/** UUIDs are ordinary ids, unless the words before or right after them say "token" or "key". */
function redactUuid(uuid: string, before: string, after: string): string {
  const said = /^["']?[ \t](?:is|as|was)[ \t](?:the|a|an|your|my)?[ \t]?\w{0,16}/u.exec(after)?.[0] ?? "";
  return sensitive.test(before) || sensitive.test(said) ? REDACTED : uuid;
}

/** Replaces long random strings, and UUIDs beside words such as token or key. */
export function redactRandomStrings(line: string): string {
  return replaceAfter(replaceAfter(line, RUN, redactRun), UUID, redactUuid);
}
