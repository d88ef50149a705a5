import { isHex, isNoisy, UUID } from "./random-strings.ts";
import { readings, createWordSearch, type Span, type WordSearch } from "./word-search.ts";
import { REDACTED } from "./known-tokens.ts";

/** Characters of all values together. With more, searching takes too much memory, and every line is withheld. */
export const MOST_SECRET_CHARACTERS = 200_000;
/** Replaces each line when there are more. */
export const WITHHELD = "[line withheld: too many environment values to check it]";

const SHORTEST = 6;
/** A shorter line of a multi-line value is too common to redact on its own. */
const SHORTEST_LINE = 12;
/** A line so long was probably cut, maybe within a value. */
const LONG_LINE = 2_000;
/** The end of a text that was cut, maybe within a value. */
const CUT = Buffer.from("…");
/** Common values: redacting them would make a log unreadable. */
const ordinary =
  /^(?:enabled|disabled|default|production|development|staging|testing|release|localhost|\[?redacted\]?|verbose|warning|stdout|stderr|bearer|digest|running|exited|failed|failing|pending|completed?|succeeded|started|stopped|restarting|created|deleted|healthy|unhealthy|utf-?8|[a-z]{2}_[a-z]{2}\.utf-?8|[+-]?\d{1,5}(?:\.\d+)?(?:ms|s|m|h|[kmgt]i?b?)?)$/iu;
/** The first and last line of a key aren't secret, and `redactPrivateKeys` needs them. */
const edgeOfKey = /^-----(?:BEGIN|END) [A-Z0-9 ]{0,60}-----$/u;

/**
 * A value that ends like a name ("password", "x-api-key=") may stand before another secret, and patterns find that one by
 * the name. Kept: a scheme, or what follows the name.
 */
const endOfName =
  /(?:(?:pass|pwd|secret|token|credential|key|session|signature|auth|cookie|private)[\w.-]{0,40}(["'`\]\\]{0,4}[ \t]{0,4}[:=>]{0,2}[ \t]{0,4})|((?:bearer|basic)[ \t]{0,4}))$/iu;
/** The name that patterns see instead. */
const STAND_IN = "password__redacted__";

export type ValueRedactor = {
  /** Redacts all values, for one writer's lines in order. A value that may be a name is replaced by a stand-in for names. */
  readonly before: (lines: readonly string[]) => readonly string[];
  /** Redacts the stand-ins. */
  readonly after: (line: string) => string;
};

const built = new WeakMap<readonly string[], ValueRedactor>();

/**
 * Redacts values known to be secret, also encoded (percent, base64, JSON, shells, XML) or spread over lines, and the
 * passwords of URLs. Linear in the lines and in the values, however many they are.
 */
export function valueRedactor(secrets: readonly string[]): ValueRedactor {
  // A page is redacted in parts, one for each instance.
  const redactor = built.get(secrets) ?? build(secrets);
  built.set(secrets, redactor);
  return redactor;
}

function build(secrets: readonly string[]): ValueRedactor {
  const after = (line: string): string => line.replaceAll(STAND_IN, REDACTED);
  if (secrets.reduce((sum, { length }) => sum + length, 0) > MOST_SECRET_CHARACTERS) {
    return { before: (lines) => lines.map((line) => (line === "" ? line : WITHHELD)), after };
  }
  const words = [...new Set(secrets.flatMap(formsOf))].map((form) => Buffer.from(form));
  if (words.length === 0) return { before: (lines) => lines, after: (line) => line };
  const search = createWordSearch(words);
  return { before: (lines) => redactIn(lines, search), after };
}

/** A word of a name: `DB_PASSWORD`, `apiKey`, `MYSQLPASSWORD`. */
const secretWord =
  /^(?:pass|pw\d*|pat|pin|keys?|auth|authorization|cookies?|sessions?|signatures?|salt|seed|private|certs?|dsn|licen[cs]e|webhooks?|\w*(?:password|passwd|passphrase|passcode|pwd|secrets?|tokens?|credentials?|apikeys?|accesskeys?|privatekeys?|connectionstring))\d*$/iu;

/** Whether a variable of this name holds a secret. */
export function isSecretName(name: string): boolean {
  return name.split(/[^A-Za-z0-9]+|(?<=[a-z0-9])(?=[A-Z])/u).some((word) => secretWord.test(word));
}

/**
 * Whether the value of an environment variable has to be hidden, by its name and by how random it is: names of workloads, regions,
 * hosts and levels stand in most lines of a log.
 */
export function isSecretVariable({
  name,
  value = "",
}: {
  readonly name: string;
  readonly value?: string | undefined;
}): boolean {
  if (!isSecretValue(value)) return false;
  return (
    isSecretName(name) ||
    passwordIn(value.trim()).some((password) => password !== "") ||
    withPassword.test(value) ||
    wholeText.test(value) ||
    isRandom(value, ofVersion.test(name) ? isHex : () => false)
  );
}

/** `user:password@host`, also where it is no URL. */
const withPassword = /[^\s/:@]:[^\s/:@]+@[^\s@]/u;

/** As long as a certificate or a file of settings, which may hold a secret, and no address, path or list of names. */
const wholeText = /^(?=[^]{40})(?![\w./:@?&=%+,-]+$)/u;

/** Says which version or image runs. Logs repeat its hex, and people search for that. */
const ofVersion = /commit|revision|version|release|digest|image|(?:^|[_-])(?:sha\d*|git|build)(?:[_-]|$)/iu;

/** A word with digits in it that changes between digits and letters often, or all that password rules ask for. UUIDs are ids. */
function isRandom(value: string, isKnown: (word: string) => boolean): boolean {
  const isMixed = [/[a-z]/u, /[A-Z]/u, /\d/u, /[^\w\s.:/@,=-]/u].every((kind) => kind.test(value));
  const words = value.replaceAll(UUID, "").split(/[^A-Za-z0-9]+/u);
  return isMixed || words.some((word) => word.length >= 8 && isNoisy(word) && !isKnown(word));
}

/** Whether a value is long and unusual enough to be a secret. */
export function isSecretValue(value: string): boolean {
  const text = value.trim();
  return text.length >= SHORTEST && !ordinary.test(text);
}

/** Whether a text may have one of these values in it: cheap, and never false for a text that has one as it is or escaped. */
export function mayRepeat(text: string, secrets: readonly string[]): boolean {
  if (secrets.length === 0) return false;
  // Escaped, encoded or cut.
  if (/[%\\&+]|[\w-]{12}|…$/u.test(text) || text.length > LONG_LINE) return true;
  return secrets.some((secret) => {
    const value = secret.trim();
    const [first = "", ...others] = value.split("\n");
    return (
      text.includes(value) ||
      [first, ...others].some((line) => line.trim().length >= SHORTEST_LINE && text.includes(line.trim())) ||
      passwordIn(value).some((password) => password !== "" && text.includes(password))
    );
  });
}

function formsOf(secret: string): string[] {
  const text = secret.trim().toWellFormed();
  const lines = text.split("\n").map((line) => line.trim());
  const long = lines.length === 1 ? [] : lines.filter((line) => line.length >= SHORTEST_LINE);
  return [text, ...long, ...passwordIn(text)]
    .filter((part) => isSecretValue(part) && !edgeOfKey.test(part))
    .flatMap((part) => [
      part,
      // Forms encode a space as "+", shells a quote by closing and opening.
      part.replaceAll(" ", "+"),
      part.replaceAll("'", String.raw`'\''`),
      part.replaceAll("'", `'"'"'`),
      ...[0, 1, 2].flatMap((offset) => base64At(part, offset)),
    ]);
}

/** The characters of a base64 text that come from this part alone, when so many other bytes (modulo 3) are before it. */
function base64At(part: string, offset: number): string[] {
  const bytes = Buffer.concat([Buffer.alloc(offset), Buffer.from(part)]);
  const from = Math.ceil((offset * 8) / 6);
  const to = Math.floor((bytes.length * 8) / 6);
  return (["base64", "base64url"] as const).map((alphabet) => bytes.toString(alphabet).slice(from, to));
}

function passwordIn(text: string): string[] {
  if (!text.includes("://") || !URL.canParse(text)) return [];
  const { password } = new URL(text);
  try {
    return [password, decodeURIComponent(password)];
  } catch {
    return [password];
  }
}

function redactIn(lines: readonly string[], search: WordSearch): readonly string[] {
  const texts = lines.map((line) => Buffer.from(line));
  const spans: Span[][] = lines.map(() => []);
  // All lines at once, because a value can have several.
  let first = 0;
  let offset = 0;
  for (const { start, end } of search.find(Buffer.from(lines.join("\n")))) {
    for (; offset + (texts[first]?.length ?? end) < start; first += 1) offset += (texts[first]?.length ?? 0) + 1;
    let from = offset;
    for (let at = first; at < texts.length && from < end; at += 1) {
      const length = texts[at]?.length ?? 0;
      if (length > 0) spans[at]?.push({ start: Math.max(0, start - from), end: Math.min(length, end - from) });
      from += length + 1;
    }
  }
  return lines.map((line, at) => {
    const text = texts[at] ?? Buffer.from(line);
    return withoutSpans(line, text, [...(spans[at] ?? []), ...spansOfReadings(text, search)]);
  });
}

function spansOfReadings(text: Buffer, search: WordSearch): Span[] {
  const hasEscapes = text.includes("%") || text.includes("\\") || text.includes("&");
  const isCut = text.subarray(-CUT.length).equals(CUT);
  const isLong = isCut || text.length > LONG_LINE;
  if (!hasEscapes && !isLong) return [];
  const written = isCut ? text.subarray(0, -CUT.length) : text;
  const literal = { bytes: written, at: Int32Array.from({ length: text.length + 1 }, (_, at) => at) };
  return [literal, ...readings(literal)].flatMap(({ bytes, at }) => {
    const found = bytes === written ? [] : search.find(bytes);
    const begun = isLong ? search.begunAtEnd(bytes) : 0;
    if (begun >= SHORTEST) found.push({ start: bytes.length - begun, end: bytes.length });
    return found.map(({ start, end }) => ({ start: at[start] ?? 0, end: at[end] ?? text.length }));
  });
}

function withoutSpans(line: string, text: Buffer, spans: readonly Span[]): string {
  if (spans.length === 0) return line;
  let out = "";
  let done = 0;
  let open: Span | undefined;
  const close = (): void => {
    if (open === undefined) return;
    out += text.toString("utf8", done, open.start) + replacement(text.toString("utf8", open.start, open.end));
    done = open.end;
  };
  for (const span of spans.toSorted((a, b) => a.start - b.start)) {
    if (open !== undefined && span.start < open.end) {
      open = { start: open.start, end: Math.max(open.end, span.end) };
    } else {
      close();
      open = span;
    }
  }
  close();
  return out + text.toString("utf8", done);
}

function replacement(value: string): string {
  const [, separator, scheme] = endOfName.exec(value.slice(-80)) ?? [];
  if (scheme !== undefined) return REDACTED + scheme;
  return separator === undefined ? REDACTED : STAND_IN + separator;
}
