import { z } from "zod";
import { type Fits, fitsOf, type Differences, type Tied } from "./fits.ts";
import type { Guarded } from "./redacted.ts";
import type * as spec from "./schema.ts";
import { Job, identity, listOf, lenient, text, Service } from "./workload-shapes.ts";
import type { OperationId } from "./operations.ts";

export type { EnvVar, Event, Job, JobContainer, Sidecar } from "./workload-shapes.ts";
export type { Service, ServiceContainer, ServiceVolume } from "./workload-shapes.ts";

/** One message of a service's log. */
type Line = { instance_name?: string; log: string };
export type LogLine = Tied<Line, Differences<Line, spec.ServiceLogEntry>>;

/** An entry of a list as an answer holds it; none if it lacks its name. */
function entryReader<Item extends z.ZodType>(item: Item): (value: unknown) => readonly z.output<Item>[] {
  const fits = fitsOf(item);
  return (value) => {
    if (fits(value)) return [value as z.output<Item>]; // the schema would return the same
    const read = item.safeParse(value);
    return read.success ? [read.data] : [];
  };
}

const readJob = entryReader(Job);
const readService = entryReader(Service);

const List = z.looseObject({ region: lenient(identity), not_listed: lenient(listOf(identity)) });
type List = Tied<z.output<typeof List>, Differences<z.output<typeof List>, spec.JobList | spec.ServiceList>>;

/** An empty list may be null or missing. An answer with other keys but without the list isn't an answer of this API. */
function listUnder<Item>(key: "jobs" | "services", read: (value: unknown) => readonly Item[]) {
  return List.refine(
    (answer) => key in answer || Object.keys(answer).every((name) => name === "region"),
    `it has no ${key}`,
  )
    .refine((answer) => Array.isArray(answer[key] ?? []), `${key} isn't a list`)
    .transform((answer: List) => {
      const raw: readonly unknown[] = Array.isArray(answer[key]) ? answer[key] : [];
      const items = raw.flatMap(read);
      // Entries without a name are dropped; the count is shown to people.
      return { ...answer, items, skipped: raw.length - items.length };
    });
}

const JobList = listUnder("jobs", readJob).transform(({ items, ...rest }) => ({ ...rest, jobs: items }));
const ServiceList = listUnder("services", readService).transform(({ items, ...rest }) => ({
  ...rest,
  services: items,
}));

/** Every entry becomes one line: paging relies on the number of lines. */
const LogEntries = z
  .array(z.unknown())
  .nullable()
  .transform((entries) => (entries ?? []).map(logLine));

const LogObject = z.looseObject({ instance_name: lenient(text), log: text });

function logLine(entry: unknown): LogLine {
  if (typeof entry === "string") return { log: entry };
  const read = LogObject.safeParse(entry);
  if (read.success) {
    const { instance_name, log } = read.data;
    return instance_name === undefined ? { log } : { instance_name, log };
  }
  const instance = z.looseObject({ instance_name: identity, log: z.null().optional() }).safeParse(entry);
  if (instance.success) return { instance_name: instance.data.instance_name, log: "" };
  return { log: entry === null ? "" : JSON.stringify(entry) };
}

const Done = z.unknown().transform(() => ({}));

const JobDeletion = z.looseObject({ jobName: lenient(text) });
type JobDeletion = Tied<z.output<typeof JobDeletion>, Differences<z.output<typeof JobDeletion>, spec.DeletedJob>>;
const DeletedJob = z.unknown().transform((body): JobDeletion => JobDeletion.catch({}).parse(body));

const ServiceDeletion = z.looseObject({ message: text });
type Deleted = Partial<z.output<typeof ServiceDeletion>>;
type ServiceDeletion = Tied<Deleted, Differences<Deleted, spec.DeletedServiceJson>>;
/** In text or in JSON. */
const DeletedService = z.unknown().transform((body): ServiceDeletion => {
  const message = typeof body === "string" ? body : ServiceDeletion.safeParse(body).data?.message;
  return message === undefined || message === "" ? {} : { message };
});

/** How a long list is read, without its object around it. */
export const listsInSlices = {
  listJobs: { key: "jobs", read: readJob, readBrief: readBriefJob },
  listServices: { key: "services", read: readService, readBrief: readBriefService },
} as const; // the key decides the operation's answer

/** Of its containers, which are most of it, only their environment stays, which is removed from logs. */
function readBriefService(value: unknown): ReturnType<typeof readService> {
  const read = readService(value);
  for (const service of read) {
    if (service.containers !== undefined) service.containers = withEnv(service.containers);
  }
  return read;
}

function readBriefJob(value: unknown): ReturnType<typeof readJob> {
  const read = readJob(value);
  for (const { spec } of read) {
    const containers = spec?.template?.spec?.containers;
    if (spec !== undefined) spec.template = containers && { spec: { containers: withEnv(containers) } };
  }
  return read;
}

function withEnv<Container extends { env?: unknown }>(containers: readonly Container[]): Pick<Container, "env">[] {
  return containers.flatMap(({ env }) => (env === undefined ? [] : [{ env }]));
}

/**
 * One schema per operation, no stricter than the service. Unknown fields are kept; missing and null ones are undefined.
 */
export const answerShapes = {
  listJobs: JobList,
  getJob: Job,
  createJob: z.looseObject({ job: Job }),
  deleteJob: DeletedJob,
  getJobInstanceLogs: LogEntries.transform((lines) => lines.map(({ log }) => log)),
  listServices: ServiceList,
  getService: Service,
  createService: Service,
  deleteService: DeletedService,
  updateService: Done,
  startService: Done,
  stopService: Done,
  restartService: Done,
  getServiceLogs: LogEntries,
} satisfies { readonly [Op in OperationId]: z.ZodType };

/** Whether an answer is already what its schema would make of it. */
export const answerFits = Object.fromEntries(
  Object.entries(answerShapes).map(([op, shape]) => [op, fitsOf(shape)]),
) as Readonly<Record<OperationId, Fits>>; // the same keys

/** The result of `send`. */
export type ParsedAnswer<Op extends OperationId> = z.output<(typeof answerShapes)[Op]>;
/** The same once its words are redacted. */
export type Answer<Op extends OperationId> = Guarded<ParsedAnswer<Op>>;
