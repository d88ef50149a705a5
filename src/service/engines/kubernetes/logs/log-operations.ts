import type { Clock } from "../../../../platform/clock.ts";
import { within } from "../../../../platform/waiting.ts";
import { type Engine, type EngineRequest, Refusal } from "../../../engine.ts";
import { requestedDay } from "../../../workloads/logs/log-writer.ts";
import { type FoundJob, findJob } from "../read/jobs.ts";
import { findCronJob, type FoundCronJob } from "../read/cron-jobs.ts";
import { findService } from "../read/services.ts";
import { jobPlace, notFound, servicePlace, type Place } from "../read/place.ts";
import type { KubernetesParts } from "../regions.ts";
import type { RegionLogs, LoggedWorkload } from "./region-logs.ts";
import type { KubeObject } from "../cluster/kinds.ts";

/** `logsOf` says where the logs of a configured region are. */
type LogOperationsParts = KubernetesParts & { readonly logsOf: (region: string) => RegionLogs };

/** Logs are read from where they are stored, never from the pods: those know no days, and forget. */
export function logOperations(parts: LogOperationsParts): Pick<Engine, "getServiceLogs" | "getJobInstanceLogs"> {
  return {
    async getServiceLogs(request) {
      const service = await serviceOf(parts, request);
      const lines = await parts.logsOf(service.region).page(service, pageOf(request, parts));
      return lines.map(({ instance, line }) => ({ instance_name: instance, log: line }));
    },
    async getJobInstanceLogs(request) {
      const job = await jobOf(parts, request);
      const logs = parts.logsOf(job.region);
      const instance = request.path.instance_name;
      if (!job.pods.includes(instance) && !(await logs.hasInstance(job, instance, request.signal))) {
        const known = await jobInstances(job, logs, parts.clock);
        const hint = known.length === 0 ? "none of its pods exist now" : `use ${known.slice(-NAMED).join(" or ")}`;
        throw new Refusal(404, `job ${job.name} has no instance ${instance}: ${hint}`);
      }
      const lines = await logs.page(job, { ...pageOf(request, parts), instance });
      return lines.map(({ line }) => line);
    },
  };
}

async function serviceOf(parts: LogOperationsParts, request: EngineRequest<"getServiceLogs">) {
  const place = await servicePlace(parts, request);
  const name = request.path.service_name;
  const found = findService(place.region, { ...place.reading, name });
  if (!found) throw notFound(place, `no service is named ${name}: check the name`);
  return loggedWorkload(place, found.source, { name: found.service.name, pods: found.pods });
}

async function jobOf(parts: LogOperationsParts, request: EngineRequest<"getJobInstanceLogs">) {
  const place = await jobPlace(parts, request);
  const name = request.path.job_name;
  const reading = { ...place.reading, name };
  const found = findJob(place.region, reading) ?? runOf(findCronJob(place.region, reading), request.path.instance_name);
  if (!found) throw notFound(place, `no job is named ${name}: check the name`);
  return loggedJob(place, found);
}

/** The run that an instance is of; the newest one if its pod is gone. */
function runOf(cronJob: FoundCronJob | undefined, instance: string): FoundJob | undefined {
  const runs = cronJob?.jobs ?? [];
  return runs.findLast(({ object }) => instance.startsWith(`${object.metadata.name}-`)) ?? runs.at(-1);
}

type LogRequest = EngineRequest<"getServiceLogs"> | EngineRequest<"getJobInstanceLogs">;

function pageOf({ query, signal }: LogRequest, { clock }: LogOperationsParts) {
  const { date, from = 0, size = 100 } = query ?? {};
  return { day: requestedDay(date, clock.now()), from, size, signal };
}

/** The newest ones, in a sentence. */
const NAMED = 5;

export function loggedJob(place: Place, { object, job, pods }: FoundJob): LoggedWorkload {
  return loggedWorkload(place, { kind: "Job", object }, { name: job.name, pods });
}

type Source = Pick<LoggedWorkload, "kind"> & { readonly object: Pick<KubeObject<"Pod">, "metadata"> };

function loggedWorkload(
  { region }: Pick<Place, "region">,
  { kind, object: { metadata } }: Source,
  { name, pods }: { readonly name: string; readonly pods: readonly KubeObject<"Pod">[] },
): LoggedWorkload {
  return {
    region: region.config.region,
    namespace: metadata.namespace,
    uid: metadata.uid,
    name,
    kind,
    objectName: metadata.name,
    createdAt: metadata.creationTimestamp,
    pods: pods.map(({ metadata }) => metadata.name),
  };
}

/** A job is read without its log sooner than it waits for a database that hangs. */
const PATIENCE_MS = 2_000;

/**
 * The instances of a job, oldest first: those whose log can be read, and its pods. Kubernetes deletes the pod of a job that
 * used up its retries, and its log is what people look for then. Never rejects: without the logs, it is the pods.
 */
export async function jobInstances(
  job: LoggedWorkload,
  logs: RegionLogs,
  clock: Pick<Clock, "after">,
): Promise<readonly string[]> {
  const logged = await within(
    PATIENCE_MS,
    logs.instances(job).catch(() => []),
    () => [],
    clock,
  );
  // Notes about the job as a whole are in its own name.
  const gone = logged.filter((instance) => instance !== job.objectName && !job.pods.includes(instance));
  return [...gone, ...job.pods];
}
