import type { AccountApi } from "../api/client.ts";
import { logDate } from "../api/log-pages.ts";
import { Problem } from "../api/problem.ts";
import type { WorkloadRef } from "./change.ts";

export type FailingLinesDeps = {
  readonly api: AccountApi;
  readonly signal: AbortSignal;
  /** Milliseconds since 1970: in which day the log is read. */
  readonly nowMs: () => number;
  /** The IANA zone in which the service cuts its logs into days. Default: UTC. */
  readonly logZone?: string;
  /** Removes control characters and secrets from one instance's lines. Returns as many lines as it gets, or none. */
  readonly redact: (lines: readonly string[]) => Promise<readonly string[]>;
};

/** How many lines are read, so that those of one instance are among them, and how many are kept. */
const READ = 100;
const KEPT = 20;
/** Of one line, in characters. */
const LONGEST = 500;

// What programs and those who run them write when one ends badly. It only chooses between instances.
const badEnd =
  /\b(?:crash\w*|exited|exit code|fatal|panic\w*|killed|out of memory|oom\w*|uncaught|traceback|back-?off|restart\w*|started again)\b/iu;

/**
 * The newest lines of the instance that fails, oldest first: of the one that is named, else of the one that wrote last
 * of a bad end, else of the one that wrote last. One call; empty when they cannot be read.
 */
export async function failingLines(
  workload: WorkloadRef,
  instance: string | undefined,
  deps: FailingLinesDeps,
): Promise<readonly string[]> {
  try {
    const lines = await (workload.kind === "job" ? jobLines(workload, instance, deps) : serviceLines(workload, deps));
    // Redacted before the cut: a secret may run over lines, and half of one is not recognised.
    const redacted = (await deps.redact(lines)).slice(-KEPT);
    return redacted.map((line) => (line.length <= LONGEST ? line : `${line.slice(0, LONGEST).toWellFormed()}…`));
  } catch (error) {
    if (error instanceof Problem) return [];
    throw error;
  }
}

async function jobLines(
  { region, name }: WorkloadRef,
  instance: string | undefined,
  deps: FailingLinesDeps,
): Promise<readonly string[]> {
  if (instance === undefined) return [];
  const path = { region, job_name: name, instance_name: instance };
  const { api, signal } = deps;
  return api.send({ op: "getJobInstanceLogs", path, query: queryOf(deps), body: undefined }, { signal });
}

async function serviceLines({ region, name }: WorkloadRef, deps: FailingLinesDeps): Promise<readonly string[]> {
  const path = { region, service_name: name };
  const { api, signal } = deps;
  const lines = await api.send({ op: "getServiceLogs", path, query: queryOf(deps), body: undefined }, { signal });
  const failing = (lines.findLast(({ log }) => badEnd.test(log)) ?? lines.at(-1))?.instance_name;
  return lines.filter(({ instance_name }) => instance_name === failing).map(({ log }) => log);
}

function queryOf({ nowMs, logZone = "UTC" }: FailingLinesDeps) {
  return { date: logDate(new Date(nowMs()), logZone), from: 0, size: READ };
}
