import type {
  Job,
  Service as ServiceBody,
  Job as JobBody,
  JobContainer,
  ServiceContainer,
} from "../../../../api/schema.ts";
import type { Engine, Refusal } from "../../../engine.ts";
import { listedJob, readJob } from "../../../workloads/jobs/job-answer.ts";
import { listedService, readService } from "../../../workloads/services/service-answer.ts";
import { cronJobBody, findCronJob, findCronJobs, nextJob } from "./cron-jobs.ts";
import { findJob, findJobs, type FoundJob } from "./jobs.ts";
import { creationFailure, type ReadEvents, readEvents } from "./events.ts";
import { findService, findServices, type FoundService } from "./services.ts";
import { otherKind, jobPlace, namespaceField, notFound, type Place, type ReadParts, servicePlace } from "./place.ts";
import {
  cronJobOwnership,
  jobOwner,
  jobOwnership,
  serviceOwner,
  serviceOwnership,
} from "../write/refused-operations.ts";
import { type CachedKind, jobKinds, serviceKinds } from "../cache/namespace-cache.ts";
import { knownRevisions, rolloutOf } from "./rollout.ts";
import { serviceStatus } from "./service-status.ts";
import { hostname } from "node:os";
import type { Pod } from "../cluster/kinds.ts";
import { type PodTemplate, quantityMib } from "./containers.ts";

export function readOperations(parts: ReadParts): Pick<Engine, "listServices" | "getService" | "listJobs" | "getJob"> {
  return {
    async listServices(request) {
      const place = await servicePlace(parts, request);
      const { region, reading } = place;
      const found = findServices(region, reading);
      return {
        region: request.path.region,
        services: found.map((each) => ({
          ...listedService(each.service, each.status, serviceOwner(each)),
          ...namespaceField(place, each),
        })),
        ...unlisted(place, serviceKinds(region.config)),
      };
    },
    async getService(request) {
      const place = await servicePlace(parts, request);
      const { region, reading } = place;
      const name = request.path.service_name;
      const listed = findService(region, { ...reading, name });
      if (!listed) throw await unknownName(place, "service", name);
      const { source, pods, autoscaler } = listed;
      const kept = await knownRevisions(place, source);
      const found = { ...listed, status: serviceStatus(source, pods, { ...reading, kept, autoscaler }) };
      const body = readService(found.service, found.status, serviceOwnership(found, region.config));
      return {
        ...withServiceDetails(body, found),
        ...(await serviceEvents(place, found)),
        ...namespaceField(place, found),
      };
    },
    async listJobs(request) {
      const place = await jobPlace(parts, request);
      const { region, reading } = place;
      const jobs = findJobs(region, reading).map((each) => listedJob(each.job, each.around, jobOwner(each)));
      const cronJobs = findCronJobs(region, reading).map((each) =>
        cronJobBody(each, reading, { managedBy: each.owner?.words }),
      );
      return {
        jobs: [...jobs, ...cronJobs],
        ...unlisted(place, jobKinds(region.config)),
      };
    },
    async getJob(request) {
      const place = await jobPlace(parts, request);
      const name = request.path.job_name;
      const found = findJob(place.region, { ...place.reading, name });
      if (!found) return await readCronJob(place, name);
      const ownership = jobOwnership(found, place.region.config);
      const events = await jobEvents(place, found);
      const body = withJobDetails(readJob(found.job, found.around, ownership), found);
      return { ...body, instance_names: instancesOf(found), ...events };
    },
  };
}

type Unwell = Pick<ServiceBody, "message" | "events" | "events_not_read">;

/** Only of one that isn't well: each costs the cluster up to four requests. */
async function serviceEvents(place: Place, { source, status, pods }: FoundService): Promise<Unwell> {
  const { state, message, restartCount = 0 } = status;
  const isAtRest = state === "Stopped" || state === "Idle" || state === "Deleting";
  if (isAtRest || (state === "Running" && message === undefined && restartCount === 0)) return {};
  const read = await readEvents(place, { workload: source.object.metadata, pods });
  const { replicas, wanted } = rolloutOf(source);
  const why = message ?? (replicas < wanted ? creationFailure(read) : undefined);
  return { ...eventFields(read), ...(why !== undefined && { message: why }) };
}

async function jobEvents(place: Place, { job, around, object, pods }: FoundJob): Promise<Unwell> {
  const { message, restartCount = 0 } = around;
  const isRunning = pods.length > 0 && message === undefined && restartCount === 0;
  if (job.outcome === "complete" || object.spec.suspend === true || isRunning) return {};
  const read = await readEvents(place, { workload: object.metadata, pods });
  const why = pods.length === 0 && job.outcome === undefined ? creationFailure(read) : undefined;
  return { ...eventFields(read), ...(why !== undefined && { message: why }) };
}

function eventFields({ events, notRead }: ReadEvents): Unwell {
  return {
    ...(events.length > 0 && { events: [...events] }),
    ...(notRead !== undefined && { events_not_read: notRead }),
  };
}

async function unknownName(place: Place, noun: "service" | "job", name: string): Promise<Refusal> {
  const instead = await otherKind(place, name);
  return notFound(place, `no ${noun} is named ${name}: check the name`, { instead });
}

async function readCronJob(place: Place, name: string): Promise<Job> {
  const { region, reading } = place;
  const found = findCronJob(region, { ...reading, name });
  if (!found) throw await unknownName(place, "job", name);
  const body = cronJobBody(found, reading, cronJobOwnership(found, region.config));
  const object = nextJob(found);
  // The log that people want is that of its newest run.
  const last = found.jobs.at(-1);
  return {
    instance_names: last ? instancesOf(last) : [],
    ...(object === undefined ? body : withJobDetails(body, { object, pods: [] })),
  };
}

/** Oldest first. */
function instancesOf({ pods }: FoundJob): string[] {
  return pods.map(({ metadata }) => metadata.name);
}

/** What the list lacks because of namespaces, rights and APIs of the cluster: each sentence once. */
function unlisted({ region, reading, leftOut }: Place, kinds: readonly CachedKind[]) {
  const { namespaces } = reading;
  const unread = namespaces.flatMap((namespace) =>
    region
      .cacheOf(namespace)
      .unread(kinds)
      .map((why) => ({ namespace, why })),
  );
  const byWhy = Map.groupBy(unread, ({ why }) => why);
  const sentences = [...byWhy].map(([why, of]) => {
    const where = of.map(({ namespace }) => namespace).join(", ");
    return of.length === namespaces.length ? why : `Namespace ${where}: ${why}`;
  });
  const all = [...leftOut.map(({ sentences }) => sentences), ...sentences];
  return all.length === 0 ? {} : { not_listed: all };
}

/** What only the read of one service tells: what else its instances consist of. */
export function withServiceDetails(body: ServiceBody, found: FoundService): ServiceBody {
  const { source, pods, status } = found;
  const { isUpdated } = rolloutOf(source);
  const { template } = source.object.spec;
  const initDigests = status.imageDigests?.slice(template.spec.containers.length);
  return {
    ...body,
    // Until an update is done, its old instances have the old limits.
    ...(isUpdated && body.containers && { containers: withMemoryNow(body.containers, pods) }),
    ...templateDetails(template, initDigests),
    // The name of a pod is its host name.
    ...(pods.some(({ metadata }) => metadata.name === hostname()) && { runs_this_api: true }),
    ...startCommand(found),
  };
}

function startCommand({ source: { kind, object }, service }: FoundService): Pick<ServiceBody, "start_command"> {
  if (kind === "DaemonSet") return {};
  const { namespace, name } = object.metadata;
  const size = Math.max(1, service.definition.size);
  return { start_command: `kubectl -n ${namespace} scale ${kind.toLowerCase()}/${name} --replicas=${size}` };
}

/** The same of a job, or of the next job of a CronJob, which has no pods. */
export function withJobDetails(body: JobBody, { object, pods }: Pick<FoundJob, "object" | "pods">): JobBody {
  const { spec } = body;
  const template = spec?.template;
  const containers = template?.spec?.containers;
  return {
    ...body,
    ...(containers && {
      spec: {
        ...spec,
        template: { ...template, spec: { ...template.spec, containers: withMemoryNow(containers, pods) } },
      },
    }),
    ...templateDetails(object.spec.template),
  };
}

/** https://kubernetes.io/docs/tasks/configure-pod-container/resize-container-resources/ */
function withMemoryNow<C extends ServiceContainer | JobContainer>(containers: readonly C[], pods: readonly Pod[]): C[] {
  const running = pods.filter(({ metadata, status }) => {
    return metadata.deletionTimestamp === undefined && status.phase === "Running";
  });
  const statuses = running.flatMap(({ status }) => status.containerStatuses);
  return containers.map((container) => {
    const limits = statuses.flatMap(({ name, resources }) => {
      return name === container.name ? (memoryMib(resources) ?? []) : [];
    });
    const wanted = Number.parseInt(container.resources?.limits?.memory?.toString() ?? "", 10);
    const now = [...new Set(limits)].toSorted((left, right) => left - right);
    return now.every((limit) => limit === wanted) ? container : { ...container, memory_now: now.map(String) };
  });
}

type Resources = PodTemplate["spec"]["resources"];

function memoryMib(resources: Resources): number | undefined {
  const limit = resources?.limits?.["memory"];
  return limit === undefined ? undefined : quantityMib(limit);
}

function templateDetails(
  { spec }: PodTemplate,
  digests?: readonly (string | undefined)[],
): Pick<ServiceBody, "init_containers" | "sidecars" | "instance_memory"> {
  const all = spec.initContainers.map(({ name, image, resources, restartPolicy }, at) => {
    const memory = memoryMib(resources);
    const digest = digests?.[at];
    const limits = memory === undefined ? {} : { limits: { memory: String(memory) } };
    return {
      restartPolicy,
      told: { name, image, ...(digest !== undefined && { image_digest: digest }), resources: limits },
    };
  });
  const sidecars = all.filter(({ restartPolicy }) => restartPolicy === "Always");
  const whole = memoryMib(spec.resources);
  return {
    ...(all.length > 0 && { init_containers: all.map(({ told }) => told) }),
    ...(sidecars.length > 0 && { sidecars: sidecars.map(({ told }) => told) }),
    ...(whole !== undefined && { instance_memory: String(whole) }),
  };
}
