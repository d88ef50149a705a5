/** A time is at the start of a line, behind a bracket or the key of a field. */
const SEARCHED = 160;
const DAY_AND_TIME =
  /(?<![\d-])(\d{4})[-/](\d{2})[-/](\d{2})[T ](\d{2}:\d{2}:\d{2})(?:[.,](\d{1,3})\d*)?(?: ?(Z|[+-]\d{2}:?\d{2}))?/u;
const ACCESS_LOG = /\[(\d{2})\/([A-Z][a-z]{2})\/(\d{4}):(\d{2}:\d{2}:\d{2}) ([+-]\d{4})\]/u;
const UNIX = /"?(?:ts|time|timestamp)"?[:=] ?"?(\d{10})(?:\.(\d{1,3})\d*|(\d{3}))?(?!\d)/u;

/** The time that a log line says, in milliseconds; a time without a zone is UTC. Undefined for a line without one. Pure. */
export function lineTime(line: string): number | undefined {
  const start = line.slice(0, SEARCHED);
  const ms = dayAndTime(start) ?? accessLogTime(start) ?? unixTime(start);
  return ms === undefined || Number.isNaN(ms) ? undefined : ms;
}

function dayAndTime(text: string): number | undefined {
  const found = DAY_AND_TIME.exec(text);
  if (found === null) return undefined;
  const [, year = "", month = "", day = "", time = "", fraction = "", zone = "Z"] = found;
  const offset = /^[+-]\d{4}$/u.test(zone) ? `${zone.slice(0, 3)}:${zone.slice(3)}` : zone;
  return Date.parse(`${year}-${month}-${day}T${time}.${fraction.padEnd(3, "0")}${offset}`);
}

function accessLogTime(text: string): number | undefined {
  const found = ACCESS_LOG.exec(text);
  if (found === null) return undefined;
  const [, day = "", month = "", year = "", time = "", zone = ""] = found;
  return Date.parse(`${day} ${month} ${year} ${time} ${zone}`);
}

function unixTime(text: string): number | undefined {
  const found = UNIX.exec(text);
  if (found === null) return undefined;
  const [, seconds = "", fraction, millis] = found;
  return Number(seconds) * 1_000 + Number((fraction ?? millis ?? "").padEnd(3, "0"));
}

export type TimedLine = { readonly instance?: string; readonly text: string };

/**
 * The lines from this moment on. A line without a time belongs to the one before it of its instance, as in a stack trace.
 * Undefined when no line has a time, so that nothing can be said about any of them. Pure.
 */
export function linesSince<Line extends TimedLine>(
  lines: readonly Line[],
  sinceMs: number,
): readonly Line[] | undefined {
  const last = new Map<string, number>();
  const kept = lines.filter(({ instance = "", text }) => {
    const ms = lineTime(text) ?? last.get(instance);
    if (ms === undefined) return false;
    last.set(instance, ms);
    return ms >= sinceMs;
  });
  return last.size === 0 && lines.length > 0 ? undefined : kept;
}
