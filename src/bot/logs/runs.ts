import type { Service } from "../../api/answers.ts";
import type { TimedLine } from "./entries.ts";
import { lineTime } from "./entries.ts";

/** How our workload API says in a log that a container ended: "[gantry] web-1 exited with code 137 (out of memory), …". */
const END =
  /^\[gantry\] .{0,600}?\b(exited with code \d{1,5}(?: \(out of memory\))?|was killed by [A-Z0-9]{1,12}|was removed outside Gantry)/u;

/** How the run ended whose last line this is: "exited with code 1". Undefined for any other line. Pure. */
export function endOfRun(line: string): string | undefined {
  return END.exec(line)?.[1];
}

/**
 * Whether a line of the instance `of` is one of those that somebody wants. After a deploy or a restart, our workload API
 * calls the successor of web-0 web-0-g1. Whoever asks for web-0 means both. Lines of a job name no instance. Pure.
 */
export function isOfInstance(of: string, wanted: string | undefined): boolean {
  return wanted === undefined || of === "" || (of.startsWith(wanted) && /^(?:-g\d+)?$/u.test(of.slice(wanted.length)));
}

/**
 * Whether an instance no longer exists: after a deploy, a rollback or a restart the log still has its lines. Always
 * false if the workload API doesn't list the instances. Pure.
 */
export function goneFrom({
  name,
  instance_names: names = [],
}: {
  readonly name: string;
  readonly instance_names?: readonly string[] | undefined;
}): (instance: string) => boolean {
  // A line without a known instance has no name, or the service's.
  const known = new Set([...names, "", name]);
  return (instance) => names.length > 0 && !known.has(instance);
}

/** When the current instances began: with their revision, or with the last rollout that replaced them. Undefined where neither is reported. Pure. */
export function rolloutOf({ revisions = [], rollout }: Pick<Service, "revisions" | "rollout">): number | undefined {
  const current = revisions.find(({ is_current: isCurrent }) => isCurrent === true);
  const began = [current?.created_at, rollout?.since]
    .map((at) => Date.parse(at ?? ""))
    .filter((ms) => !Number.isNaN(ms));
  return began.length === 0 ? undefined : Math.max(...began);
}

/** When a run ended: the restart of an instance, or the begin of a rollout. */
export type EndedAt = { readonly at: Date; readonly by: "restart" | "rollout" };

export type PreviousRun = {
  /** Places of its lines on the page, in order. */
  readonly places: readonly number[];
  readonly instance: string;
  /** "exited with code 1" */
  readonly how: string;
};

/**
 * The last run that ended, of one instance or of the one that ended last: from its beginning, or that of the page, to the
 * line that says how it ended. Undefined when no line of the page says that one ended. Pure.
 */
export function previousRun(lines: readonly TimedLine[], instance?: string): PreviousRun | undefined {
  const end = lines.findLastIndex(
    ({ instance: of = "", text }) => isOfInstance(of, instance) && endOfRun(text) !== undefined,
  );
  const last = lines[end];
  if (last === undefined) return undefined;
  const own = lines.flatMap((line, at) => (line.instance === last.instance && at < end ? [at] : []));
  const before = own.findLastIndex((at) => endOfRun(lines[at]?.text ?? "") !== undefined);
  return {
    places: [...own.slice(before + 1), end],
    instance: last.instance ?? "",
    how: endOfRun(last.text) ?? "",
  };
}

/**
 * The place of the first line at or after a moment, by the times in the lines: the number of lines when all are older.
 * `older`: it is before the first line that has a time. `untimed`: no line has one. Pure.
 */
export function placeOf(lines: readonly TimedLine[], atMs: number): number | "older" | "untimed" {
  const times = lines.map(({ text }) => lineTime(text, atMs));
  const first = times.findIndex((ms) => ms !== undefined);
  if (first < 0) return "untimed";
  const place = times.findIndex((ms) => ms !== undefined && ms >= atMs);
  if (place < 0) return lines.length;
  return place === first && (times[first] ?? 0) > atMs ? "older" : place;
}

/** The first and the last time on a page of about this moment; undefined when no line has one. Pure. */
export function timesOf(
  lines: readonly TimedLine[],
  nearMs: number,
): { readonly first: number; readonly last: number } | undefined {
  const times = lines.flatMap(({ text }) => lineTime(text, nearMs) ?? []);
  const [first] = times;
  const last = times.at(-1);
  return first === undefined || last === undefined ? undefined : { first, last };
}
