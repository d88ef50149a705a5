import type { RefusedOperation } from "../../../../api/schema.ts";
import { Refusal } from "../../../engine.ts";
import type { Ownership } from "../../../workloads/ownership.ts";
import type { ClusterConfig } from "../cluster/cluster-config.ts";
import type { FoundCronJob } from "../read/jobs/find-cron-jobs.ts";
import type { FoundJob } from "../read/jobs/found-job.ts";
import type { FoundService } from "../read/found-service.ts";
import { foreignController } from "../read/owner.ts";
import { refuseAdopted, refuseAdoptedJob, refuseCronJob, refuseSetSize } from "./adopted.ts";
import { refuseHalfMade, refuseOnDelete, refuseUnrestartable } from "./impossible.ts";

type Adopting = Pick<ClusterConfig, "adopt">;

type Check<Found> = Pick<RefusedOperation, "operation" | "part"> & {
  /** The check that the operation itself makes. Throws its `Refusal`. */
  readonly refuse: (found: Found, config: Adopting) => void;
};

const ofServices: readonly Check<FoundService>[] = [
  { operation: "deleteService", refuse: (found, config) => refuseAdopted(found, "delete", config) },
  { operation: "updateService", part: "memory", refuse: (found, config) => refuseAdopted(found, "memory", config) },
  { operation: "updateService", part: "domains", refuse: (found, config) => refuseAdopted(found, "domains", config) },
  { operation: "updateService", part: "size", refuse: (found) => refuseSetSize(found, "scaled") },
  { operation: "startService", refuse: (found) => refuseSetSize(found, "started") },
  { operation: "stopService", refuse: (found) => refuseSetSize(found, "stopped") },
  { operation: "restartService", refuse: refuseUnrestartable },
  {
    operation: "updateService",
    part: "memory",
    refuse: (found) => refuseOnDelete(found, "given another memory limit"),
  },
  { operation: "updateService", part: "domains", refuse: refuseHalfMade },
];

const ofJobs: readonly Check<FoundJob>[] = [{ operation: "deleteJob", refuse: refuseAdoptedJob }];

/** Other tools that manage a service. */
export function serviceOwner({ isAdopted, owner, autoscaler, source }: FoundService): Ownership {
  return {
    managedBy: isAdopted ? owner?.words : undefined,
    sizeSetBy: source.kind === "DaemonSet" ? "its nodes (DaemonSet)" : autoscaler && `autoscaler ${autoscaler}`,
  };
}

/** The same, plus the operations that would be refused because of them or because of what it is. This is slower. */
export function serviceOwnership(found: FoundService, config: Adopting): Ownership {
  return { ...serviceOwner(found), refused: refusedBy(ofServices, found, config) };
}

/** Nobody sets the size of a job. */
export function jobOwner({ isAdopted, owner, object }: FoundJob): Ownership {
  const controller = foreignController(object);
  const names = [isAdopted ? owner?.words : undefined, controller && `controller ${controller}`];
  return { managedBy: names.filter((name) => name !== undefined).join(" and ") || undefined };
}

export function jobOwnership(found: FoundJob, config: Adopting): Ownership {
  return { ...jobOwner(found), refused: refusedBy(ofJobs, found, config) };
}

export function cronJobOwnership(found: FoundCronJob, config: Adopting): Ownership {
  const checks = [{ operation: "deleteJob", refuse: refuseCronJob }];
  return { managedBy: found.owner?.words, refused: refusedBy(checks, found, config) };
}

/** The first reason for each, which is the one that its refusal would give. */
function refusedBy<Found>(checks: readonly Check<Found>[], found: Found, config: Adopting): RefusedOperation[] {
  const refused = checks.flatMap(({ refuse, ...listed }) => {
    const reason = reasonOf(() => refuse(found, config));
    return reason === undefined ? [] : [{ ...listed, reason }];
  });
  return refused.filter(
    ({ operation, part }, at) =>
      refused.findIndex((other) => other.operation === operation && other.part === part) === at,
  );
}

function reasonOf(refuse: () => void): string | undefined {
  try {
    refuse();
    return undefined;
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    return asSentence(error.message);
  }
}

/** A refusal follows other words, and nobody tried anything yet. */
function asSentence(message: string): string {
  const said = message.replace(" Nothing was changed.", "");
  return `${said.charAt(0).toUpperCase()}${said.slice(1)}`;
}
