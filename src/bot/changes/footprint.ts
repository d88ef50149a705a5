import type { Job } from "../../api/answers.ts";
import { parseMemoryMiB } from "../../api/memory.ts";
import { Problem } from "../../api/problem.ts";
import type { ContainerFacts, Footprint } from "../policy/policy.ts";
import type { Change } from "./change.ts";
import { type Reading, readWorkload } from "./read-workload.ts";
import { containersAfter, initContainers } from "./updatable-fields.ts";

/** What runs after a Change, for policy. Nothing is assumed: what isn't reported isn't known. Pure. */
export function footprintOf({ call, before, footprint }: Omit<Change, "diff" | "workload">): Footprint {
  const whole = { instanceMiB: before?.instanceMiB };
  switch (call.op) {
    case "createService":
      return {
        containers: call.body.containers.map(containerOf),
        instances: call.body.target_instance_size,
        grownFrom: 0,
      };
    case "createJob":
      if (call.body.from_cron_job === undefined)
        return { containers: call.body.containers?.map(containerOf), instances: 1 };
      return footprint ?? { containers: undefined, instances: undefined };
    case "deleteJob":
      return footprint ?? { containers: undefined, instances: undefined };
    case "updateService": {
      const wanted = call.body.target_instance_size;
      const instances = wanted ?? before?.size;
      const grown = wanted === undefined ? {} : { grownFrom: before?.size ?? ("unknown" as const) }; // a literal word
      // The number of a revision doesn't tell what is in it.
      if (call.body.revision !== undefined) return { containers: undefined, ...footprint, instances };
      return { containers: containersAfter(call.body, before), ...whole, instances, ...grown };
    }
    case "startService":
      // Some workload APIs report a stopped service as one of no instances.
      return { containers: containersAfter({}, before), ...whole, instances: before?.size || undefined };
    case "stopService":
    case "restartService":
    case "deleteService":
      return { containers: containersAfter({}, before), ...whole, instances: before?.size };
  }
}

/** What a job runs, or a CronJob. */
export function jobFootprint(job: Job): Footprint {
  const { spec, instance_memory: whole } = job;
  const { containers = [] } = spec?.template?.spec ?? {};
  return {
    containers: containers.length === 0 ? undefined : [...containers.map(containerOf), ...initContainers(job)],
    instanceMiB: parseMemoryMiB(whole),
    instances: spec?.parallelism,
  };
}

/**
 * The `footprint` of a Change as it is now: of a job that a CronJob makes by one more call. A `Problem` is returned, not
 * thrown.
 */
export async function footprintNow(
  { call, workload, footprint }: Change,
  reading: Reading,
): Promise<Change["footprint"] | Problem> {
  const cronJob = call.op === "createJob" ? call.body.from_cron_job : undefined;
  if (cronJob === undefined) return footprint;
  const read = await readWorkload({ ...workload, name: cronJob }, reading);
  return read instanceof Problem ? read : read.job && jobFootprint(read.job);
}

type Container = {
  readonly image?: string | undefined;
  readonly resources?: { readonly limits?: { readonly memory?: unknown } | undefined } | undefined;
};

function containerOf({ image, resources }: Container): ContainerFacts {
  return { image, memoryMiB: parseMemoryMiB(resources?.limits?.memory) };
}
