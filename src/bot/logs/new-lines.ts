import { hash } from "node:crypto";
import { z } from "zod";
import type { LogRecord } from "./excerpt.ts";

/**
 * What a follower of a log has seen of it: digests of the newest lines, oldest first. The workload API counts lines from the
 * newest and numbers none, so what is new is found by what it comes after.
 */
export const SeenLines = z.object({
  tail: z.array(z.string()),
  /** Whose line each of the tail is, as a digest. */
  instances: z.array(z.string()).optional(),
  /** How many lines the log had, and its first one, where the window reached its beginning. */
  whole: z.object({ count: z.number(), first: z.string() }).optional(),
  /** The notes at its end, which were shown. */
  notes: z.array(z.string()).optional(),
  /** Its lines are alike, which was said. */
  isAlike: z.boolean().optional(),
});
export type SeenLines = z.infer<typeof SeenLines>;

/** Digests that are kept. More than one poll brings as a rule. */
const KEPT = 200;
/** So many equal lines are no chance: those that differ from all others, and any. */
const CERTAIN = 5;
const CERTAIN_OF_ANY = 40;

/**
 * Why lines may be missing. `gap`: more came than the window has. `replaced`: the log was rotated, or is another one, as after
 * a restart. `alike`: its lines repeat, so that it fits in several places.
 */
export type Doubt = "gap" | "replaced" | "alike";

export type NewLines = {
  /** The window, with the lines that were seen before first. */
  readonly window: readonly LogRecord[];
  /** The place of the first new line in it. */
  readonly start: number;
  readonly doubt: Doubt | undefined;
  readonly seen: SeenLines;
};

/** The log is empty: everything that comes is new. */
export const nothingSeen: SeenLines = { tail: [] };

/**
 * What of the newest lines of a log is new, oldest first. Fewer than `size` are all that the log has: then it is known by
 * their number. Else by the lines that both windows have. An instance that is gone may have taken its lines with it, also from
 * between others. The notes of our workload API about missing lines aren't counted as lines: older ones are noted at the
 * beginning, newer ones at the end. Pure.
 */
export function newLines(seen: SeenLines, window: readonly LogRecord[], size: number): NewLines {
  const digests = window.map(digestOf);
  const end = endOfLines(window);
  const begin = OLDER.test(window[0]?.text ?? "") ? 1 : 0;
  const [lines, notes] = [digests.slice(begin, end), digests.slice(end)];
  const isWhole = window.length < size;
  const instances = window.slice(begin, end).map(instanceOf);
  const left = ofInstances(seen, new Set(instances));
  const found =
    // Its oldest lines went, and none came.
    begin > 0 && isWhole && lines.length < left.tail.length && endsLike(lines, lines.length, left.tail)
      ? { places: new Set<number>(), doubt: undefined }
      : findNew(left, lines, isWhole);
  const { doubt } = found;
  const places = new Set([...found.places].map((at) => at + begin));
  const grown = doubt === undefined && left.whole !== undefined ? left.whole.count + places.size : undefined;
  const count = isWhole ? lines.length : grown;
  const first = isWhole ? lines[0] : left.whole?.first;
  for (const [nth, note] of notes.entries()) if (seen.notes?.includes(note) !== true) places.add(end + nth);
  return {
    window: [...window.filter((_, at) => !places.has(at)), ...window.filter((_, at) => places.has(at))],
    start: window.length - places.size,
    doubt,
    seen: {
      // A log that is empty for a moment, as while its instance is replaced, may have its lines again.
      ...(lines.length === 0
        ? { tail: seen.tail, instances: seen.instances }
        : { tail: lines.slice(-KEPT), instances: instances.slice(-KEPT) }),
      ...(count !== undefined && { whole: { count, first: first ?? "" } }),
      ...(notes.length > 0 && { notes }),
      ...(doubt === "alike" && { isAlike: true }),
    },
  };
}

/** What was seen of the instances that are there; all of it if that isn't known, or none is there. */
function ofInstances(seen: SeenLines, there: ReadonlySet<string>): SeenLines {
  const { tail, instances } = seen;
  if (instances === undefined || there.size === 0 || instances.every((each) => there.has(each))) return seen;
  return { tail: tail.filter((_, at) => there.has(instances[at] ?? "")) };
}

type Found = { readonly places: Set<number>; readonly doubt: Doubt | undefined };

function findNew({ tail, whole }: SeenLines, lines: readonly string[], isWhole: boolean): Found {
  const from = (start: number, doubt?: Doubt): Found => ({
    places: new Set([...lines.keys()].slice(start)),
    doubt,
  });
  if (tail.length === 0) return from(0, isWhole ? undefined : "gap");
  if (lines.length === 0) return from(0);
  if (isWhole && whole?.first === lines[0] && endsLike(lines, whole?.count ?? 0, tail)) return from(whole?.count ?? 0);
  const starts = [...lines.keys()].map((at) => at + 1).filter((end) => endsLike(lines, end, tail));
  const start = starts.at(-1) ?? 0;
  const common = Math.min(start, tail.length);
  if (!isCertain(tail, common)) {
    const places = amongOthers(tail, lines);
    if (places !== undefined) return { places, doubt: undefined };
    // Lines that come twice are better than none of those that are all there is of a log.
    return isWhole ? from(0, "replaced") : from(start, "gap");
  }
  // Where lines repeat, the smaller number of new ones is taken: some may be missing then, but none comes twice.
  const isAlike = isCertain(tail, Math.min(starts.at(-2) ?? 0, tail.length));
  if (isWhole) return from(start, isAlike || repeats(tail, common) || whole?.count === 0 ? "replaced" : undefined);
  return from(start, isAlike ? "alike" : repeats(tail, common) ? "gap" : undefined);
}

/** Whether the last lines of a tail, so many, can't be found elsewhere by chance. */
function isCertain(tail: readonly string[], count: number): boolean {
  return count >= CERTAIN_OF_ANY || (count >= CERTAIN && differing(tail, count) >= CERTAIN);
}

/** How many of the last lines of a tail are in it once. */
function differing(tail: readonly string[], count: number): number {
  return tail.slice(-count).filter((line) => tail.indexOf(line) === tail.lastIndexOf(line)).length;
}

/** Whether the last lines of a tail, so many, are in it once more. */
function repeats(tail: readonly string[], count: number): boolean {
  const last = tail.slice(-count);
  return tail.some((_, at) => at >= count && at < tail.length && endsLike(tail, at, last));
}

/** Whether so many lines end like the tail: of the two, as much as both have. */
function endsLike(lines: readonly string[], end: number, tail: readonly string[]): boolean {
  if (end > lines.length) return false;
  for (let at = 1; at <= Math.min(end, tail.length); at += 1) {
    if (lines[end - at] !== tail[tail.length - at]) return false;
  }
  return true;
}

/**
 * The new lines where some came in between those that were seen, as when lines of several instances are sorted by time and one
 * is late. Undefined unless the window has the rest of the tail in its order.
 */
function amongOthers(tail: readonly string[], lines: readonly string[]): Set<number> | undefined {
  const begun = (all: readonly string[], at: number, of: readonly string[]): boolean =>
    of.slice(0, CERTAIN).every((line, nth) => all[at + nth] === line);
  if (lines.length < CERTAIN) return undefined;
  for (let at = 0; at <= Math.max(tail.length, lines.length) - CERTAIN; at += 1) {
    const [skipped, left] = begun(tail, at, lines) ? [0, at] : begun(lines, at, tail) ? [at, 0] : [-1, 0];
    if (skipped < 0 || differing(tail, tail.length - left) < CERTAIN) continue;
    let next = left;
    const places = new Set<number>();
    for (let place = skipped; place < lines.length; place += 1) {
      if (next < tail.length && lines[place] === tail[next]) next += 1;
      else places.add(place);
    }
    if (next === tail.length) return places;
  }
  return undefined;
}

function endOfLines(window: readonly LogRecord[]): number {
  let end = window.length;
  while (end > 0 && NOTE.test(window[end - 1]?.text ?? "")) end -= 1;
  return end;
}

/** Both are explained in docs/kubernetes-logs.md. */
const NOTE = /^\[gantry\] lines of \S+ are missing: /u;
const OLDER = /^\[gantry\] (?:older lines of \S+ can be missing|no lines of \S+ are left): /u;

function instanceOf({ instance = "" }: LogRecord): string {
  return hash("sha1", instance, "base64url").slice(0, 4);
}

function digestOf({ instance = "", text }: LogRecord): string {
  return hash("sha1", `${instance}\n${text}`, "base64url").slice(0, 10);
}
