import { logDate, logQuery, momentOnLogDate } from "../../../api/log-pages.ts";
import { serviceStatus } from "../../../api/workload-status.ts";
import { Problem } from "../../../api/problem.ts";
import { UserError } from "../../errors.ts";
import { findFailures, type LogFindings } from "../../logs/failures.ts";
import { goneFrom, rolloutOf } from "../../logs/runs.ts";
import type { ReadCommand, VerbContext } from "../command.ts";
import { refusedRead } from "./authorize.ts";
import { type Found, orMissing } from "./find.ts";

/** Failures in the newest lines of a workload's log; undefined for somebody who may not read it. */
export type LogCheck = LogFindings | "unread" | undefined;

const LINES = 200;
/** A slow log doesn't keep anybody from the workload's status. */
const MOST_MS = 4_000;

/** Reads the newest lines of today's log, with one call, and never throws because of the log. */
export async function checkLog(found: Found, logs: ReadCommand, context: VerbContext): Promise<LogCheck> {
  const { kind, region } = found;
  const name = found.kind === "service" ? found.service.name : found.job.metadata.name;
  const args = { name: `${kind}/${name}` };
  if ((await refusedRead(logs, { ...context.ask, verb: logs.name, args }, context)) !== undefined) return undefined;
  const { settings, now } = context;
  const date = logDate(now, settings.logZone);
  const query = { date, ...logQuery({ mode: settings.logFrom, from: 0, size: LINES }) };
  try {
    const lines = await readLines(found, query, context);
    const read = await context.logs.excerpt({ lines, from: 0, size: LINES }, { kind, region, name });
    const page = {
      lines: read.lines,
      mayHaveOlder: read.mayHaveOlder,
      nowMs: now.getTime(),
      startMs: Math.max(momentOnLogDate(date, settings.logZone).getTime(), createdAt(found)),
    };
    const rolloutMs = found.kind === "service" ? rolloutOf(found.service) : undefined;
    const isGone = goneFrom(found.kind === "service" ? found.service : { name });
    const findings = findFailures({ ...page, rolloutMs, isGone });
    // The reason why it fails may only be in the log of an instance of this rollout that was replaced.
    const others = findings.count === 0 && rolloutMs !== undefined && !isHealthy(found);
    return others ? findFailures({ ...page, rolloutMs }) : findings;
  } catch (error) {
    if (error instanceof Problem || error instanceof UserError) return "unread";
    throw error;
  }
}

function isHealthy(found: Found): boolean {
  return found.kind === "service" && serviceStatus(found.service).level === "healthy";
}

function createdAt(found: Found): number {
  const created = found.kind === "service" ? found.service.created_at : found.job.metadata.creationTimestamp;
  return Date.parse(created ?? "") || 0;
}

type Query = { readonly date: string; readonly from: number; readonly size: number };
type Lines = Parameters<VerbContext["logs"]["excerpt"]>[0]["lines"];

/** None where the API knows no log. A job's instances have a log each; the last one is the newest. */
async function readLines(found: Found, query: Query, { api, signal }: VerbContext): Promise<Lines> {
  const how = { signal, budgetMs: MOST_MS };
  const { region } = found;
  if (found.kind === "service") {
    const path = { region, service_name: found.service.name };
    const lines = await orMissing(api.send({ op: "getServiceLogs", path, query, body: undefined }, how));
    return (lines ?? []).map(({ instance_name, log }) => ({
      text: log,
      ...(instance_name && { instance: instance_name }),
    }));
  }
  const instance = found.job.instance_names?.at(-1);
  if (instance === undefined) return [];
  const path = { region, job_name: found.job.metadata.name, instance_name: instance };
  const lines = await orMissing(api.send({ op: "getJobInstanceLogs", path, query, body: undefined }, how));
  return (lines ?? []).map((text) => ({ text }));
}
