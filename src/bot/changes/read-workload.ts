import type { Redacted } from "../../api/redacted.ts";
import type { Clock } from "../../platform/clock.ts";
import type { Job, LogLine, Service } from "../../api/answers.ts";
import type { GuardedAccountApi } from "../../api/client.ts";
import { Problem } from "../../api/problem.ts";
import type { WorkloadRef } from "./change.ts";
import { jobSnapshot, serviceSnapshot, type Snapshot } from "./updatable-fields.ts";
import { logDate } from "../../api/log-pages.ts";

/** The account that reads, until the bot has to stop. */
export type Reading = { readonly api: GuardedAccountApi; readonly signal: AbortSignal };

/** Without a service and a job, the workload doesn't exist. */
export type WorkloadRead = { readonly service?: Service | undefined; readonly job?: Job | undefined };

export type SnapshotRead = { readonly snapshot: Snapshot; readonly read: WorkloadRead };

/** Reads a workload with one call. A 404 is an answer; any other `Problem` is returned, not thrown. */
export async function readWorkload(
  { kind, region, name }: WorkloadRef,
  { api, signal }: Reading,
): Promise<WorkloadRead | Problem> {
  try {
    if (kind === "job") {
      const path = { region, job_name: name };
      return { job: await api.send({ op: "getJob", path, query: undefined, body: undefined }, { signal }) };
    }
    const path = { region, service_name: name };
    return { service: await api.send({ op: "getService", path, query: undefined, body: undefined }, { signal }) };
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    return error.status === 404 ? {} : error;
  }
}

/** `readWorkload`, reduced to the fields that a write can change or depends on. */
export async function readSnapshot(workload: WorkloadRef, deps: Reading): Promise<SnapshotRead | Problem> {
  const read = await readWorkload(workload, deps);
  if (read instanceof Problem) return read;
  if (read.job !== undefined) return { snapshot: jobSnapshot(read.job), read };
  return { snapshot: read.service === undefined ? undefined : serviceSnapshot(read.service), read };
}

/** Finds a workload in a list that was read for others. Undefined: it isn't there, or only in part. */
export type ReadInList = (workload: WorkloadRef) => Promise<SnapshotRead | Problem | undefined>;

/** Finds a workload in a list, by its name. Undefined also where the list is so long that it lacks images. */
export function snapshotIn(items: ReadonlyMap<string, Service | Job>, { name }: WorkloadRef): SnapshotRead | undefined {
  const item = items.get(name);
  if (item === undefined) return undefined;
  if (isJob(item)) return { snapshot: jobSnapshot(item), read: { job: item } };
  const isBrief = item.containers?.some(({ image }) => image === undefined) === true;
  return isBrief ? undefined : { snapshot: serviceSnapshot(item), read: { service: item } };
}

export function isJob(item: Service | Job): item is Job {
  return "metadata" in item;
}

export type LogReading = Reading & {
  /** Decides the day of the log. */
  readonly clock: Pick<Clock, "now">;
  /** The IANA zone of the service's log days. Default: UTC. */
  readonly logZone?: string;
  /** Removes control characters and secrets from one instance's lines, and cuts long ones. Returns as many lines as it gets, or none. */
  readonly redact: (lines: readonly string[]) => Promise<readonly Redacted[]>;
};

/** Lines read, so that one instance's are among them, and lines kept. */
const READ = 100;
const KEPT = 20;

// Words that programs and runtimes log for a crash. They only select the instance.
const badEnd =
  /\b(?:crash\w*|exited|exit code|fatal|panic\w*|killed|out of memory|oom\w*|uncaught|traceback|back-?off|restart\w*|started again)\b/iu;

/** What is known about the failing instance. */
export type Failing = {
  readonly instance?: string | undefined;
  /** May name it: "web-0 is waiting: it doesn't answer on its port". */
  readonly sentence?: string | undefined;
  /** The instances that exist, where that is known: an unnamed failing instance is one of them. */
  readonly present?: readonly string[] | undefined;
};

/** The instances of a service that exist. Undefined during a rollout: a new instance that failed may be gone already. */
export function presentIn({ service }: WorkloadRead): readonly string[] | undefined {
  const { state } = service?.rollout ?? {};
  return state === "progressing" || state === "stuck" ? undefined : service?.instance_names;
}

/**
 * The last lines of the failing instance, oldest first: the given or named one, else the last to log a crash, else the
 * last to log anything. One call; empty when the log can't be read.
 */
export async function failingLines(
  workload: WorkloadRef,
  { instance, ...known }: Failing,
  deps: LogReading,
): Promise<readonly Redacted[]> {
  try {
    const lines = await (workload.kind === "job"
      ? jobLines(workload, instance, deps)
      : serviceLines(workload, known, deps));
    return (await deps.redact(lines)).slice(-KEPT);
  } catch (error) {
    if (error instanceof Problem) return [];
    throw error;
  }
}

async function jobLines(
  { region, name }: WorkloadRef,
  instance: string | undefined,
  deps: LogReading,
): Promise<readonly string[]> {
  if (instance === undefined) return [];
  const path = { region, job_name: name, instance_name: instance };
  const { api, signal } = deps;
  return api.send({ op: "getJobInstanceLogs", path, query: queryOf(deps), body: undefined }, { signal });
}

async function serviceLines(
  { region, name }: WorkloadRef,
  { sentence = "", present }: Failing,
  deps: LogReading,
): Promise<readonly string[]> {
  const path = { region, service_name: name };
  const { api, signal } = deps;
  const lines = await api.send({ op: "getServiceLogs", path, query: queryOf(deps), body: undefined }, { signal });
  const writers = new Set(lines.map(({ instance_name }) => instance_name));
  const isPresent = ({ instance_name: writer }: LogLine): boolean =>
    writer === undefined || (present?.includes(writer) ?? true);
  const left = lines.filter(isPresent);
  const failing =
    namedIn(sentence, [...writers]) ?? (left.findLast(({ log }) => badEnd.test(log)) ?? left.at(-1))?.instance_name;
  return lines.filter(({ instance_name }) => instance_name === failing).map(({ log }) => log);
}

/** The newest instance that the sentence names. Our workload API logs the successor of web-0 as web-0-g1: both count. */
function namedIn(sentence: string, writers: readonly (string | undefined)[]): string | undefined {
  const words = new Set(sentence.split(/[^\w-]+/u));
  const successors = writers.flatMap((writer) => {
    // A log needn't name instances. "" would match any sentence that ends with a full stop.
    if (writer === undefined) return [];
    const [, instance = writer, generation = 0] = /^(.+)-g(\d{1,9})$/u.exec(writer) ?? [];
    return words.has(writer) || words.has(instance) ? [{ writer, generation: Number(generation) }] : [];
  });
  return successors.toSorted((left, right) => right.generation - left.generation)[0]?.writer;
}

function queryOf({ clock, logZone = "UTC" }: LogReading) {
  return { date: logDate(clock.now(), logZone), from: 0, size: READ };
}
