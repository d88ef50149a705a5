import { z } from "zod";
import { hash } from "node:crypto";
import type { LogLine } from "../../../../api/answers.ts";
import { firstRecord, type LogPage, logQuery } from "../../../../api/log-pages.ts";
import { Problem } from "../../../../api/problem.ts";
import { requestLimits } from "../../../../api/request-limits.ts";
import { UserError } from "../../../errors.ts";
import type { ExcerptRequest } from "../../../logs/excerpt.ts";
import { compileGrep } from "../../../logs/grep.ts";
import { logExcerpt } from "./log-excerpt.ts";
import { failureButtons, MOST_LINES } from "./log-buttons.ts";
import { NotStarted, logDay } from "./log-words.ts";
import { type Message, withContextLine } from "../../../views/kit/post.ts";
import { grouped } from "../../../views/kit/text.ts";
import type { Logged, VerbContext } from "../../command.ts";
import { Since, sinceMoment, regionOf, Target, wholeNumber } from "../../grammar/argument-types.ts";
import { bothExist, kindInRecentLists, orMissing, readJob, readService, unknownName } from "../../lookup/find.ts";
import { dayFacts, logsForm } from "./form.ts";
import { checkRead, readQuestion, visibleTarget } from "../../lookup/may-see.ts";
import { readVerb } from "../../grammar/verb.ts";
import { linesSince } from "../../../logs/entries.ts";

const badInstance = "--instance takes the name of an instance, at most 253 characters.";

const Args = z.object({
  name: Target,
  instance: z.string().min(1, badInstance).max(253, badInstance).optional(),
  date: z.string().max(20, "Write a date as 2026-11-20.").default("today"),
  from: wholeNumber("--from", { from: 0, to: requestLimits.logFrom }).default(0),
  size: wholeNumber("--size", { from: 1, to: MOST_LINES }).default(100),
  grep: z.string().max(200, "--grep takes at most 200 characters.").optional(),
  since: Since.optional(),
  follow: z.boolean().default(false),
  private: z.boolean().default(false),
  /** The end of the page before, of a button for newer lines. Nobody types it. */
  after: z.string().max(40).optional(),
});
type Args = z.output<typeof Args>;

export const logs = readVerb({
  name: "logs",
  isMostUsed: true,
  summary: "Show log lines in a thread",
  example: "logs web --date yesterday --grep error",
  button: "Logs",
  aliases: ["log", "tail"],
  near: ["output", "errors", "print", "read"],
  phrases: [
    [
      "SHOW[(last|latest|newest|recent) ][COUNT ]LINES (of|for|from|in) NAME[ (DAY|SINCE)]",
      "logs NAME --size COUNT --date DAY --since SINCE",
    ],
    ["SHOWNAME('s|) LINES[ (DAY|SINCE)]", "logs NAME --date DAY --since SINCE"],
    ["SHOWLINES NAME[ (DAY|SINCE)]", "logs NAME --date DAY --since SINCE"],
    [
      "SHOW[(any|all) ][(last|latest|newest|recent) ][COUNT ]ERRORS (of|in|for|from|on) NAME[ (DAY|SINCE)]",
      "logs NAME --grep error --date DAY --since SINCE",
    ],
    ["SHOWNAME('s|) [(last|latest|recent) ]ERRORS[ (DAY|SINCE)]", "logs NAME --grep error --date DAY --since SINCE"],
    [
      "(are there|is there|do we have) [any ]ERRORS (in|on|for|from) NAME[ (DAY|SINCE)]",
      "logs NAME --grep error --date DAY --since SINCE",
    ],
    ["how many ERRORS (does NAME have|are in NAME)[ (DAY|SINCE)]", "logs NAME --grep error --date DAY --since SINCE"],
    ["does NAME (have|log|show|throw) [any ]ERRORS[ (DAY|SINCE)]", "logs NAME --grep error --date DAY --since SINCE"],
    [
      "what (does|did|is) NAME (log|logging|say|saying|print|write)[ (DAY|SINCE)]",
      "logs NAME --date DAY --since SINCE",
    ],
    [
      "SHOWLINES (of|for|from|in) NAME (with|containing|matching|about|mentioning) TEXT[ (DAY|SINCE)]",
      "logs NAME --grep TEXT --date DAY --since SINCE",
    ],
    [
      "(search|grep) [the ](LINES (of|for|from|in) |)NAME[ LINES] for TEXT[ (DAY|SINCE)]",
      "logs NAME --grep TEXT --date DAY --since SINCE",
    ],
    [
      "(search|grep|search for|find|look for) TEXT in [the ](LINES (of|for|from) |)NAME[ LINES]",
      "logs NAME --grep TEXT",
    ],
    ["SHOW(LINES|ERRORS)", "logs"],
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
    since: { value: "T", summary: "only lines from the last 10m, 2h, …, by the times in them" },
    follow: { summary: "the newest lines; Slack can't stream a log", also: ["f"] },
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
    const { settings, ask } = context;
    // An invalid expression must not cost a call.
    if (args.grep !== undefined) compileGrep(args.grep);
    const date = logDay(args.date, settings.logZone, context.now);
    const { after, from, size } = args;
    const wanted: LogPage = { mode: settings.logFrom, from, size };
    const found = await read({ ...args, ...(after !== undefined && searchPage(wanted)) }, date, context);
    if (args.name.kind === undefined) {
      const where = { region: context.region, jobsRegion: settings.jobsRegion };
      await checkRead(readQuestion(context.actions, { kind: found.kind, name: args.name.name }, where), context);
    }
    const slice: Slice =
      after === undefined
        ? { lines: found.lines, from: firstRecord(wanted), hasGap: false }
        : linesAfter(after, found.lines, wanted);
    const request = excerptRequest({ args, found, date, slice }, context);
    const excerpt = await context.logs.excerpt(request, logged(found.kind, args, context));
    const message = logExcerpt({
      workload: { kind: found.kind, name: args.name.name },
      day: { date, zone: settings.logZone, today: logDay("today", settings.logZone, context.now) },
      excerpt,
      ask,
      mark: markOf(slice.lines),
      ...(after !== undefined && { since: slice.hasGap ? "gap" : "contiguous" }),
      requester: context.asker.name,
      canShare: /^[CG]/u.test(context.asker.channelId),
    });
    const said = args.follow
      ? withContextLine(message, "I can't follow a log live. These are the newest lines.")
      : message;
    return args.private ? alone(said) : said;
  },
});

type Page = {
  readonly args: z.output<typeof Args>;
  readonly found: Awaited<ReturnType<typeof read>>;
  readonly date: string;
  readonly slice: Slice;
};

function excerptRequest({ args, found, date, slice }: Page, context: VerbContext): ExcerptRequest {
  const { account, region, directory } = context;
  const { instance, size, grep, name, after, since } = args;
  const { from } = slice;
  const lines = slice.lines.map((line) => ({
    ...(line.instance_name && { instance: line.instance_name }),
    text: line.log,
  }));
  const log = JSON.stringify([account.username, region, found.kind, name.name, found.instance, date]);
  const overlap = directory.logPages.overlap({ log, from, lines: slice.lines.map((line) => line.log) });
  return {
    lines: since === undefined ? lines : recentLines(lines, since, context),
    ...(found.kind === "service" && instance !== undefined && { instance }),
    ...(grep !== undefined && { grep }),
    from,
    size,
    overlap: after === undefined ? overlap : 0,
  };
}

type Found = {
  readonly kind: "service" | "job";
  /** The job instance whose log was read. */
  readonly instance?: string;
  readonly lines: readonly LogLine[];
};

/**
 * A bare name takes two calls, one for each kind, and a third for a job, whose instances have to be known first. A name
 * that recent lists have for one kind only takes no call to find it.
 */
async function read(args: Args, date: string, context: VerbContext): Promise<Found> {
  const open = await visibleTarget(args.name, context);
  const kind = open.kind ?? kindInRecentLists(args.name.name, context);
  const [service, job] = await Promise.all([
    kind === "job" ? undefined : orMissing(serviceLines(args, date, context), args.name.name),
    kind === "service" ? undefined : readJob(args.name.name, context),
    kind === "service" ? readEnv(args, context) : undefined,
  ]);
  if (service !== undefined && job !== undefined) throw bothExist(args.name.name);
  if (service !== undefined) return { kind: "service", lines: service };
  if (job === undefined) throw await unknownName(open, context);
  const instance = args.instance ?? job.instance_names?.at(-1);
  if (instance === undefined && job.instance_names === undefined) {
    throw new UserError(
      `The workload API doesn't report the instances of job ${args.name.name}, and each has its own log.`,
      {
        next: "If you know the name of one, add `--instance NAME`.",
      },
    );
  }
  if (instance === undefined) {
    throw new NotStarted(`Job ${args.name.name} hasn't started yet, so it has no logs.`, {
      next: "Try again in a moment.",
    });
  }
  return { kind: "job", instance, lines: await instanceLines(instance, { args, date, context }) };
}

function logged(kind: Found["kind"], { name: { name } }: Args, { region, settings }: VerbContext): Logged {
  return { kind, region: regionOf(kind, region, settings), name };
}

/**
 * Reads the service as well as its log, to redact the values of its environment. If that fails, only patterns are
 * redacted.
 */
async function readEnv(args: Args, context: VerbContext): Promise<void> {
  if (context.logs.knowsEnv(logged("service", args, context))) return;
  try {
    await readService(args.name.name, context);
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
  }
}

function serviceLines({ name, from, size }: Args, date: string, { api, region, settings, signal }: VerbContext) {
  const query = { date, ...logQuery({ mode: settings.logFrom, from, size }) };
  return api.send(
    { op: "getServiceLogs", path: { region, service_name: name.name }, query, body: undefined },
    { signal },
  );
}

type Wanted = { readonly args: Args; readonly date: string; readonly context: VerbContext };

async function instanceLines(instance: string, { args, date, context }: Wanted): Promise<LogLine[]> {
  const { api, settings, signal } = context;
  const query = { date, ...logQuery({ mode: settings.logFrom, from: args.from, size: args.size }) };
  const path = { region: settings.jobsRegion, job_name: args.name.name, instance_name: instance };
  const lines = await orMissing(
    api.send({ op: "getJobInstanceLogs", path, query, body: undefined }, { signal }),
    args.name.name,
  );
  if (lines !== undefined) return lines.map((log) => ({ instance_name: instance, log }));
  throw new UserError(`Job ${args.name.name} has no instance ${instance}.`, {
    next: `\`${settings.command} show job/${args.name.name}\` lists its instances.`,
  });
}

/** The excerpt for the asker only, in a thread too. */
function alone({ thread, ...message }: Message): Message {
  return { ...(thread?.alone ?? message), isPrivate: true };
}

/** A page of a log, and the button for newer lines continues after its last line. */
type Slice = {
  readonly lines: readonly LogLine[];
  /** The first record, counted from the newest. */
  readonly from: number;
  /** The last line that was shown before wasn't found, so lines in between may be missing. */
  readonly hasGap: boolean;
};

/** Enough lines to tell one place in a log from another. */
const MARK_LINES = 10;
/** The API counts records from the newest, so new lines push the marked one back. This many are searched for it. */
const SEARCHED = 1_000;
/** How many records before the wanted page are searched, for a page that isn't the newest. */
const BEFORE = 400;

/** Identifies the end of a page, to find it again when new lines have arrived. Undefined for an empty page. */
function markOf(lines: readonly LogLine[]): string | undefined {
  const count = Math.min(MARK_LINES, lines.length);
  return count === 0 ? undefined : `${count}.${digest(lines.slice(-count))}`;
}

/** The request that finds the lines after a mark. */
function searchPage({ mode, from }: Pick<LogPage, "mode" | "from">): LogPage {
  return { mode, from: Math.max(0, from - BEFORE), size: SEARCHED };
}

/** The lines after the mark, oldest first, at most `size`. Without the mark, the page that was asked for. */
function linesAfter(mark: string, found: readonly LogLine[], wanted: LogPage): Slice {
  const first = firstRecord(searchPage(wanted));
  const start = endOfMark(mark, found);
  const end = start === undefined ? Math.max(0, found.length - (wanted.from - first)) : start + wanted.size;
  const lines = found.slice(start ?? Math.max(0, end - wanted.size), end);
  return { lines, from: first + Math.max(0, found.length - end), hasGap: start === undefined };
}

/** The oldest place that matches: lines that are all alike are repeated, never skipped. */
function endOfMark(mark: string, found: readonly LogLine[]): number | undefined {
  const count = Number(mark.split(".", 1)[0]);
  if (!(count > 0)) return undefined;
  for (let end = count; end <= found.length; end += 1) {
    if (`${count}.${digest(found.slice(end - count, end))}` === mark) return end;
  }
  return undefined;
}

function digest(lines: readonly LogLine[]): string {
  const all = JSON.stringify(lines.map(({ instance_name, log }) => [instance_name ?? "", log]));
  return hash("sha1", all, "base64url").slice(0, 16);
}

/** The lines of `--since`, by the times in them: the workload API has none. Throws a `UserError` when there are none. */
function recentLines(
  lines: ExcerptRequest["lines"],
  since: Since,
  { ask, now }: Pick<VerbContext, "ask" | "now">,
): ExcerptRequest["lines"] {
  const { since: _since, ...others } = ask.args;
  const suggestions = [{ label: "Newest lines", ask: { ...ask, args: others } }];
  const recent = linesSince(
    lines.map(({ instance, text }) => ({ text, ...(instance !== undefined && { instance }) })),
    sinceMoment(since, now).getTime(),
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
