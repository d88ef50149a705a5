import type { RefusedOperation } from "../../../../api/schema.ts";
import { Refusal } from "../../../engine.ts";
import type { Ownership } from "../../../workloads/answer-fields.ts";
import type { ClusterConfig, AdoptedChange } from "../cluster/cluster-config.ts";
import type { FoundCronJob } from "../read/cron-jobs.ts";
import type { FoundJob } from "../read/jobs.ts";
import type { FoundService } from "../read/services.ts";
import { foreignController } from "../read/owner.ts";
import { annotations } from "../names.ts";
import { restOf } from "../read/service-status.ts";

type Adopting = Pick<ClusterConfig, "adopt">;

type Check<Found> = Pick<RefusedOperation, "operation" | "part"> & {
  /** The check that the operation itself makes. Throws its `Refusal`. */
  readonly refuse: (found: Found, config: Adopting) => void;
};

type Refusable = {
  /** Of a service that Gantry didn't create, unless a setting allows it. Undefined: then it may be done there too. */
  readonly adopted?: AdoptedRefusal;
  /** What the cluster can't change about this service, whoever owns it. */
  readonly refuse: (found: FoundService) => void;
};
type AdoptedRefusal = {
  /** Completes "Gantry may not". */
  readonly what: string;
  readonly instead: string;
  readonly allowedBy: AdoptedChange | undefined;
};

/**
 * What an update can be refused for, by the parts of openapi.yaml's RefusedOperation. Whoever allows other images allows what
 * belongs to a version. Domains can't be allowed: Gantry can't know which of somebody else's routes to replace.
 */
const parts = {
  memory: {
    adopted: { what: "change the memory of", instead: "Change it", allowedBy: "memory" },
    refuse: (found) => refuseUnreplaced(found, "given another memory limit"),
  },
  image: {
    adopted: { what: "change the image of", instead: "Change it", allowedBy: "image" },
    refuse: (found) => refuseUnreplaced(found, "given another image"),
  },
  env: {
    adopted: { what: "change the environment variables of", instead: "Change them", allowedBy: "image" },
    refuse: (found) => refuseUnreplaced(found, "given other environment variables"),
  },
  revision: {
    adopted: { what: "roll back", instead: "Roll it back", allowedBy: "image" },
    refuse: (found) => refuseUnreplaced(found, "rolled back"),
  },
  domains: {
    adopted: { what: "change the domains of", instead: "Change them", allowedBy: undefined },
    refuse: refuseHalfMade,
  },
  size: { refuse: (found) => refuseSetSize(found, "scale") },
} as const satisfies Readonly<Record<NonNullable<RefusedOperation["part"]>, Refusable>>;

/** A part of a service that an update changes. */
export type Part = keyof typeof parts;
const partNames = Object.keys(parts) as readonly Part[]; // literal names

/** Refuses an update of this part. */
export function refusePart(found: FoundService, part: Part, config: Adopting): void {
  const { adopted, refuse }: Refusable = parts[part];
  if (adopted) refuseAdopted(found, adopted, config);
  refuse(found);
}

const ofServices: readonly Check<FoundService>[] = [
  { operation: "deleteService", refuse: refuseAdoptedDeletion },
  ...partNames.map((part): Check<FoundService> => ({
    operation: "updateService",
    part,
    refuse: (found, config) => refusePart(found, part, config),
  })),
  { operation: "startService", refuse: (found) => refuseSetSize(found, "start") },
  { operation: "stopService", refuse: (found) => refuseSetSize(found, "stop") },
  { operation: "restartService", refuse: (found) => refuseUnreplaced(found, "restarted") },
];

const ofJobs: readonly Check<FoundJob>[] = [{ operation: "deleteJob", refuse: refuseAdoptedDeletion }];

/** Other tools that manage a service. */
export function serviceOwner({ isAdopted, owner, autoscaler, source }: FoundService): Ownership {
  return {
    objectKind: source.kind,
    managedBy: isAdopted ? owner?.words : undefined,
    sizeSetBy: source.kind === "DaemonSet" ? "its nodes (DaemonSet)" : autoscaler?.words,
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
  return { objectKind: "Job", managedBy: names.filter((name) => name !== undefined).join(" and ") || undefined };
}

export function jobOwnership(found: FoundJob, config: Adopting): Ownership {
  return { ...jobOwner(found), refused: refusedBy(ofJobs, found, config) };
}

export function cronJobOwnership(found: FoundCronJob, config: Adopting): Ownership {
  const checks = [
    { operation: "deleteJob", refuse: refuseCronJob },
    { operation: "createJob", refuse: refuseSecondRun },
  ];
  return { managedBy: found.owner?.words, refused: refusedBy(checks, found, config) };
}

function refusedBy<Found>(checks: readonly Check<Found>[], found: Found, config: Adopting): RefusedOperation[] {
  return checks.flatMap(({ refuse, ...listed }) => {
    try {
      refuse(found, config);
      return [];
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      return [{ ...listed, reason: asSentence(error.message) }];
    }
  });
}

/** A refusal follows other words, and nobody tried anything yet. */
function asSentence(message: string): string {
  const said = message.replace(" Nothing was changed.", "");
  return `${said.charAt(0).toUpperCase()}${said.slice(1)}`;
}

/** Refuses what is unsafe for a workload that Gantry didn't create: its owner would undo the change or lose track of it. */
function refuseAdopted(
  found: FoundService | FoundJob,
  { what, instead, allowedBy }: AdoptedRefusal,
  { adopt }: Adopting,
): void {
  if (!found.isAdopted || adopt.allow.some((allowed) => allowed === allowedBy)) return;
  const workload = "service" in found ? `service ${found.service.name}` : `job ${found.job.name}`;
  const owner = found.owner?.words;
  const whose = owner === undefined ? "somebody else created it" : `it belongs to ${owner}`;
  const where = owner === undefined ? "where it was created" : "there";
  const switched = allowedBy === undefined ? "" : ", or allow it with adopt.allow in SERVICE_CLUSTERS";
  throw new Refusal(
    409,
    `Gantry may not ${what} ${workload}: ${whose}. Nothing was changed. ${instead} ${where}${switched}.`,
  );
}

/** The same for a deletion. */
export function refuseAdoptedDeletion(found: FoundService | FoundJob, config: Adopting): void {
  refuseAdopted(found, { what: "delete", instead: "Delete it", allowedBy: "delete" }, config);
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

/** Kubernetes itself lets one that somebody makes run beside another: https://kubernetes.io/docs/concepts/workloads/controllers/cron-jobs/#concurrency-policy */
export function refuseSecondRun({ object, name, jobs }: FoundCronJob): void {
  const running = jobs.find(({ job }) => job.outcome === undefined);
  if (object.spec.concurrencyPolicy !== "Forbid" || !running) return;
  throw new Refusal(
    409,
    `CronJob ${name} allows one run at a time, and ${running.job.name} is in progress. Nothing was changed. ` +
      `Wait until it ends, or delete it.`,
  );
}

const participles = { scale: "scaled", start: "started", stop: "stopped" } as const;

/**
 * Refuses another size where something else sets it. An autoscaler would undo it at once, and one of size 0 switches it
 * off: a start switches it on again. A DaemonSet has no size.
 */
export function refuseSetSize(found: FoundService, move: keyof typeof participles): void {
  const { autoscaler, service, source } = found;
  const participle = participles[move];
  if (source.kind === "DaemonSet") {
    throw new Refusal(
      409,
      `service ${service.name} can't be ${participle}: it is a DaemonSet, which has an instance on each of its nodes. ` +
        `Nothing was changed. Change its node selector with kubectl.`,
    );
  }
  if (!autoscaler) return;
  const { words } = autoscaler;
  const rest = restOf(source, autoscaler);
  if (rest === "stopped" && move !== "scale") return;
  const [why, next] =
    rest === "stopped"
      ? [`the ${words} sets its size as soon as it runs`, "Start it"]
      : rest === "idle" && move === "start"
        ? [`it is idle, and the ${words} brings it back`, "To keep instances, raise the autoscaler's minimum"]
        : [`the ${words} sets its size`, "Change the autoscaler's limits, or remove it"];
  throw new Refusal(409, `service ${service.name} can't be ${participle}: ${why}. Nothing was changed. ${next}.`);
}

type Service = Pick<FoundService, "source" | "service">;

/** The change would be accepted and do nothing. `kubectl rollout restart` and `undo` refuse a paused one, too. */
export function refuseUnreplaced(found: Service, participle: string): void {
  const { source } = found;
  const isPaused = source.kind === "Deployment" && source.object.spec.paused === true;
  if (isPaused) throw refused(found, participle, "its rollout is paused. Resume it with `kubectl rollout resume`");
  // Such instances keep the old template for as long as they live.
  if (source.kind === "Deployment" || source.object.spec.updateStrategy?.type !== "OnDelete") return;
  throw refused(found, participle, "its update strategy is OnDelete. Delete its pods with kubectl");
}

/** Whoever completes it still works with the domains of its creation. */
function refuseHalfMade(found: Service): void {
  const { metadata } = found.source.object;
  if (metadata.annotations[annotations.making] === undefined) return;
  throw refused(found, "given other domains", "its address and disks are still being made. Try again in a minute");
}

function refused({ service }: Service, participle: string, why: string): Refusal {
  return new Refusal(409, `service ${service.name} can't be ${participle}: ${why}. Nothing was changed.`);
}
