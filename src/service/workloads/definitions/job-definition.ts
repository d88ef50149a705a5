import type { NewJob } from "../../../api/schema.ts";
import { Refusal } from "../../engine.ts";
import type { Runtime } from "../runtime.ts";
import { readContainers, type Container } from "./container.ts";

/** The specification of a job. */
export type JobDefinition = {
  readonly containers: readonly Container[];
  readonly volumes: readonly string[];
  readonly syncTimezone: boolean;
};

/**
 * Reads a creation body. Throws a `Refusal` 400 for a container that the runtime can't run, and for the run of a CronJob,
 * which an engine has to know itself.
 */
export function readJob(name: string, body: NewJob, check: Runtime["check"]): JobDefinition {
  if (body.from_cron_job !== undefined) {
    throw new Refusal(400, "from_cron_job can't be used here: only Kubernetes has CronJobs. Nothing was changed.");
  }
  return {
    containers: readContainers(body.containers ?? [], { check, workload: name }),
    volumes: (body.volumes ?? []).map((volume) => volume.name),
    syncTimezone: body.sync_timezone ?? false,
  };
}
