import type { Job } from "../../api/answers.ts";
import { parseMemoryMiB } from "../../api/memory.ts";
import type { Footprint } from "../policy/policy.ts";
import type { Change } from "./change.ts";
import { containersAfter } from "./updatable-fields.ts";

/** What runs after a Change, for policy. Nothing is assumed: what isn't reported isn't known. Pure. */
export function footprintOf({ call, before, footprint }: Omit<Change, "diff" | "workload">): Footprint {
  if (footprint !== undefined) return footprint;
  switch (call.op) {
    case "createService":
      return { containers: call.body.containers.map(containerOf), instances: call.body.target_instance_size };
    case "createJob":
      return { containers: call.body.containers?.map(containerOf), instances: 1 };
    case "updateService":
      return {
        // The number of a revision doesn't tell what is in it.
        containers: call.body.revision === undefined ? containersAfter(call.body, before) : undefined,
        instances: call.body.target_instance_size ?? before?.size,
      };
    case "startService":
      // Some workload APIs report a stopped service as one of no instances.
      return { containers: containersAfter({}, before), instances: before?.size === 0 ? undefined : before?.size };
    case "stopService":
    case "restartService":
    case "deleteService":
    case "deleteJob":
      return { containers: containersAfter({}, before), instances: before?.size };
  }
}

/** What a job runs, or a CronJob. */
export function jobFootprint({ spec }: Job): Footprint {
  return { containers: spec?.template?.spec?.containers?.map(containerOf), instances: spec?.parallelism };
}

type Container = {
  readonly image?: string | undefined;
  readonly resources?: { readonly limits?: { readonly memory?: unknown } | undefined } | undefined;
};

function containerOf({ image, resources }: Container) {
  return { image, memoryMiB: parseMemoryMiB(resources?.limits?.memory) };
}
