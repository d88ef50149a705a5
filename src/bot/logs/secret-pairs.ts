import { REDACTED } from "./known-tokens.ts";

// `name=secret`, `name: secret`, `"name": "secret"`, `--name secret`, `<name>secret</name>`. The name may have more words
// around the keyword (`DB_PASSWORD`, `secretAccessKey`, `x-api-key`). Every repetition is bounded, so it is linear.
const NAME =
  /(?:pass(?:word|wd|phrase|code)|pwd|secret|token(?!iz)|credential|(?:api|access|account|private|signing|encryption|auth|shared|master)[_-]?key|session[_-]?id|connection[_-]?string|signature|authorization|cookie|(?<=[_-])pass|\bpass(?==)|\bpgpass|(?<=[_-])(?:pw|pat|seed)(?![a-z])|basic[_-]auth|\bx-auth(?![a-z])|(?<![\w-])sig(?==))[\w.-]{0,40}/giu;

const SEPARATOR = /[\\"'`\]]{0,4}[ \t]{0,4}(?:=>|:=|={1,2}|:(?!:))[ \t]{0,4}/uy;

/** An environment variable as JSON, YAML and Go print it: `"name": "DB_PASSWORD", "value": "x"`. */
const VALUE = /[\\"'`]{0,4}[ \t]{0,4},?[ \t]{0,4}[\\"'`]{0,4}value[\\"'`]{0,4}[ \t]{0,4}[:=][ \t]{0,4}/iuy;
/** `"--password", "x"`: an option in a list. */
const LISTED_OPTION = /["'`][ \t]{0,4},[ \t]{0,4}(?=["'`])/uy;

/** What follows a name whose value is on the next line: nothing, or the mark of a block, a list, a quoted text or a continued command. */
const OPEN = /^(?:[|>][+-]?\d?|\[|\\|\\{0,4}["'`])?[ \t\r]*$/u;

/** Where the value of the name that ends at `end` starts; undefined when it is only a word in a sentence. */
function valueStart(line: string, start: number, end: number): number | undefined {
  for (const separator of [SEPARATOR, VALUE]) {
    const after = matchAt(separator, line, end);
    if (after > end) return after;
  }
  const head = /[\w.<-]{1,60}$/u.exec(line.slice(Math.max(0, start - 60), start + 1))?.[0] ?? "";
  if (line[end] === ">" && head.includes("<")) return end + 1;
  if (!head.startsWith("--") || line.slice(start, end).endsWith("-stdin")) return undefined;
  const after = matchAt(LISTED_OPTION, line, end);
  if (after > end) return after;
  return /[ \t]/u.test(line[end] ?? "") ? end + 1 : undefined;
}

/** Error names and source locations also end in a colon, and people need to read them. */
function isNoSecret(name: string, value: string): boolean {
  if (/(?:error|exception|warning|fail(?:ed|ure)|expired|invalid|missing)$/iu.test(name)) return true;
  if (name.includes(".") && /^\d{1,6}(?:$|[:),])/u.test(value)) return true;
  // Counts: `total_tokens: 512`, `cookies=3`.
  return /token|cookie/iu.test(name) && /^\d{1,7}$/u.test(value);
}

/** Replaces values next to a name that marks a secret. */
export function redactSecretPairs(line: string): string {
  let out = "";
  let done = 0;
  NAME.lastIndex = 0;
  for (let found = NAME.exec(line); found !== null; found = NAME.exec(line)) {
    const name = found[0];
    const start = valueStart(line, found.index, NAME.lastIndex);
    if (start === undefined || OPEN.test(line.slice(start))) continue;
    const secret = readSecret(line, start, name);
    if (secret === undefined || isNoSecret(name, line.slice(secret.start, secret.end))) continue;
    out += line.slice(done, secret.start) + REDACTED;
    done = secret.end;
    NAME.lastIndex = secret.end;
  }
  return out + line.slice(done);
}

type Span = { readonly start: number; readonly end: number };

const OPENING = /\\{0,4}["'`]/uy;
const SCHEME = /(?:basic|bearer|token|api-?key|negotiate|ntlm)[ \t]{1,4}/iuy;
/** Schemes whose credentials are a list of parameters: the rest of the line is secret. */
const LISTED = /(?:digest|aws4-hmac-sha256|hawk|oauth|signature)[ \t]/iuy;
/** Up to white space, a quote, a tag, or the next pair of a query, a cookie or a list. */
const WORD = /(?:(?![&,;][\w.[\]-]{1,40}[=:])[^\s"'`<])+/uy;
const REST = /.+/uy;
/** Further words of a passphrase: plain words up to the next pair, quote or number. */
const MORE_WORDS = /(?:[ \t]{1,4}[\p{L}'-]{1,40}(?![\p{L}\p{N}_.:=@/([-])){1,24}/uy;
const PASSPHRASE = /^(?:pass|pwd|secret|.{0,20}seed)/iu;
const harmless =
  /^(?:true|false|null|none|nil|undefined|required|missing|invalid|expired|basic|bearer|\$\{?[\w.]+\}?|\*{3,}|[[{(](?:["'\s\d[{}\])]|$).*)$/iu;

function matchAt(pattern: RegExp, line: string, start: number): number {
  pattern.lastIndex = start;
  return pattern.test(line) ? pattern.lastIndex : start;
}

/** The end of a quoted value; without a closing quote, the end of the line. */
function quotedEnd(line: string, start: number, quote: string): number {
  if (quote.length > 1) {
    const end = line.indexOf(quote, start);
    return end === -1 ? line.length : end;
  }
  for (let at = start; at < line.length; at += 1) {
    if (line[at] === "\\") at += 1;
    else if (line[at] === quote) return at;
  }
  return line.length;
}

/** Ends an unquoted value: after a word, after a passphrase, or at the end of the line. */
function bareEnd(line: string, start: number, { name, isListed }: { name: string; isListed: boolean }): number {
  const end = matchAt(isListed ? REST : WORD, line, start);
  // Only after a first word: text after "null", or after a number with a unit, belongs to something else.
  const isWord = /^[\p{L}'-]{1,40}$/u.test(line.slice(start, end));
  const isPhrase = isWord && PASSPHRASE.test(name) && !harmless.test(line.slice(start, end));
  return isPhrase ? matchAt(MORE_WORDS, line, end) : end;
}

/** Punctuation that closes a surrounding structure isn't part of the value. */
function withoutPunctuation(line: string, { start, end }: Span): Span {
  const least = line.startsWith(REDACTED, start) ? start + REDACTED.length : start;
  let last = end;
  while (last > least && ",;)}]".includes(line[last - 1] ?? "")) last -= 1;
  return { start, end: last };
}

/** The span of the secret at `start`; undefined for a harmless value (`null`, `${VAR}`). */
export function readSecret(line: string, start: number, name: string): Span | undefined {
  const inner = matchAt(OPENING, line, start);
  const isHeader = /^(?:authorization|x-auth)/iu.test(name);
  const body = isHeader ? matchAt(SCHEME, line, inner) : inner;
  const isListed = /^cookie/iu.test(name) || (isHeader && matchAt(LISTED, line, body) > body);
  const quote = line.slice(start, inner);
  const end = quote === "" ? bareEnd(line, body, { name, isListed }) : quotedEnd(line, body, quote);
  const span = quote === "" ? withoutPunctuation(line, { start: body, end }) : { start: body, end };
  return span.end <= span.start || harmless.test(line.slice(span.start, span.end)) ? undefined : span;
}

// A value on the lines after its name, as YAML and JSON are printed for people, and as prompts and shells write it.

/** The last character of such a line. Most lines end in another. */
const LAST = /[:=>|[\\"'`]$|[|>][+-]?\d?$/u;
/** A time, a level and the writer: what loggers put before a text. */
const PREFIX =
  /^(?:(?:(?:\d{4}[-/.]\d\d[-/.]\d\d[T ]?)?\d\d:\d\d(?::\d\d(?:[.,]\d{1,9})?)?(?:Z|[+-]\d\d:?\d\d)?|\d{4}-\d\d-\d\d|\[[\d.:,TZ+/ -]{0,40}\]|\[[\w.-]{1,15}\](?<!\[redacted\])|(?:trace|debug|info|warn(?:ing)?|error|fatal):?|[\w.-]{1,60}[ \t]{1,4}\|)[ \t]{1,4}){0,5}/iu;
/** No value, but another pair, the edge of a structure, or a place in the source. A pair is one still when its name was redacted. */
const OTHER =
  /^(?:[\\"']{0,4}(?:[\w.-]|\[redacted\]){1,60}[\\"']{0,4}[ \t]{0,4}[:=](?:[ \t]|$)|[[\]{}(),;]{1,4}$|at[ \t]|\.\.\.|caused by\b)/iu;
const BULLET = /^-[ \t]{1,8}/u;
const VALUE_LINE = /^[ \t]*(?:-[ \t]{1,4})?[\\"'`]{0,4}value[\\"'`]{0,4}[ \t]{0,4}[:=][ \t]{0,4}/iu;
/** Blank lines before a value, and lines of one. */
const MOST_BLANK = 2;
const MOST_LINES = 256;

type Open = {
  /** The column of the name's line. */
  readonly column: number;
  /** Whether more than one line can follow. */
  isLong: boolean;
  lines: number;
  blank: number;
};

function columnOf(line: string): number {
  const prefix = PREFIX.exec(line)?.[0].length ?? 0;
  return prefix + line.slice(prefix).search(/[^ \t]|$/u);
}

/** The name at the end of a line whose value is on the next one. */
function opening(line: string): Open | undefined {
  if (!LAST.test(line.trimEnd().slice(-3))) return undefined;
  for (const found of line.matchAll(NAME)) {
    const start = valueStart(line, found.index, found.index + found[0].length);
    const rest = start === undefined ? undefined : line.slice(start);
    if (rest === undefined || !OPEN.test(rest) || isNoSecret(found[0], "")) continue;
    return { column: columnOf(line), isLong: /^[|>[]/u.test(rest), lines: 0, blank: 0 };
  }
  return undefined;
}

/** The line without the value of the name above; undefined when the value is over, or there is none. */
function withoutValue(line: string, open: Open): string | undefined {
  const column = columnOf(line);
  const bullet = BULLET.exec(line.slice(column))?.[0] ?? "";
  const text = line.slice(column + bullet.length);
  if (text === "") return open.lines === 0 && (open.blank += 1) <= MOST_BLANK ? line : undefined;
  const isOver = open.lines > 0 && (!open.isLong || (bullet === "" && column <= open.column));
  if (isOver || open.lines >= MOST_LINES || OTHER.test(text)) return undefined;
  // A list's items can be as far left as its name.
  if (bullet !== "") open.isLong = true;
  open.lines += 1;
  return harmless.test(text) ? line : line.slice(0, column + bullet.length) + REDACTED;
}

/** The value of an environment variable whose name is on the line above. */
function withoutNamedValue(line: string, above: string): string {
  const start = VALUE_LINE.exec(line)?.[0].length;
  const name = start === undefined ? undefined : [...above.matchAll(NAME)].at(-1);
  if (start === undefined || name === undefined) return line;
  if (!/^[\\"'`]{0,4}[ \t]*,?[ \t]*$/u.test(above.slice(name.index + name[0].length))) return line;
  const secret = readSecret(line, start, name[0]);
  if (secret === undefined) return line;
  const isQuoted = secret.start > start && /["'`]/u.test(line[secret.start - 1] ?? "");
  return line.slice(0, secret.start) + REDACTED + (isQuoted ? line.slice(secret.end) : "");
}

/** Replaces values that are on the lines after their names. */
export function redactNextLines(lines: readonly string[]): string[] {
  const out: string[] = [];
  let open: Open | undefined;
  let above = "";
  for (const line of lines) {
    const hidden = open === undefined ? undefined : withoutValue(line, open);
    out.push(hidden ?? withoutNamedValue(line, above));
    if (hidden === undefined) open = opening(line);
    else if (hidden === line) open = opening(line) ?? open;
    above = line;
  }
  return out;
}
