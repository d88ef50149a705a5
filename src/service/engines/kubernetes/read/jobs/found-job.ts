import type { AroundJob } from "../../../../workloads/jobs/job-answer.ts";
import type { Job } from "../../../../workloads/state/job-store.ts";
import type { KubeObject } from "../../cluster/kinds.ts";
import type { Owner } from "../found-service.ts";

/** A Job as a job of the API. */
export type FoundJob = {
  readonly object: KubeObject<"Job">;
  /** With `around`, as the shared answers take it (job-answer.ts). */
  readonly job: Job;
  readonly around: AroundJob;
  /** False for one that Gantry created. */
  readonly isAdopted: boolean;
  readonly owner: Owner | undefined;
  /** Its pods in the order of their creation; each is an instance. */
  readonly pods: readonly KubeObject<"Pod">[];
};
