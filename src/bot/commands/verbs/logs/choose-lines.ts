import type { LogLine, Service } from "../../../../api/answers.ts";
import { daysBefore, firstRecord, logDate, type LogPage, momentOnLogDate } from "../../../../api/log-pages.ts";
import { UserError } from "../../../errors.ts";
import { type EndedAt, goneFrom, isOfInstance, placeOf, previousRun, rolloutOf, timesOf } from "../../../logs/runs.ts";
import { grouped } from "../../../views/kit/text.ts";
import type { Ask } from "../../../ask.ts";
import type { VerbContext } from "../../command.ts";
import { readService } from "../../lookup/find.ts";
import { logDay } from "./log-answers.ts";
import { type OpenLog, recordsOf } from "./open-log.ts";
import { SEARCHED, type Slice } from "./pages.ts";

/** A time of day in the reader's zone, or a moment, as in the buttons: they mean the same for everybody who clicks. */
export type Around = { readonly clock: string } | { readonly at: Date };

/** The moment that was typed. Without a day, the last time the clock showed it. Throws a `UserError` for one to come. */
export function momentMeant(around: Around, day: string, { asker, settings, now }: VerbContext): Date {
  if ("at" in around) return around.at;
  const zone = asker.zone ?? settings.logZone;
  const date = logDay(day, zone, now);
  const moment = momentOnLogDate(date, zone, around.clock);
  if (moment <= now) return moment;
  if (date === logDate(now, zone) && day === "today") return momentOnLogDate(daysBefore(date, 1), zone, around.clock);
  throw new UserError(`${around.clock.slice(0, 5)} on that day is in the future.`, { next: "Choose an earlier time." });
}

type Search = { readonly log: OpenLog; readonly from: number; readonly mode: LogPage["mode"] };

/** A page whose times reach over a moment, and the place of the moment on it. */
type At = { readonly lines: readonly LogLine[]; readonly place: number; readonly first: number };

/** Calls to find a moment. The first page is usually enough. */
const MOST_PAGES = 3;

/** Where the search ended: the moment is before this many records. */
class TooFarBack extends Error {
  readonly from: number;

  constructor(from: number) {
    super("the moment is further back than was searched");
    this.from = from;
  }
}

/**
 * Finds the page with a moment, by the times in the lines: the API knows none. After the first page it goes as far back as the
 * lines of that page are dense. Undefined when no line has a time. Throws `TooFarBack` when it isn't found in three pages.
 */
async function findMoment({ log, from, mode }: Search, atMs: number): Promise<At | undefined> {
  let start = firstRecord({ mode, from, size: SEARCHED });
  let newestKnown = start;
  let oldestKnown = Number.POSITIVE_INFINITY;
  for (let pages = 1; ; pages += 1) {
    const first = firstRecord({ mode, from: start, size: SEARCHED });
    const lines = await log.read({ from: start, size: SEARCHED });
    if (lines.length === 0) {
      throw new UserError("The log has no lines of that day.", {
        next: "The workload API may keep logs for fewer days.",
      });
    }
    const records = recordsOf(lines);
    const place = placeOf(records, atMs);
    if (place === "untimed") return undefined;
    const isOldest = lines.length < SEARCHED;
    // Before the first line of the day, and after the newest one, the nearest lines are shown.
    if (place === "older" && isOldest) return { lines, place: 0, first };
    if (place !== "older" && (place < lines.length || first === 0)) return { lines, place, first };
    if (place === "older") newestKnown = first + lines.length;
    else oldestKnown = first;
    if (pages === MOST_PAGES) throw new TooFarBack(newestKnown);
    const times = timesOf(records, atMs);
    const perMs = times === undefined ? 0 : lines.length / Math.max(1, times.last - times.first);
    const away = times === undefined ? SEARCHED : ((place === "older" ? times.first : times.last) - atMs) * perMs;
    const guess = Math.round(first + (place === "older" ? lines.length + away : away) - SEARCHED / 2);
    start = Math.min(Math.max(newestKnown, guess), Math.max(newestKnown, oldestKnown - SEARCHED));
  }
}

type Seeking = {
  readonly log: OpenLog;
  readonly wanted: LogPage;
  readonly at: Date;
  readonly ask: Ask;
};

/** The lines around a moment. `only`: it is before the first line of the log, or after the last one. */
export type LinesAround = Slice & { readonly only: "before" | "after" | undefined };

/** As many lines before a moment as after it. Throws a `UserError` when the lines have no times, or it isn't found. */
export async function linesAround(seeking: Seeking): Promise<LinesAround> {
  const { size } = seeking.wanted;
  const found = await seek(seeking, "--around");
  const end = Math.min(found.lines.length, Math.max(found.place - Math.ceil(size / 2), 0) + size);
  return { ...sliceOf(found, Math.max(0, end - size), end), only: onlySide(found, seeking.at.getTime()) };
}

/** A time that is typed has minutes: lines that are less than one away are around it. */
const AROUND_MS = 60_000;

function onlySide({ lines, place }: At, atMs: number): LinesAround["only"] {
  const times = timesOf(recordsOf(lines), atMs);
  if (times === undefined) return undefined;
  if (place === 0 && times.first - atMs >= AROUND_MS) return "after";
  return place === lines.length && atMs - times.last >= AROUND_MS ? "before" : undefined;
}

async function seek({ log, wanted: { mode, from }, at, ask }: Seeking, flag: string): Promise<At> {
  try {
    const found = await findMoment({ log, from, mode }, at.getTime());
    if (found !== undefined) return found;
  } catch (error) {
    if (!(error instanceof TooFarBack)) throw error;
    const { previous: _previous, ...others } = ask.args;
    const args = { ...others, around: at.toISOString(), from: String(error.from) };
    throw new UserError(`That moment is more than ${grouped(error.from)} lines back, and I didn't find it.`, {
      next: "Search further back, or choose a later time.",
      suggestions: [{ label: "Search further back", ask: { ...ask, args } }],
    });
  }
  throw new UserError(`These log lines have no times, so \`${flag}\` can't find that moment.`, {
    next: "Use `--from` to go back by a number of lines.",
  });
}

function sliceOf({ lines, first }: Pick<At, "lines" | "first">, start: number, end: number): Slice {
  return { lines: lines.slice(start, end), from: first + lines.length - end, hasGap: false };
}

/** The lines of the run before. */
export type PreviousLines = Slice & {
  /** How it ended; undefined when nothing says so. */
  readonly how: string | undefined;
  /** When it ended, if only that is known: then its lines are those before. */
  readonly endedAt: EndedAt | undefined;
  /** The instance that it was; undefined when all instances' lines are shown. */
  readonly instance: string | undefined;
  /** The day of the log that they are in. */
  readonly date: string;
};

type Previous = {
  readonly log: OpenLog;
  readonly wanted: LogPage;
  readonly date: string;
  readonly instance: string | undefined;
  readonly ask: Ask;
};

/**
 * The newest lines of the run that ended last. Its end comes from, in this order: the log itself, the job's instances,
 * the time that the workload API reports of a restart since the last rollout (compared with the times in the lines), the
 * instances that no longer exist, or the time of the rollout: after it, instances of a StatefulSet have the same names.
 * Throws a `UserError` when none of them says it.
 */
export async function linesOfPreviousRun(asked: Previous, context: VerbContext): Promise<PreviousLines> {
  const { log, wanted, date, instance } = asked;
  const page = { from: wanted.from, size: SEARCHED };
  const lines = await log.read(page);
  const read = { lines, first: firstRecord({ mode: wanted.mode, ...page }) };
  const run = previousRun(recordsOf(lines), instance);
  if (run !== undefined) {
    const of = run.instance === "" ? undefined : run.instance;
    return { ...runOf(read, run.places.slice(-wanted.size)), how: run.how, endedAt: undefined, instance: of, date };
  }
  const before = instance === undefined ? log.job?.instance_names?.at(-2) : undefined;
  if (before !== undefined) {
    const older = await log.other({ instance: before }).read({ from: 0, size: wanted.size });
    return { lines: older, from: 0, hasGap: false, how: undefined, endedAt: undefined, instance: before, date };
  }
  return beforeLastEnd(asked, read, context);
}

type Read = Pick<At, "lines" | "first">;

/** The lines at these places. Lines of other instances can be between them. */
function runOf({ lines, first }: Read, places: readonly number[]): Slice {
  const last = places.at(-1) ?? 0;
  return {
    lines: places.flatMap((at) => lines[at] ?? []),
    from: first + lines.length - last - 1,
    edges: { start: lines.slice(places[0]), end: lines.slice(0, last + 1) },
    hasGap: false,
  };
}

/** The places of the lines of the instance that was replaced last. Empty when all instances still exist. */
function placesOfGone(lines: readonly LogLine[], isGone: (instance: string) => boolean): readonly number[] {
  const last = lines.findLast(({ instance_name: name = "" }) => isGone(name));
  return last === undefined ? [] : lines.flatMap((line, at) => (line.instance_name === last.instance_name ? [at] : []));
}

async function beforeLastEnd(
  { log, wanted, date, ask, instance }: Previous,
  read: Read,
  context: VerbContext,
): Promise<PreviousLines> {
  const service = log.job === undefined ? await readService(log.name, context) : undefined;
  const workload = log.job ?? service;
  const end = service === undefined ? restartOf(workload) : endOf(service);
  if (end?.by !== "restart") {
    const isGone = goneFrom(service ?? { name: log.name });
    const places = placesOfGone(read.lines, (name) => isOfInstance(name, instance) && isGone(name)).slice(-wanted.size);
    const [place] = places;
    if (place !== undefined) {
      const of = read.lines[place]?.instance_name;
      return { ...runOf(read, places), how: undefined, endedAt: undefined, instance: of, date };
    }
  }
  if (end === undefined) {
    const restarts = workload?.restart_count;
    throw new UserError(
      restarts === 0
        ? `${log.name} hasn't crashed, and its newest log lines show no earlier run.`
        : `Nothing says when an earlier run of ${log.name} ended: neither the log nor the workload API.`,
      { next: "If you know when it was, use `--around 14:03`." },
    );
  }
  const { at, by } = end;
  const day = logDate(at, context.settings.logZone);
  const of = day === date ? log : log.other({ date: day });
  // Times in lines can be whole seconds.
  const until = new Date(Math.floor(at.getTime() / 1_000) * 1_000 + 1_000);
  const from = day === date ? wanted.from : 0;
  const found = await seek({ log: of, wanted: { ...wanted, from }, at: until, ask }, "--previous");
  const slice = sliceOf(found, Math.max(0, found.place - wanted.size), found.place);
  const ended = by === "restart" ? workload?.last_state : undefined;
  const cause = ended?.reason === "OOMKilled" ? " (out of memory)" : "";
  const how = ended?.exit_code === undefined ? undefined : `exited with code ${ended.exit_code}${cause}`;
  return { ...slice, how, endedAt: end, instance: undefined, date: day };
}

/** The first rollout begins with the service, and replaces nothing. */
const FIRST_MS = 60_000;

function endOf(service: Service): EndedAt | undefined {
  const restart = restartOf(service);
  const rolloutMs = rolloutOf(service);
  const firstMs = Math.max(Date.parse(service.created_at ?? "") + FIRST_MS || 0, restart?.at.getTime() ?? 0);
  return rolloutMs !== undefined && rolloutMs > firstMs ? { at: new Date(rolloutMs), by: "rollout" } : restart;
}

function restartOf(workload: Pick<Service, "last_state" | "restarts"> | undefined): EndedAt | undefined {
  const at = new Date(workload?.last_state?.finished_at ?? workload?.restarts?.last_at ?? "");
  return Number.isNaN(at.getTime()) ? undefined : { at, by: "restart" };
}
