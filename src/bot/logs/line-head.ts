import { type Field, type Fields, fieldsOf } from "./line-fields.ts";

/** What a line says of itself before its message. */
export type LineHead = {
  /** When it was logged, in milliseconds; a time without a zone is UTC. */
  readonly atMs: number | undefined;
  /** Where that is in the line. */
  readonly time: { readonly from: number; readonly to: number } | undefined;
  /** Whether its level is that of an error; undefined without a level. */
  readonly isError: boolean | undefined;
  /** Where its message begins. */
  readonly message: number;
};

/** A log of a day is read until that day is over, in any zone: a time that is further away was not when a line was logged. */
const FAR_MS = 40 * 60 * 60_000;

const timeNames = ["time", "ts", "timestamp", "@timestamp", "@t", "datetime", "asctime", "eventtime", "t", "date"];
const levelNames = ["level", "lvl", "severity", "log.level", "levelname", "loglevel", "severity_text", "@l"];
/** A line in JSON or logfmt without a level is an error when one of these says something. */
const errorNames = ["error", "err", "exception", "errors"];
const NOTHING = /^(?:|0|-|null|<?nil>?|none|false|undefined|\{\s*\}|\[\s*\])$/iu;

const isErrorLevel: ReadonlyMap<string, boolean> = new Map([
  ...["trace", "trce", "trc", "verbose", "debug", "dbug", "debu", "dbg"].map((word) => [word, false] as const),
  ...["info", "information", "inf", "notice", "warning", "warn", "wrn", "hint"].map((word) => [word, false] as const),
  ...["log", "detail", "statement", "context"].map((word) => [word, false] as const),
  ...["error", "eror", "err", "erro", "fail", "fatal", "fata", "ftl", "panic", "pani"].map(
    (word) => [word, true] as const,
  ),
  ...["critical", "crit", "severe", "alert", "emerg", "emergency"].map((word) => [word, true] as const),
]);
/** Those that are the level also in small letters and without a mark, after the time. */
const PLAIN = /^(?:trace|debug|info|warn|warning|error|fatal|panic)$/u;

// Of what a line begins with: each is tried at one place, and reads a bounded number of characters.
const ISO =
  /(\d{4})[-/](\d{2})[-/](\d{2})[T ](\d{2}:\d{2}:\d{2})(?:[.,](\d{1,3})\d{0,6})?(?: ?(Z|[+-]\d{2}:?\d{2}))?/uy;
const ACCESS_LOG = /(\d{2})\/([A-Z][a-z]{2})\/(\d{4}):(\d{2}:\d{2}:\d{2}) ([+-]\d{4})/uy;
/** `20 Nov 2026 12:00:05.250`, as Redis; `Nov 20 12:00:05` and `Fri Nov 20 12:00:05.250 2026`, as syslog and Apache. */
const DAY_FIRST = /(\d{1,2}) ([A-Z][a-z]{2}) (\d{4}) (\d{2}:\d{2}:\d{2})(?:\.(\d{1,3})\d{0,6})?/uy;
const MONTH_FIRST =
  /(?:[A-Z][a-z]{2} )?([A-Z][a-z]{2}) {1,2}(\d{1,2}) (\d{2}:\d{2}:\d{2})(?:\.(\d{1,3})\d{0,6})?(?: (\d{4}))?/uy;
const CLOCK = /\d{1,2}:\d{2}:\d{2}(?:[.,]\d{1,9})?Z?(?![\d:])/uy;
/** The letter of a level, and the time: https://pkg.go.dev/k8s.io/klog/v2 */
const KLOG = /^([IWEF])(\d{2})(\d{2}) (\d{2}:\d{2}:\d{2})\.(\d{3})\d{0,3} {1,10}\d{1,10} [^\]]{1,100}\] ?/u;
const GAP = /[\s|:,;>\])-]{1,40}/uy;
const OPENED = /(?:<\d{1,3}>\d? ?)?[[("'<]?/uy;
const CLOSED = /[\])"'>]{1,2}/uy;
const MARKED = /[[(<]\s{0,4}(?:[\w.-]{1,40}:)?([A-Za-z]{3,11})\s{0,4}[\])>]:?/uy;
const WORD = /([A-Za-z]{3,11})(?![\w.-])(?:\[\d{1,9}\])?([:|\t]?)/uy;
/** What may be between time and level: pids, threads, names, a zone, the address and the user of an access log. */
const OTHER =
  /\[[^\]]{0,80}\]|\([^)]{0,80}\)|#?\d{1,20}(?::[A-Z])?(?=[\s:#\]]|$)|UTC\b|[DIWEFA], (?=\[)|[\d.:a-f]{7,45} \S{1,40} \S{1,40} (?=\[)|[\w.$/@-]{1,60}(?= (?:-|\||:) )/uy;
const MOST = 8;

/** Reads the head of a line. Without `nearMs`, about when it was read, a time may be any, and one without a year is none. Pure. */
export function headOf(line: string, nearMs?: number): LineHead {
  const fields = fieldsOf(line);
  if (fields !== undefined) return headOfFields(fields, nearMs);
  const klog = KLOG.exec(line);
  if (klog !== null) {
    const [all, letter = "", month = "", day = "", clock = "", fraction = ""] = klog;
    const atMs = near(withoutYear(`${month}-${day}`, `${clock}.${fraction}Z`, nearMs), nearMs);
    const to = 6 + clock.length + 1;
    return { atMs, time: { from: 1, to }, isError: letter === "E" || letter === "F", message: all.length };
  }
  return headOfText(line, nearMs);
}

function headOfText(line: string, nearMs: number | undefined): LineHead {
  let [at, message] = [0, 0];
  let time: { atMs: number | undefined; from: number; to: number } | undefined;
  let isError: boolean | undefined;
  for (let tokens = 0; tokens < MOST && (time === undefined || isError === undefined); tokens += 1) {
    at = end(GAP, line, at) ?? at;
    const found = time === undefined ? timeAt(line, at, nearMs) : undefined;
    if (found !== undefined) {
      time = found;
      at = end(CLOSED, line, found.to) ?? found.to;
      message = at;
      const fields = fieldsOf(line.slice(end(GAP, line, at) ?? at));
      isError ??= fields && levelIn(fields);
      continue;
    }
    const level = isError === undefined ? levelAt(line, at, time !== undefined) : undefined;
    if (level !== undefined) {
      ({ isError } = level);
      at = end(CLOSED, line, level.to) ?? level.to;
      message = at;
      continue;
    }
    const other = end(OTHER, line, at);
    if (other === undefined) break;
    at = other;
  }
  return { atMs: time?.atMs, time, isError, message: message === 0 ? 0 : (end(GAP, line, message) ?? message) };
}

function end(pattern: RegExp, line: string, at: number): number | undefined {
  pattern.lastIndex = at;
  return pattern.test(line) && pattern.lastIndex > at ? pattern.lastIndex : undefined;
}

function levelAt(line: string, at: number, isAfterTime: boolean): { isError: boolean; to: number } | undefined {
  MARKED.lastIndex = at;
  const marked = isErrorLevel.get(MARKED.exec(line)?.[1]?.toLowerCase() ?? "");
  if (marked !== undefined) return { isError: marked, to: MARKED.lastIndex };
  WORD.lastIndex = at;
  const [, word = "", mark] = WORD.exec(line) ?? [];
  const isError = isErrorLevel.get(word.toLowerCase());
  const isMeant = word === word.toUpperCase() || mark !== "" || (isAfterTime && PLAIN.test(word));
  return isError === undefined || !isMeant ? undefined : { isError, to: WORD.lastIndex };
}

function timeAt(line: string, at: number, nearMs: number | undefined) {
  const from = end(OPENED, line, at) ?? at;
  const code = line.charCodeAt(from);
  // A digit, or a capital letter.
  if (!((code >= 48 && code <= 57) || (code >= 65 && code <= 90))) return undefined;
  const found = momentAt(line, from, nearMs);
  if (found === undefined) return undefined;
  const { ms, to } = found;
  const atMs = near(ms, nearMs);
  // The date of something else.
  return ms !== undefined && atMs === undefined ? undefined : { atMs, from, to };
}

function momentAt(line: string, from: number, nearMs: number | undefined) {
  for (const [pattern, read] of moments) {
    pattern.lastIndex = from;
    const found = pattern.exec(line);
    if (found !== null) return { ms: read(found, nearMs), to: pattern.lastIndex };
  }
  return undefined;
}

type Read = (found: RegExpExecArray, nearMs: number | undefined) => number | undefined;
const moments: readonly (readonly [RegExp, Read])[] = [
  [
    ISO,
    ([, year = "", month = "", day = "", time = "", fraction = "", zone = "Z"]) => {
      const offset = /^[+-]\d{4}$/u.test(zone) ? `${zone.slice(0, 3)}:${zone.slice(3)}` : zone;
      return known(`${year}-${month}-${day}T${time}.${fraction.padEnd(3, "0")}${offset}`);
    },
  ],
  [ACCESS_LOG, ([, day, month, year, time, zone]) => known(`${day} ${month} ${year} ${time} ${zone}`)],
  [DAY_FIRST, ([, day, month, year, time, fraction = "0"]) => known(`${day} ${month} ${year} ${time}.${fraction} UTC`)],
  [
    MONTH_FIRST,
    ([, month = "", day = "", time = "", fraction = "0", year], nearMs) =>
      year === undefined
        ? withoutYear(`${month} ${day}`, `${time}.${fraction} UTC`, nearMs)
        : known(`${month} ${day} ${year} ${time}.${fraction} UTC`),
  ],
  // Of no day.
  [CLOCK, () => undefined],
];

function known(text: string): number | undefined {
  const ms = Date.parse(text);
  return Number.isNaN(ms) ? undefined : ms;
}

/** The year that brings it nearest, so that a December is not eleven months ahead. */
function withoutYear(day: string, time: string, nearMs: number | undefined): number | undefined {
  if (nearMs === undefined) return undefined;
  const year = new Date(nearMs).getUTCFullYear();
  const all = [year - 1, year, year + 1].flatMap(
    (each) => known(/^\d/u.test(day) ? `${each}-${day}T${time}` : `${day} ${each} ${time}`) ?? [],
  );
  return all.toSorted((one, other) => Math.abs(one - nearMs) - Math.abs(other - nearMs))[0];
}

function near(ms: number | undefined, nearMs: number | undefined): number | undefined {
  return ms !== undefined && nearMs !== undefined && Math.abs(ms - nearMs) > FAR_MS ? undefined : ms;
}

function headOfFields(fields: Fields, nearMs: number | undefined): LineHead {
  for (const name of timeNames) {
    const field = fields.get(name);
    const atMs = field && near(momentIn(field, nearMs), nearMs);
    if (atMs !== undefined) return { atMs, time: field, isError: levelIn(fields), message: 0 };
  }
  return { atMs: undefined, time: undefined, isError: levelIn(fields), message: 0 };
}

/** A time in words, or since 1970: in seconds, or thousandths, millionths or billionths of one. */
function momentIn({ value }: Field, nearMs: number | undefined): number | undefined {
  const text = value.replace(/^\{"\$date":\s*"/u, "");
  const number = /^\d+(?:\.\d+)?(?:e\d+)?$/iu.test(text) ? Number(text) : Number.NaN;
  const unit = [1_000, 1, 1e-3, 1e-6].find((each) => number * each >= 1e12 && number * each < 1e13);
  return unit === undefined ? momentAt(text, 0, nearMs)?.ms : Math.floor(number * unit);
}

function levelIn(fields: Fields): boolean | undefined {
  const value = levelNames.map((name) => fields.get(name)?.value).find((each) => each !== undefined && each !== "");
  if (value !== undefined) return isErrorWord(value);
  // MongoDB: {"t":{"$date":…},"s":"E",…}
  const letter = fields.has("t") ? fields.get("s")?.value : undefined;
  if (letter !== undefined && /^[DIWEF]\d?$/u.test(letter)) return letter === "E" || letter === "F";
  const errors = errorNames.flatMap((name) => fields.get(name) ?? []);
  return errors.some((field) => !NOTHING.test(field.value)) ? true : undefined;
}

/** Numbers are those of syslog, where less is worse, or those of bunyan and pino. */
function isErrorWord(value: string): boolean | undefined {
  const number = /^\d{1,3}$/u.test(value) ? Number(value) : undefined;
  if (number !== undefined) return number < 10 ? number <= 3 : number >= 50;
  return isErrorLevel.get(value.toLowerCase());
}
