import { type Doubt, type NewLines, newLines, nothingSeen } from "../../../logs/new-lines.ts";
import type { Job, LogLine, Service } from "../../../../api/answers.ts";
import { logDate } from "../../../../api/log-pages.ts";
import { serviceStatus, statusSentence } from "../../../../api/workload-status.ts";
import type { Excerpt, LogRecord } from "../../../logs/excerpt.ts";
import { shortened } from "../../../logs/redact.ts";
import { logTexts } from "../../../views/kit/log-text.ts";
import { counted } from "../../../views/kit/text.ts";
import type { Context, VerbContext } from "../../command.ts";
import { regionOf, type Target } from "../../grammar/argument-types.ts";
import { readJob, readService, readWorkload } from "../../lookup/find.ts";
import type { FollowedLog, LogPoll } from "./log-answers.ts";
import { openLog, readLog, recordsOf } from "./open-log.ts";

/** Lines that a poll reads; where that isn't enough to find the place, those of a whole page. */
const WINDOW = 200;
const LARGE_WINDOW = 1_000;
/** Lines that were there before, like `tail -f`. */
const LINES_BEFORE = 10;
/** One update of a message. */
const MOST_LINES = 40;
const MOST_TEXT = 2_400;
const LONGEST_LINE = 800;
const MOST_INSTANCES = 100;
/** The day before is read for so long after midnight: its last lines may come late. */
const LATE_MS = 10_000;
/** How often the workload is read while its log is quiet. */
const WORKLOAD_EVERY_MS = 30_000;

type Followed = {
  readonly name: Target;
  readonly instance?: string | undefined;
  readonly grep?: string | undefined;
  readonly raw: boolean;
};

/** Finds the log and reads its newest lines. Throws what reading a log throws. */
export async function beginFollowing(args: Followed, context: VerbContext): Promise<LogPoll> {
  const { name, instance, grep, raw } = args;
  const { settings, now, ask } = context;
  const date = logDate(now, settings.logZone);
  // As many as possible: a log that is read whole is followed by the number of its lines.
  const first = { from: 0, size: LARGE_WINDOW };
  const open = await openLog({ name, instance, date, first }, context);
  const { window, seen } = newLines(nothingSeen, recordsOf(await open.read(first)), LARGE_WINDOW);
  const kept = {
    ...(instance !== undefined && { instance }),
    ...(grep !== undefined && { grep }),
    ...(raw && { raw }),
  };
  const log: FollowedLog = {
    ask: {
      verb: "logs",
      region: context.region,
      share: ask.share,
      args: { name: `${open.kind}/${name.name}`, ...kept },
    },
    kind: open.kind,
    name: name.name,
    ...(open.instance !== undefined && { instance: open.instance }),
    date,
    seen,
    instances: [],
    readMs: now.getTime(),
  };
  const excerpt = await excerptFrom(log, { window: window.slice(-WINDOW), start: 0 }, context);
  const before = { ...excerpt, lines: excerpt.lines.slice(-LINES_BEFORE) };
  return { ...shownOf(log, before, undefined), skipped: 0 };
}

/** Reads new lines, usually with one call. Throws a `Problem`, and a `UserError` when lines can't be checked. */
export async function pollLog(log: FollowedLog, context: Context): Promise<LogPoll> {
  const read = async (size: number): Promise<NewLines | undefined> => {
    const lines = await readTail(log, size, context);
    return lines && newLines(log.seen, recordsOf(lines), size);
  };
  let found = await read(WINDOW);
  // The log of a job's instance can go with it, before the job.
  if (found === undefined && log.kind === "job") return await pollWorkload({ log, ...NO_LINES }, context, true);
  if (found === undefined) return nothing(log, "the service was deleted");
  if (found.doubt !== undefined && found.doubt !== "replaced") found = (await read(LARGE_WINDOW)) ?? found;
  const today = logDate(new Date(context.now.getTime() - LATE_MS), context.settings.logZone);
  const isOver = log.date < today;
  // The rest of the day before comes first; the next poll reads the new one from its beginning.
  const next = isOver ? { date: today, seen: nothingSeen } : { seen: found.seen };
  const excerpt = await excerptFrom(log, found, context);
  const isSaid = found.doubt === "alike" && log.seen.isAlike === true;
  const poll = shownOf({ ...log, ...next }, excerpt, isSaid ? undefined : found.doubt);
  if (poll.text !== "" || isOver) return poll;
  return context.now.getTime() - log.readMs < WORKLOAD_EVERY_MS ? poll : pollWorkload(poll, context);
}

/** Is there anything left to follow? */
async function pollWorkload(poll: LogPoll, context: Context, isLogGone = false): Promise<LogPoll> {
  const log = { ...poll.log, readMs: context.now.getTime() };
  const { region = context.settings.region } = log.ask;
  if (log.kind === "service") {
    const service = await readService(log.name, { ...context, region });
    const over = service === undefined ? "was deleted" : rest(service);
    return { ...poll, log, ...(over !== undefined && { over: `the service ${over}` }) };
  }
  const job = await readJob(log.name, context);
  if (job === undefined) return nothing(log, "the job was deleted");
  const newest = job.instance_names?.at(-1);
  // Another attempt has a log of its own.
  if (newest !== undefined && newest !== log.instance && log.ask.args["instance"] === undefined) {
    return { ...poll, log: { ...log, instance: newest, seen: nothingSeen } };
  }
  const end = endOfJob(job);
  if (end === undefined) return { ...poll, log };
  // It may have written its last lines since they were read.
  const last = isLogGone ? poll : await pollLog({ ...log, readMs: context.now.getTime() }, context);
  return { ...last, over: `the job ${end}` };
}

/** Why no line will follow: "is stopped", "is idle, autoscaler web-hpa brings it back". */
function rest(service: Service): string | undefined {
  const status = serviceStatus(service);
  if (status.level === "idle") return statusSentence(status);
  return service.target_instance_size === 0 ? "has no instances" : undefined;
}

function endOfJob({ status }: Job): string | undefined {
  const isTrue = (type: string): boolean =>
    (status?.conditions ?? []).some((each) => each.type === type && each.status === "True");
  return isTrue("Complete") ? "completed" : isTrue("Failed") ? "failed" : undefined;
}

const NO_LINES = { text: "", shown: 0, skipped: 0 };

function nothing(log: FollowedLog, over: string): LogPoll {
  return { log, ...NO_LINES, over };
}

/** The newest lines; undefined for a workload that is gone. Reads the environment too, where that isn't known. */
async function readTail(log: FollowedLog, size: number, context: Context): Promise<readonly LogLine[] | undefined> {
  await knowEnv(log, context);
  const { kind, instance = "", date } = log;
  const of = { ...loggedOf(log, context), date };
  return readLog(kind === "service" ? { ...of, kind } : { ...of, kind, instance }, { from: 0, size }, context);
}

/** After a restart of the bot, and now and then: the values of its environment are redacted. */
async function knowEnv(log: FollowedLog, context: Context): Promise<void> {
  if (context.logs.knowsEnv(loggedOf(log, context))) return;
  const { region = context.settings.region } = log.ask;
  await readWorkload(log.kind, log.name, { ...context, region });
}

function loggedOf({ kind, name, ask }: FollowedLog, { settings }: Context) {
  return { kind, name, region: regionOf(kind, ask.region ?? settings.region, settings) };
}

type From = { readonly window: readonly LogRecord[]; readonly start: number };

/** The lines from this place on, redacted with those before, where a secret can begin. */
function excerptFrom(log: FollowedLog, { window, start }: From, context: Context): Promise<Excerpt> {
  const { instance, grep, raw } = log.ask.args;
  return context.logs.excerpt(
    {
      lines: window,
      ...(log.kind === "service" && typeof instance === "string" && { instance }),
      ...(typeof grep === "string" && { grep }),
      from: 0,
      size: LARGE_WINDOW,
      isReadable: raw !== true,
      flank: { before: start, after: 0 },
    },
    loggedOf(log, context),
  );
}

const doubts: Readonly<Record<Doubt, string>> = {
  gap: "lines are missing here: more came than the workload API gives at once",
  replaced: "the log was rotated or replaced here: lines may be missing, or come twice",
  alike: "its newest lines are alike: some of them may be missing from here on",
};

/** The newest of them that one update takes. */
function shownOf(log: FollowedLog, { lines }: Pick<Excerpt, "lines">, doubt: Doubt | undefined): LogPoll {
  const seen = lines.flatMap(({ instance }) => instance ?? []);
  const instances = [...new Set([...log.instances, ...seen])].slice(0, MOST_INSTANCES);
  const cut = lines.map((line) => ({ ...line, text: shortened(line.text, LONGEST_LINE) }));
  const texts = logTexts(cut, instances);
  let from = texts.length;
  let room = MOST_TEXT;
  while (from > 0 && texts.length - from < MOST_LINES && room > (texts[from - 1]?.length ?? 0)) {
    from -= 1;
    room -= (texts[from]?.length ?? 0) + 1;
  }
  const count = (some: typeof lines): number => some.reduce((sum, line) => sum + (line.count ?? 1), 0);
  const [skipped, shown] = [count(lines.slice(0, from)), count(lines.slice(from))];
  const notes = [
    ...(doubt === undefined ? [] : [`⋯ ${doubts[doubt]}`]),
    ...(skipped > 0 ? [`⋯ ${counted(skipped, "line")} skipped: too many at once`] : []),
  ];
  return { log: { ...log, instances }, text: [...notes, ...texts.slice(from)].join("\n"), shown, skipped };
}
