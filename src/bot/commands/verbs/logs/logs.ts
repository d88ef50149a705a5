import { z } from "zod";
import { firstRecord, logDate, type LogPage } from "../../../../api/log-pages.ts";
import { requestLimits } from "../../../../api/request-limits.ts";
import { UserError } from "../../../errors.ts";
import { linesSince } from "../../../logs/entries.ts";
import type { Excerpt, ExcerptRequest } from "../../../logs/excerpt.ts";
import { compileGrep } from "../../../logs/grep.ts";
import type { Message } from "../../../views/kit/post.ts";
import { grouped } from "../../../views/kit/text.ts";
import type { VerbContext } from "../../command.ts";
import { clockTime, durationIn, Since, sinceMoment, Target, wholeNumber } from "../../grammar/argument-types.ts";
import { readVerb } from "../../grammar/verb.ts";
import { type Around, linesAround, linesOfPreviousRun, momentMeant } from "./choose-lines.ts";
import { beginFollowing } from "./followed-log.ts";
import { dayFacts, logsForm, MOST_CONTEXT } from "./form.ts";
import { failureButtons, MOST_LINES } from "./log-buttons.ts";
import { logExcerpt } from "./log-excerpt.ts";
import { logDay, type LogExcerpt, type LogView } from "./log-answers.ts";
import { logged, type OpenLog, openLog, recordsOf } from "./open-log.ts";
import {
  endMark,
  linesAfter,
  linesBefore,
  pageAfter,
  pageBefore,
  SEARCHED,
  type Slice,
  startMark,
  dayExcerpt,
  readDay,
} from "./pages.ts";

const badInstance = "--instance takes the name of an instance, at most 253 characters.";

/** `14:03`, `14:03:20`, `2pm`, or a moment such as `2026-11-20T14:03:00Z`. */
const AroundTime = z
  .string()
  .max(40)
  .transform((typed, context): Around => {
    const [, toMinute = typed, second = "00"] = /^(\d{1,2}:\d{2}):([0-5]\d)$/u.exec(typed.trim()) ?? [];
    const time = clockTime(toMinute.trim());
    if (time !== undefined) return { clock: `${time}:${second}` };
    const at = /^\d{4}-\d{2}-\d{2}T.*(?:Z|[+-]\d{2}:?\d{2})$/u.test(typed) ? Date.parse(typed) : Number.NaN;
    if (!Number.isNaN(at)) return { at: new Date(at) };
    context.addIssue(`I can't read the time “${typed}”. Write it as 14:03, or as 2026-11-20T14:03:00Z.`);
    return z.NEVER;
  });

const MINUTE_MS = 60_000;
const DEFAULT_FOLLOW_MS = 10 * MINUTE_MS;
const LONGEST_FOLLOW_MS = 60 * MINUTE_MS;

/** `90s`, `10m`, `1h`, in milliseconds. */
const FollowTime = z.string().transform((typed, context): number => {
  const time = typed.trim();
  const ms = durationIn(/^\d+$/u.test(time) ? `${time}m` : time);
  if (ms !== undefined && ms >= MINUTE_MS && ms <= LONGEST_FOLLOW_MS) return ms;
  context.addIssue("--for takes a time from 1m to 60m, such as 10m.");
  return z.NEVER;
});

const Args = z.object({
  name: Target,
  instance: z.string().min(1, badInstance).max(253, badInstance).optional(),
  date: z.string().max(20, "Write a date as 2026-11-20.").default("today"),
  from: wholeNumber("--from", { from: 0, to: requestLimits.logFrom }).default(0),
  size: wholeNumber("--size", { from: 1, to: MOST_LINES }).default(100),
  grep: z.string().max(200, "--grep takes at most 200 characters.").optional(),
  context: wholeNumber("--context", { from: 0, to: MOST_CONTEXT }).default(0),
  since: Since.optional(),
  around: AroundTime.optional(),
  previous: z.boolean().default(false),
  file: z.boolean().default(false),
  raw: z.boolean().default(false),
  follow: z.boolean().default(false),
  for: FollowTime.optional(),
  private: z.boolean().default(false),
  /** Edges of the page before, of buttons for newer and older lines and for the same ones. Nobody types them. */
  after: z.string().max(40).optional(),
  before: z.string().max(40).optional(),
  until: z.string().max(40).optional(),
});
type Args = z.output<typeof Args>;

export const logs = readVerb({
  name: "logs",
  isMostUsed: true,
  summary: "Show log lines in a thread",
  example: "logs web --date yesterday --grep error",
  question: { label: "Show logs of" },
  button: "Logs",
  aliases: ["log", "tail"],
  near: ["output", "errors", "print", "read", "search", "grep", "find"],
  phrases: [
    ["(logs|look) [logs] NAME [COUNT]", "logs NAME --size COUNT --grep TEXT --date DAY --since SINCE"],
    ["[throw] errors [logs] NAME [COUNT]", "logs NAME --grep error --date DAY --since SINCE"],
    ["logs [of] (before|previous) [it] [bad|restart] NAME", "logs NAME --previous"],
    ["follow [logs] NAME", "logs NAME --follow"],
    ["follow errors NAME", "logs NAME --grep error --follow"],
    ["logs", "logs --date DAY --since SINCE"],
    ["errors", "logs NIGHT --grep error --since SINCE"],
  ],
  flags: {
    instance: { value: "I", summary: "only the lines of this instance" },
    date: { value: "D", summary: "today (default), yesterday, or a day such as 2026-11-20" },
    from: { value: "N", summary: "skip the newest N lines" },
    size: {
      value: "N",
      summary: `number of lines, 1 to ${grouped(MOST_LINES)} (default: 100)`,
      also: ["tail", "lines", "n"],
    },
    grep: { value: "RE", summary: "only lines that match this text or regular expression, ignoring case", also: ["g"] },
    context: { value: "N", summary: "so many lines before and after each match", also: ["C"] },
    around: { value: "TIME", summary: "the lines around this time of day, such as 14:03, in your time zone" },
    since: { value: "T", summary: "only lines from the last 10m, 2h, …, by the times in them" },
    previous: { summary: "the lines of the run before the last restart", also: ["p"] },
    file: { summary: "the whole day, as a file" },
    raw: { summary: "lines as they were written: JSON isn't made readable, repeated lines aren't folded" },
    follow: { summary: "show new lines in a thread as they come", also: ["f"] },
    for: { value: "T", summary: "how long to follow: 1m to 60m (default: 10m)" },
    private: { summary: "show them only to you, without a thread" },
  },
  words: { name: "NAME" },
  args: Args,
  // A period can have many lines, and the others are left out.
  read: (_typed, { since, size = since === undefined ? undefined : "1000", ...byName }) => ({ ...byName, since, size }),
  reads: ["getServiceLogs", "getJobInstanceLogs"],
  form: { ...logsForm, prefill: async (_values, { settings, now }) => dayFacts(settings.logZone, now) },
  onFailure: failureButtons,
  async answer(args, context) {
    checkCombination(args);
    const asked = dayOf(args, context);
    const wanted: LogPage = { mode: context.settings.logFrom, from: args.from, size: args.size };
    const log = await openLog({ ...args, date: asked.date, first: firstPage(args, wanted) }, context);
    const page = args.file ? undefined : await chooseLines({ args, log, wanted, ...asked }, context);
    const date = page?.date ?? asked.date;
    const { settings, ask } = context;
    const facts = {
      workload: { kind: log.kind, name: args.name.name },
      day: { date, zone: settings.logZone, today: logDay("today", settings.logZone, context.now) },
      ask,
      requester: context.asker.name,
      canShare: /^[CG]/u.test(context.asker.channelId),
    };
    const shown =
      page === undefined ? await wholeDay({ args, log, wanted }, context) : await pageOf(args, log, page, context);
    const message = logExcerpt({ ...facts, ...shown });
    return args.private ? alone(message) : message;
  },
  async follow(args, context) {
    if (!args.follow) return undefined;
    checkCombination(args);
    return { poll: await beginFollowing(args, context), forMs: args.for ?? DEFAULT_FOLLOW_MS };
  },
});

/** An invalid request must not cost a call. Throws a `UserError`. */
function checkCombination(args: Args): void {
  const { grep, context, around, previous, file, since, follow, date, private: isPrivate } = args;
  if (grep !== undefined) compileGrep(grep);
  if (context > 0 && grep === undefined) {
    throw new UserError("`--context` shows lines around matches, so it needs `--grep TEXT`.", {
      next: "To see the lines around a time, use `--around 14:03`.",
    });
  }
  if (args.for !== undefined && !follow) {
    throw new UserError("`--for` says how long to follow, so it needs `--follow`.", {
      next: "For the lines of the last 10 minutes, use `--since 10m`.",
    });
  }
  const chosen = [
    ...(follow ? ["--follow"] : []),
    ...(follow && isPrivate ? ["--private"] : []),
    ...(follow && context > 0 ? ["--context"] : []),
    ...(follow && date.toLowerCase() !== "today" ? ["--date"] : []),
    ...(around === undefined ? [] : ["--around"]),
    ...(previous ? ["--previous"] : []),
    ...(file ? ["--file"] : []),
    ...(since === undefined ? [] : ["--since"]),
  ];
  const [first, second] = chosen;
  if (second !== undefined)
    throw new UserError(`\`${first}\` and \`${second}\` can't be used together.`, { next: "Choose one." });
  if (file && isPrivate) {
    throw new UserError("A file can't be shown to you alone in a channel.", {
      next: "Ask in your direct message with me, without `--private`.",
    });
  }
}

/** The day of the log that is read, and the moment that was meant. */
function dayOf({ around, date }: Args, context: VerbContext): { readonly date: string; readonly at?: Date } {
  const { settings, now } = context;
  if (around === undefined) return { date: logDay(date, settings.logZone, now) };
  const at = momentMeant(around, date, context);
  return { date: logDate(at, settings.logZone), at };
}

function firstPage(
  { after, before, until, around, previous, file }: Args,
  wanted: LogPage,
): Pick<LogPage, "from" | "size"> {
  if (after !== undefined) return pageAfter(wanted);
  if (before !== undefined || until !== undefined) return pageBefore(wanted);
  return around !== undefined || previous || file ? { from: wanted.from, size: SEARCHED } : wanted;
}

type Choice = {
  readonly args: Args;
  readonly log: OpenLog;
  readonly wanted: LogPage;
  readonly date: string;
  readonly at?: Date;
};

type Chosen = {
  readonly slice: Slice;
  readonly date: string;
  readonly view?: LogView;
  /** The one whose lines are shown, if not all. */
  readonly instance?: string | undefined;
};

async function chooseLines({ args, log, wanted, date, at }: Choice, context: VerbContext): Promise<Chosen> {
  const { after, before, until, previous, instance } = args;
  const { ask } = context;
  if (after !== undefined) return { date, instance, slice: await linesAfter(after, wanted, log.read) };
  if (before !== undefined) {
    return { date, instance, slice: await linesBefore({ of: before, edge: "start" }, wanted, log.read) };
  }
  if (until !== undefined) {
    return { date, instance, slice: await linesBefore({ of: until, edge: "end" }, wanted, log.read) };
  }
  if (at !== undefined) {
    const slice = await linesAround({ log, wanted, at, ask });
    return { date, instance, slice, view: { kind: "around", at, only: slice.only } };
  }
  if (previous) {
    const found = await linesOfPreviousRun({ log, wanted, date, instance, ask }, context);
    const view: LogView = { kind: "previous", how: found.how, endedAt: found.endedAt };
    return { view, slice: found, date: found.date, instance: found.instance ?? instance };
  }
  const lines = await log.read(wanted);
  return { date, instance, slice: { lines, from: firstRecord(wanted), hasGap: false } };
}

type Shown = Pick<LogExcerpt, "excerpt" | "mark"> & Partial<LogExcerpt>;

async function pageOf(args: Args, log: OpenLog, chosen: Chosen, context: VerbContext): Promise<Shown> {
  const { slice, view, date, instance } = chosen;
  const { account, region, directory } = context;
  const { size, grep, since, after, before, until } = args;
  const records = recordsOf(slice.lines);
  const key = JSON.stringify([account.username, region, log.kind, log.name, log.instance, date]);
  const place = { log: key, from: slice.from, lines: slice.lines.map((line) => line.log) };
  const overlap = view === undefined ? directory.logPages.overlap(place) : 0;
  const isCursor = [after, before, until].some((mark) => mark !== undefined) && !slice.hasGap;
  const request: ExcerptRequest = {
    lines: since === undefined ? records : recentLines(records, since, context),
    ...((log.kind === "service" || view !== undefined) && instance !== undefined && { instance }),
    ...(grep !== undefined && { grep }),
    from: slice.from,
    size,
    overlap: isCursor ? 0 : overlap,
    context: args.context,
    isReadable: !args.raw,
  };
  return {
    excerpt: await excerptWith(log, context)(request),
    mark: endMark(slice),
    startMark: (shown) => startMark(slice, shown),
    ...(view !== undefined && { view }),
    ...(after !== undefined && { since: slice.hasGap ? "gap" : "contiguous" }),
  };
}

function excerptWith({ kind, name }: OpenLog, context: VerbContext): (request: ExcerptRequest) => Promise<Excerpt> {
  return (request) => context.logs.excerpt(request, logged({ kind, name }, context));
}

type Day = { readonly args: Args; readonly log: OpenLog; readonly wanted: LogPage };

async function wholeDay({ args, log, wanted: { mode } }: Day, context: VerbContext): Promise<Shown> {
  const { instance, grep, size } = args;
  const { pages, left, hasGap } = await readDay(log.read, mode);
  const request = {
    ...(log.kind === "service" && instance !== undefined && { instance }),
    ...(grep !== undefined && { grep }),
    from: 0,
    size,
    context: args.context,
  };
  const excerpt = await dayExcerpt(pages.map(recordsOf), request, excerptWith(log, context));
  const newest = { lines: pages.at(-1) ?? [], from: 0, hasGap: false };
  return { excerpt, mark: endMark(newest), view: { kind: "day", left, hasGap } };
}

/** The excerpt for the asker only, in a thread too. */
function alone({ thread, ...message }: Message): Message {
  return { ...(thread?.alone ?? message), isPrivate: true };
}

/** The lines of `--since`, by the times in them: the workload API has none. Throws a `UserError` when there are none. */
function recentLines(lines: ExcerptRequest["lines"], since: Since, { ask, now }: VerbContext): ExcerptRequest["lines"] {
  const { since: _since, ...others } = ask.args;
  const suggestions = [{ label: "Newest lines", ask: { ...ask, args: others } }];
  const recent = linesSince(
    lines.map(({ instance, text }) => ({ text, ...(instance !== undefined && { instance }) })),
    { sinceMs: sinceMoment(since, now).getTime(), nowMs: now.getTime() },
  );
  if (recent === undefined) {
    throw new UserError("These log lines have no times, so `--since` can't filter them.", {
      next: "Use `-n 50` for the newest 50 lines.",
      suggestions,
    });
  }
  if (recent.length > 0 || lines.length === 0) return recent;
  throw new UserError("The log has no lines that recent.", {
    next: "Use `-n 50` for the newest 50 lines.",
    suggestions,
  });
}
