import { Refusal, type Engine } from "../../../engine.ts";
import { listedJob, readJob } from "../../../workloads/jobs/job-answer.ts";
import { listedService, readService } from "../../../workloads/services/service-answer.ts";
import { findJob, findJobs } from "./jobs/find-jobs.ts";
import { findService, findServices, type KnownRegion, type Reading } from "./find-services.ts";
import type { FoundJob } from "./jobs/found-job.ts";
import { jobOwner, jobOwnership, serviceOwner, serviceOwnership } from "../write/refused-operations.ts";
import type { CachedKind } from "../cache/namespace-cache.ts";
import { jobKinds, serviceKinds } from "./read-kinds.ts";
import { jobPlace, type Place, type ReadParts, servicePlace } from "./place.ts";

type ReadOperations = Pick<Engine, "listServices" | "getService" | "listJobs" | "getJob">;

export type ReadOperationsParts<R extends KnownRegion> = ReadParts<R> & {
  /** The names of a job's instances, oldest first, also of those whose pod is gone. Never rejects. */
  readonly instancesOf: (place: Place<R>, found: FoundJob) => Promise<readonly string[]>;
};

export function readOperations<R extends KnownRegion>(parts: ReadOperationsParts<R>): ReadOperations {
  return {
    async listServices(request) {
      const { region, reading } = await servicePlace(parts, request);
      const found = findServices(region, reading);
      return {
        region: request.path.region,
        services: found.map((each) => listedService(each.service, each.status, serviceOwner(each))),
        ...unlisted(region, reading, serviceKinds(region.config)),
      };
    },
    async getService(request) {
      const { region, reading } = await servicePlace(parts, request);
      const name = request.path.service_name;
      const found = findService(region, { ...reading, name });
      if (!found) throw new Refusal(404, `no service is named ${name}: check the name`);
      return readService(found.service, found.status, serviceOwnership(found, region.config));
    },
    async listJobs(request) {
      const { region, reading } = await jobPlace(parts, request);
      const found = findJobs(region, reading);
      return {
        jobs: found.map((each) => listedJob(each.job, each.around, jobOwner(each))),
        ...unlisted(region, reading, jobKinds(region.config)),
      };
    },
    async getJob(request) {
      const place = await jobPlace(parts, request);
      const name = request.path.job_name;
      const found = findJob(place.region, { ...place.reading, name });
      if (!found) throw new Refusal(404, `no job is named ${name}: check the name`);
      const ownership = jobOwnership(found, place.region.config);
      const instances = await parts.instancesOf(place, found);
      return { ...readJob(found.job, found.around, ownership), instance_names: [...instances] };
    },
  };
}

/** What the list lacks because a right or an API is missing in the cluster. */
function unlisted({ cacheOf }: KnownRegion, { namespace }: Reading, kinds: readonly CachedKind[]) {
  const sentences = cacheOf(namespace).unread(kinds);
  return sentences.length === 0 ? {} : { not_listed: [...sentences] };
}
