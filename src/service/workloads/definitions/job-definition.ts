import type { NewJob } from "../../../api/schema.ts";
import type { CatalogueEntry } from "../../engines/process/catalogue.ts";
import { readContainers, type Container } from "./container.ts";

/** What a job is meant to do. */
export type JobDefinition = {
  readonly containers: readonly Container[];
  readonly volumes: readonly string[];
  readonly syncTimezone: boolean;
};

/** Reads a creation body. Throws a `Refusal` 400 for features this engine doesn't support. */
export function readJob(name: string, body: NewJob, catalogue: readonly CatalogueEntry[]): JobDefinition {
  return {
    containers: readContainers(body.containers, { catalogue, workload: name }),
    volumes: (body.volumes ?? []).map((volume) => volume.name),
    syncTimezone: body.sync_timezone ?? false,
  };
}
