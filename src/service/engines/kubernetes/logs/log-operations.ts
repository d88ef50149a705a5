import { type Engine, type EngineRequest, Refusal } from "../../../engine.ts";
import { requestedDay } from "../../../workloads/logs/log-writer.ts";
import { type FoundJob, findJob } from "../read/jobs.ts";
import { findCronJob, type FoundCronJob } from "../read/cron-jobs.ts";
import { findService } from "../read/services.ts";
import { jobPlace, notFound, type ReadParts, servicePlace } from "../read/place.ts";
import type { Region } from "../regions.ts";
import { KEPT, liveLogs } from "./live-logs.ts";
import { lokiLogs } from "./loki.ts";
import type { KubeObject } from "../cluster/kinds.ts";
import type { LoggedWorkload, RegionLogs } from "./region-logs.ts";

/** Logs are read from the region's Loki, or else live from Kubernetes. */
export function logOperations(parts: ReadParts): Pick<Engine, "getServiceLogs" | "getJobInstanceLogs"> {
  return {
    async getServiceLogs(request) {
      const { region, service } = await serviceOf(parts, request);
      const lines = await logsOf(region, parts).page(service, pageOf(request, parts));
      return lines.map(({ instance, line }) => ({ instance_name: instance, log: line }));
    },
    async getJobInstanceLogs(request) {
      const { region, job } = await jobOf(parts, request);
      const logs = logsOf(region, parts);
      const instance = request.path.instance_name;
      if (!job.pods.includes(instance) && !(await logs.hasInstance(job, instance, request.signal))) {
        const none = `none of its pods exist now${region.config.logs ? "" : `. ${KEPT}`}`;
        const hint = job.pods.length === 0 ? none : `use ${job.pods.slice(-NAMED).join(" or ")}`;
        throw new Refusal(404, `job ${job.name} has no instance ${instance}: ${hint}`);
      }
      const lines = await logs.page(job, { ...pageOf(request, parts), instance });
      return lines.map(({ line }) => line);
    },
  };
}

function logsOf(region: Region, { clock }: ReadParts): RegionLogs {
  const { logs } = region.config;
  return logs ? lokiLogs(logs.loki, clock) : liveLogs({ region, clock });
}

async function serviceOf(parts: ReadParts, request: EngineRequest<"getServiceLogs">) {
  const place = await servicePlace(parts, request);
  const name = request.path.service_name;
  const found = findService(place.region, { ...place.reading, name });
  if (!found) throw notFound(place, `no service is named ${name}: check the name`);
  const { source, pods, service } = found;
  return { region: place.region, service: loggedWorkload(source, { name: service.name, pods }) };
}

async function jobOf(parts: ReadParts, request: EngineRequest<"getJobInstanceLogs">) {
  const place = await jobPlace(parts, request);
  const name = request.path.job_name;
  const reading = { ...place.reading, name };
  const found = findJob(place.region, reading) ?? runOf(findCronJob(place.region, reading), request.path.instance_name);
  if (!found) throw notFound(place, `no job is named ${name}: check the name`);
  const { object, pods, job } = found;
  return { region: place.region, job: loggedWorkload({ kind: "Job", object }, { name: job.name, pods }) };
}

/** The run that an instance is of; the newest one if its pod is gone. */
function runOf(cronJob: FoundCronJob | undefined, instance: string): FoundJob | undefined {
  const runs = cronJob?.jobs ?? [];
  return runs.findLast(({ object }) => instance.startsWith(`${object.metadata.name}-`)) ?? runs.at(-1);
}

function pageOf({ query, signal }: EngineRequest<"getServiceLogs" | "getJobInstanceLogs">, { clock }: ReadParts) {
  const { date, from = 0, size = 100 } = query ?? {};
  return { day: requestedDay(date, clock.now()), from, size, signal };
}

/** The newest ones, in a sentence. */
const NAMED = 5;

type Source = Pick<LoggedWorkload, "kind"> & { readonly object: Pick<KubeObject<"Pod">, "metadata"> };

function loggedWorkload(
  { kind, object: { metadata } }: Source,
  { name, pods }: { readonly name: string; readonly pods: readonly KubeObject<"Pod">[] },
): LoggedWorkload {
  return {
    namespace: metadata.namespace,
    name,
    kind,
    objectName: metadata.name,
    createdAt: metadata.creationTimestamp,
    pods: pods.map(({ metadata }) => metadata.name),
  };
}
