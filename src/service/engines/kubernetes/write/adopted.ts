import { Refusal } from "../../../engine.ts";
import type { AdoptedChange, ClusterConfig } from "../cluster/cluster-config.ts";
import type { FoundCronJob } from "../read/jobs/find-cron-jobs.ts";
import type { FoundJob } from "../read/jobs/found-job.ts";
import type { FoundService } from "../read/found-service.ts";

type Change = AdoptedChange | "domains";
type Adopted = Pick<FoundService, "isAdopted" | "owner"> & { readonly words: string };

const phrases: { readonly [C in Change]: { readonly what: string; readonly instead: string } } = {
  delete: { what: "delete", instead: "Delete it" },
  memory: { what: "change the memory of", instead: "Change it" },
  domains: { what: "change the domains of", instead: "Change them" },
};

/**
 * Refuses what is unsafe for a workload that Gantry didn't create: its owner would undo the change or lose track of it.
 * Domains can't be switched on: Gantry can't know which of somebody else's routes to replace.
 */
export function refuseAdopted(found: FoundService, change: Change, config: Pick<ClusterConfig, "adopt">): void {
  const { isAdopted, owner, service } = found;
  refuseChange({ isAdopted, owner, words: `service ${service.name}` }, change, config);
}

/** The same for the deletion of a job. */
export function refuseAdoptedJob({ isAdopted, owner, job }: FoundJob, config: Pick<ClusterConfig, "adopt">): void {
  refuseChange({ isAdopted, owner, words: `job ${job.name}` }, "delete", config);
}

/** Whatever `adopt.allow` has: all of its jobs would go too. */
export function refuseCronJob({ name, owner }: FoundCronJob): void {
  const whose = owner === undefined ? "" : ` that belongs to ${owner.words}`;
  throw new Refusal(
    409,
    `Gantry may not delete job ${name}: it is a CronJob${whose}. Nothing was changed. ` +
      `Delete it ${owner === undefined ? "with kubectl" : "there"}.`,
  );
}

function refuseChange(found: Adopted, change: Change, { adopt }: Pick<ClusterConfig, "adopt">): void {
  if (!found.isAdopted || adopt.allow.some((allowed) => allowed === change)) return;
  const { what, instead } = phrases[change];
  const owner = found.owner?.words;
  const whose = owner === undefined ? "somebody else created it" : `it belongs to ${owner}`;
  const where = owner === undefined ? "where it was created" : "there";
  const switched = change === "domains" ? "" : ", or allow it with adopt.allow in SERVICE_CLUSTERS";
  throw new Refusal(
    409,
    `Gantry may not ${what} ${found.words}: ${whose}. Nothing was changed. ${instead} ${where}${switched}.`,
  );
}

/**
 * Refuses another size where something else sets it. An autoscaler would undo it at once, and one of size 0 switches it
 * off; a DaemonSet has none.
 */
export function refuseSetSize({ autoscaler, service, source }: FoundService, participle: string): void {
  if (source.kind === "DaemonSet") {
    throw new Refusal(
      409,
      `service ${service.name} can't be ${participle}: it is a DaemonSet, which has an instance on each of its nodes. ` +
        `Nothing was changed. Change its node selector with kubectl.`,
    );
  }
  if (autoscaler === undefined) return;
  throw new Refusal(
    409,
    `service ${service.name} can't be ${participle}: the autoscaler ${autoscaler} sets its size. Nothing was changed. ` +
      `Change the autoscaler's limits, or remove it.`,
  );
}
