import type { Job, LogLine } from "../../../../api/answers.ts";
import { type LogPage, logQuery } from "../../../../api/log-pages.ts";
import { Problem } from "../../../../api/problem.ts";
import { UserError } from "../../../errors.ts";
import type { LogRecord } from "../../../logs/excerpt.ts";
import type { Logged, VerbContext } from "../../command.ts";
import { regionOf, type Target } from "../../grammar/argument-types.ts";
import { bothExist, kindInRecentLists, orMissing, readJob, readService, unknownName } from "../../lookup/find.ts";
import { checkRead, readQuestion, visibleTarget } from "../../lookup/may-see.ts";
import { NotStarted } from "./log-answers.ts";
import type { ReadPage } from "./pages.ts";

/** The log of a workload, whose first page was read. */
export type OpenLog = {
  readonly kind: "service" | "job";
  readonly name: string;
  /** The job instance whose log it is. */
  readonly instance: string | undefined;
  readonly job: Job | undefined;
  /** One call a page, except for the page it was opened with. */
  readonly read: ReadPage;
  /** The same of another day or job instance, at one call a page. */
  readonly other: (what: { readonly date?: string; readonly instance?: string }) => OpenLog;
};

export type Wanted = {
  readonly name: Target;
  readonly instance?: string | undefined;
  readonly date: string;
  readonly first: Parameters<ReadPage>[0];
};

/**
 * A bare name takes two calls, one for each kind, and a third for a job, whose instances have to be known first, or for a service whose
 * variables aren't known yet. A name
 * that recent lists have for one kind only takes no call to find it. Throws a `ReadRefused` for a kind that they may not see.
 */
export async function openLog(wanted: Wanted, context: VerbContext): Promise<OpenLog> {
  const { name } = wanted;
  const open = await visibleTarget(name, context);
  const kind = open.kind ?? kindInRecentLists(name.name, context);
  const [service, job] = await Promise.all([
    kind === "job" ? undefined : readLog(serviceOf(wanted, context), wanted.first, context),
    kind === "service" ? undefined : readJob(name.name, context),
    kind === "service" ? readEnv(name, context) : undefined,
  ]);
  if (service !== undefined && job !== undefined) throw bothExist(name.name);
  if (service === undefined && job === undefined) throw await unknownName(open, context);
  const found = service === undefined ? "job" : "service";
  if (name.kind === undefined) {
    const where = { region: context.region, jobsRegion: context.settings.jobsRegion };
    await checkRead(readQuestion(context.actions, { kind: found, name: name.name }, where), context);
  }
  if (service !== undefined) {
    if (kind === undefined) await readEnv(name, context);
    return serviceLog(wanted, context, service);
  }
  const instance = wanted.instance ?? newestInstance(name.name, job);
  const of = { ...wanted, instance };
  return jobLog(of, context, { job, lines: await linesOf(jobOf(of, context), of.first, context) });
}

function newestInstance(name: string, job: Job | undefined): string {
  const instance = job?.instance_names?.at(-1);
  if (instance !== undefined) return instance;
  if (job?.instance_names === undefined) {
    throw new UserError(`The workload API doesn't report the instances of job ${name}, and each has its own log.`, {
      next: "If you know the name of one, add `--instance NAME`.",
    });
  }
  if ((job.status?.failed ?? 0) > 0 || (job.status?.conditions ?? []).length > 0) {
    throw new UserError(`The instances of job ${name} are gone, with their logs.`, {
      next: "If logs are kept elsewhere, such as in Loki, add `--instance NAME`.",
    });
  }
  throw new NotStarted(`Job ${name} hasn't started yet, so it has no logs.`, { next: "Try again in a moment." });
}

function serviceLog(wanted: Wanted, context: VerbContext, lines?: readonly LogLine[]): OpenLog {
  return {
    kind: "service",
    name: wanted.name.name,
    instance: undefined,
    job: undefined,
    read: withFirst(wanted.first, lines, (first) => linesOf(serviceOf(wanted, context), first, context)),
    other: ({ date = wanted.date }) => serviceLog({ ...wanted, date }, context),
  };
}

type JobWanted = Wanted & { readonly instance: string };

function jobLog(
  wanted: JobWanted,
  context: VerbContext,
  { job, lines }: { readonly job: Job | undefined; readonly lines?: readonly LogLine[] },
): OpenLog {
  return {
    kind: "job",
    name: wanted.name.name,
    instance: wanted.instance,
    job,
    read: withFirst(wanted.first, lines, (first) => linesOf(jobOf(wanted, context), first, context)),
    other: (what) => jobLog({ ...wanted, ...what }, context, { job }),
  };
}

/** The page that was read already costs no call. */
function withFirst(first: Wanted["first"], lines: readonly LogLine[] | undefined, read: ReadPage): ReadPage {
  return async (page) =>
    lines !== undefined && page.from === first.from && page.size === first.size ? lines : read(page);
}

/**
 * Reads the service as well as its log, to redact the values of its environment. If that fails, only patterns are
 * redacted.
 */
async function readEnv({ name }: Target, context: VerbContext): Promise<void> {
  if (context.logs.knowsEnv(logged({ kind: "service", name }, context))) return;
  try {
    await readService(name, context);
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
  }
}

export function logged(
  { kind, name }: Pick<Logged, "kind" | "name">,
  { region, settings }: Pick<VerbContext, "region" | "settings">,
): Logged {
  return { kind, region: regionOf(kind, region, settings), name };
}

function serviceOf({ name: { name }, date }: Wanted, { region }: VerbContext): LogOf {
  return { kind: "service", region, name, date };
}

function jobOf({ name: { name }, instance, date }: JobWanted, { settings }: VerbContext): LogOf {
  return { kind: "job", region: settings.jobsRegion, name, instance, date };
}

async function linesOf(log: LogOf, first: Wanted["first"], context: VerbContext): Promise<readonly LogLine[]> {
  const lines = await readLog(log, first, context);
  if (lines !== undefined) return lines;
  const { name } = log;
  if (log.kind === "service") throw await unknownName({ kind: log.kind, name }, context);
  throw new UserError(`Job ${name} has no instance ${log.instance}.`, {
    next: `\`${context.settings.command} show job/${name}\` lists its instances.`,
  });
}

/** The log of a service, or of one instance of a job. */
export type LogOf = Pick<Logged, "region" | "name"> & { readonly date: string } & (
    | { readonly kind: "service" }
    | { readonly kind: "job"; readonly instance: string }
  );

/** A page of a log, with one call; undefined where there is no such log. */
export async function readLog(
  log: LogOf,
  page: Pick<LogPage, "from" | "size">,
  { api, settings, signal }: Pick<VerbContext, "api" | "settings" | "signal">,
  budgetMs?: number,
): Promise<readonly LogLine[] | undefined> {
  const { region, name, date } = log;
  const query = { date, ...logQuery({ mode: settings.logFrom, ...page }) };
  const how = { signal, ...(budgetMs !== undefined && { budgetMs }) };
  if (log.kind === "service") {
    const path = { region, service_name: name };
    return orMissing(api.send({ op: "getServiceLogs", path, query, body: undefined }, how), name);
  }
  const { instance } = log;
  const path = { region, job_name: name, instance_name: instance };
  const lines = await orMissing(api.send({ op: "getJobInstanceLogs", path, query, body: undefined }, how), name);
  return lines?.map((text) => ({ instance_name: instance, log: text }));
}

export function recordsOf(lines: readonly LogLine[]): readonly (LogRecord & { readonly instance?: string })[] {
  return lines.map((line) => ({
    ...(line.instance_name && { instance: line.instance_name }),
    text: line.log,
  }));
}
