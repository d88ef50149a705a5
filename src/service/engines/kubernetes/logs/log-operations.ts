import { type Engine, type EngineRequest, Refusal } from "../../../engine.ts";
import { requestedDay } from "../../../workloads/logs/log-writer.ts";
import type { FoundJob } from "../read/jobs/found-job.ts";
import { findCronJob, type FoundCronJob } from "../read/jobs/find-cron-jobs.ts";
import { findJob } from "../read/jobs/find-jobs.ts";
import { findService } from "../read/find-services.ts";
import { jobPlace, notFound, servicePlace } from "../read/place.ts";
import type { KubernetesParts } from "../region.ts";
import { jobInstances } from "./logged-instances.ts";
import { loggedJob, loggedService } from "./logged-workload.ts";
import type { RegionLogs } from "./region-logs.ts";

/** `logsOf` says where the logs of a configured region are. */
export type LogOperationsParts = KubernetesParts & { readonly logsOf: (region: string) => RegionLogs };

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
        const known = await jobInstances(job, logs);
        throw new Refusal(404, `job ${job.name} has no instance ${instance}: ${use(known)}`);
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
  return loggedService(place, found);
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

function pageOf({ query, signal }: LogRequest, { now }: LogOperationsParts) {
  const { date, from = 0, size = 100 } = query ?? {};
  return { day: requestedDay(date, now()), from, size, signal };
}

/** The newest ones, in a sentence. */
const NAMED = 5;

function use(instances: readonly string[]): string {
  return instances.length === 0 ? "none of its pods exist now" : `use ${instances.slice(-NAMED).join(" or ")}`;
}
