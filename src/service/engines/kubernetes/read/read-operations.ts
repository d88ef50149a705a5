import type { Job, Service as ServiceBody } from "../../../../api/schema.ts";
import type { Clock } from "../../../../platform/clock.ts";
import type { Engine, Refusal } from "../../../engine.ts";
import { listedJob, readJob } from "../../../workloads/jobs/job-answer.ts";
import { listedService, readService } from "../../../workloads/services/service-answer.ts";
import { cronJobBody, findCronJob, findCronJobs, nextJob } from "./cron-jobs.ts";
import { findJob, findJobs, type FoundJob } from "./jobs.ts";
import { withJobDetails, withServiceDetails } from "./details.ts";
import { type AskedEvents, creationFailure, type ReadEvents } from "./events.ts";
import { findService, findServices, type KnownRegion, type FoundService } from "./services.ts";
import {
  cronJobOwnership,
  jobOwner,
  jobOwnership,
  serviceOwner,
  serviceOwnership,
} from "../write/refused-operations.ts";
import { type CachedKind, jobKinds, serviceKinds } from "../cache/namespace-cache.ts";
import type { KeptRevision } from "./revisions.ts";
import { rolloutOf, type ServiceSource } from "./rollout.ts";
import { serviceStatus } from "./service-status.ts";
import { jobPlace, namespaceField, notFound, type Place, type ReadParts, servicePlace } from "./place.ts";

type ReadOperations = Pick<Engine, "listServices" | "getService" | "listJobs" | "getJob">;

type ReadOperationsParts<R extends KnownRegion> = ReadParts<R> & {
  /** What the name is that no workload has. Never rejects. */
  readonly otherKind: (
    place: Place<R>,
    asked: { readonly name: string; readonly signal: AbortSignal },
    clock: Pick<Clock, "limit">,
  ) => Promise<string | undefined>;
  /** The versions of a service's pods; undefined if they can't be read. Never rejects. */
  readonly revisionsOf: (
    place: Place<R>,
    asked: { readonly source: ServiceSource; readonly signal: AbortSignal },
    clock: Pick<Clock, "limit">,
  ) => Promise<readonly KeptRevision[] | undefined>;
  /** What the cluster reports of a workload. Never rejects. */
  readonly eventsOf: (place: Place<R>, asked: AskedEvents, clock: Pick<Clock, "limit">) => Promise<ReadEvents>;
};

export function readOperations<R extends KnownRegion>(parts: ReadOperationsParts<R>): ReadOperations {
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
      const { signal } = request;
      const listed = findService(region, { ...reading, name });
      if (!listed) throw await unknownName(parts, place, { noun: "service", name, signal });
      const { source, pods, autoscaler } = listed;
      const kept = await parts.revisionsOf(place, { source, signal }, parts.clock);
      const found = { ...listed, status: serviceStatus(source, pods, { ...reading, kept, autoscaler }) };
      const body = readService(found.service, found.status, serviceOwnership(found, region.config));
      return {
        ...withServiceDetails(body, found),
        ...(await serviceEvents(parts, place, { found, signal })),
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
      if (!found) return await readCronJob(parts, place, { name, signal: request.signal });
      const ownership = jobOwnership(found, place.region.config);
      const events = await jobEvents(parts, place, { found, signal: request.signal });
      const body = withJobDetails(readJob(found.job, found.around, ownership), found);
      return { ...body, instance_names: instancesOf(found), ...events };
    },
  };
}

type Unwell = Pick<ServiceBody, "message" | "events" | "events_not_read">;

/** Only of one that isn't well: each costs the cluster up to four requests. */
async function serviceEvents<R extends KnownRegion>(
  { eventsOf, clock }: ReadOperationsParts<R>,
  place: Place<R>,
  { found, signal }: { readonly found: FoundService; readonly signal: AbortSignal },
): Promise<Unwell> {
  const { source, status, pods } = found;
  const { state, message, restartCount = 0 } = status;
  const isAtRest = state === "Stopped" || state === "Idle" || state === "Deleting";
  if (isAtRest || (state === "Running" && message === undefined && restartCount === 0)) return {};
  const read = await eventsOf(place, { workload: source.object.metadata, pods, signal }, clock);
  const { replicas, wanted } = rolloutOf(source);
  const why = message ?? (replicas < wanted ? creationFailure(read) : undefined);
  return { ...eventFields(read), ...(why !== undefined && { message: why }) };
}

async function jobEvents<R extends KnownRegion>(
  { eventsOf, clock }: ReadOperationsParts<R>,
  place: Place<R>,
  { found, signal }: { readonly found: FoundJob; readonly signal: AbortSignal },
): Promise<Unwell> {
  const { job, around, object, pods } = found;
  const { message, restartCount = 0 } = around;
  const isRunning = pods.length > 0 && message === undefined && restartCount === 0;
  if (job.outcome === "complete" || object.spec.suspend === true || isRunning) return {};
  const read = await eventsOf(place, { workload: object.metadata, pods, signal }, clock);
  const why = pods.length === 0 && job.outcome === undefined ? creationFailure(read) : undefined;
  return { ...eventFields(read), ...(why !== undefined && { message: why }) };
}

function eventFields({ events, notRead }: ReadEvents): Unwell {
  return {
    ...(events.length > 0 && { events: [...events] }),
    ...(notRead !== undefined && { events_not_read: notRead }),
  };
}

type Sought = { readonly name: string; readonly signal: AbortSignal };

async function unknownName<R extends KnownRegion>(
  { otherKind, clock }: ReadOperationsParts<R>,
  place: Place<R>,
  { noun, ...sought }: Sought & { readonly noun: "service" | "job" },
): Promise<Refusal> {
  const instead = await otherKind(place, sought, clock);
  return notFound(place, `no ${noun} is named ${sought.name}: check the name`, { instead });
}

async function readCronJob<R extends KnownRegion>(
  parts: ReadOperationsParts<R>,
  place: Place<R>,
  { name, signal }: Sought,
): Promise<Job> {
  const { region, reading } = place;
  const found = findCronJob(region, { ...reading, name });
  if (!found) throw await unknownName(parts, place, { noun: "job", name, signal });
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
function unlisted({ region, reading, leftOut }: Place<KnownRegion>, kinds: readonly CachedKind[]) {
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
