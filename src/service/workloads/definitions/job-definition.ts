import type { NewJob } from "../../../api/schema.ts";
import type { Runtime } from "../runtime.ts";
import { readContainers, type Container } from "./container.ts";

/** The specification of a job. */
export type JobDefinition = {
  readonly containers: readonly Container[];
  readonly volumes: readonly string[];
  readonly syncTimezone: boolean;
};

/** Reads a creation body. Throws a `Refusal` 400 for a container that the runtime can't run. */
export function readJob(name: string, body: NewJob, check: Runtime["check"]): JobDefinition {
  return {
    containers: readContainers(body.containers, { check, workload: name }),
    volumes: (body.volumes ?? []).map((volume) => volume.name),
    syncTimezone: body.sync_timezone ?? false,
  };
}
