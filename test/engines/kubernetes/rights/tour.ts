import type { OperationId } from "../../../../src/api/operations.ts";
import type { NewService, Service } from "../../../../src/api/schema.ts";
import type { Ask, World } from "../../../service/contract/world.ts";
import { listen, shell, ticking } from "../../../support/container-script.ts";
import { DEADLINE_MS } from "../../../support/until.ts";
import { allowed, Refused } from "./allowed.ts";

/**
 * Waits on the way, on a quiet machine. A pod that is stopped while it starts takes 30 s and what its node adds; without a
 * right, something may never come.
 */

type Guide = {
  readonly world: World;
  readonly image: string;
  /** Looked at while waiting: a reason to give up. */
  readonly isOver: () => boolean;
  /** The StatefulSet `db` is there, made by somebody else. */
  readonly somebodyApplies: () => Promise<void>;
};

type Looking = Omit<Guide, "somebodyApplies">;

/** A part of a tour. Rejects at the first operation that is refused. */
export type Leg<Guide> = {
  readonly play: (guide: Guide) => Promise<void>;
  /** Rights that are used first here, or prepared for: without one of them, a tour begins here and ends sooner. */
  readonly needs?: readonly string[];
};

/**
 * Uses every right once: each of the 14 operations on workloads of our own with a port, a domain and a disk, and on an
 * adopted StatefulSet `db`.
 */
export const tour: readonly Leg<Guide>[] = [
  { play: lookAround },
  { play: aServiceOfOurOwn },
  {
    play: aDisk,
    needs: ["list persistentvolumeclaims", "create persistentvolumeclaims", "delete deployments of apps"],
  },
  { play: anAdoptedOne, needs: ["get statefulsets of apps", "patch statefulsets of apps"] },
  { play: aJob, needs: ["create jobs of batch", "patch jobs of batch", "delete jobs of batch"] },
];

/** What takes the optional rights, with the DaemonSet `agent` and the CronJob `yearly`. */
export async function optionalTour({ world }: Pick<Guide, "world">): Promise<void> {
  await unwellService(world, ({ events = [] }) => events.some(({ message }) => message.includes("absent")));
  await allowed(world, "restartService", { name: "agent" });
  await allowed(world, "createJob", { name: "yearly-now", body: { from_cron_job: "yearly" } });
  // It looks what else has the name.
  await world.ask("getService", { name: "absent" });
}

/** Without them, lists name what they leave out. */
export async function expectIncomplete({ world }: Pick<Guide, "world">): Promise<void> {
  await unwellService(world, ({ events_not_read: why = "" }) => why.includes("may not list events"));
  const said = JSON.stringify([await allowed(world, "listServices"), await allowed(world, "listJobs")]);
  for (const kind of ["DaemonSets", "CronJobs"]) {
    if (!said.includes(`${kind} aren't listed`)) throw new Refused(`no list says that ${kind} are missing: ${said}`);
  }
}

/** Of one that waits for an image that isn't there, the cluster reports it. */
async function unwellService(world: World, isWanted: (service: Service) => boolean): Promise<void> {
  const name = "unwell";
  await allowed(world, "createService", { name, body: { containers: [{ image: "localhost/absent:1" }] } });
  const guide = { world, image: "", isOver: () => false };
  await comes(guide, ["getService", { name }, (service) => isWanted(service as Service)]); // of this operation
  await allowed(world, "deleteService", { name });
}

async function lookAround({ world }: Guide): Promise<void> {
  await allowed(world, "listServices");
  await allowed(world, "listJobs");
}

async function aServiceOfOurOwn(guide: Guide): Promise<void> {
  const { world, image } = guide;
  const name = "web";
  const ports = [{ port: 8080, protocol: "TCP" as const }];
  const body: NewService = {
    containers: [{ image, command: [...shell(`${listen}; ${ticking}`)], ports }],
    port_mappings: [{ container_port: 8080 }],
    binding_domain_name: [`${world.newName("tour")}.example.com`],
  };
  await allowed(world, "createService", { name, body });
  await reaches(guide, name, "Running");
  await comes(guide, ["getServiceLogs", { name }, (log) => JSON.stringify(log).includes("tick")]);
  await allowed(world, "updateService", { name, body: { containers: [{ resources: { limits: { memory: 256 } } }] } });
  await reaches(guide, name, "Running");
  await allowed(world, "updateService", { name, body: { binding_domain_name: ["other.example.com"] } });
  await allowed(world, "updateService", { name, body: { binding_domain_name: [] } });
  await reaches(guide, name, "Running");
  await allowed(world, "restartService", { name });
  await reaches(guide, name, "Running");
  await allowed(world, "stopService", { name });
  await reaches(guide, name, "Stopped");
  await allowed(world, "startService", { name });
  await reaches(guide, name, "Running");
  await allowed(world, "deleteService", { name });
}

/** Nothing provides volumes in a test cluster, so no instance is to run. */
async function aDisk({ world, image }: Guide): Promise<void> {
  const container = { image, command: ["sh"], volumeMounts: [{ name: "data", mountPath: "/data" }] };
  const volumes = [{ name: "data", disk_name: "disk" }];
  await allowed(world, "createService", {
    name: "kept",
    body: { target_instance_size: 0, containers: [container], volumes },
  });
  await allowed(world, "deleteService", { name: "kept" });
}

async function anAdoptedOne(guide: Guide): Promise<void> {
  const { world, somebodyApplies } = guide;
  const name = "db";
  await somebodyApplies();
  await reaches(guide, name, "Running");
  await allowed(world, "restartService", { name });
  await reaches(guide, name, "Running");
  await allowed(world, "updateService", { name, body: { target_instance_size: 2 } });
  await reaches(guide, name, "Running");
}

async function aJob(guide: Guide): Promise<void> {
  const { world, image } = guide;
  const name = "once";
  await allowed(world, "createJob", { name, body: { containers: [{ image, command: ["sh", "-c", "echo done"] }] } });
  await comes(guide, ["getJob", { name }, (job) => JSON.stringify(job).includes('"succeeded":1')]);
  const { instance_names: [instance = ""] = [] } = await world.get("getJob", { name });
  await comes(guide, ["getJobInstanceLogs", { name, instance }, (lines) => JSON.stringify(lines).includes("done")]);
  const failing = world.newName("failing");
  await allowed(world, "createJob", {
    name: failing,
    body: { containers: [{ image, command: ["sh", "-c", "exit 3"] }] },
  });
  // How it failed is written on the job at once.
  await comes(guide, ["getJob", { name: failing }, (job) => JSON.stringify(job).includes('"exit_code":3')]);
  await allowed(world, "deleteJob", { name: failing });
  await allowed(world, "deleteJob", { name });
}

async function reaches(guide: Looking, name: string, status: string): Promise<void> {
  await comes(guide, ["getService", { name }, (service) => (service as Service).status === status]); // of this operation
}

/** Repeats a read until it is as wanted. */
async function comes(
  { world, isOver }: Looking,
  [op, what, isWanted]: readonly [OperationId, Ask, (body: unknown) => boolean],
): Promise<void> {
  const since = performance.now();
  for (;;) {
    const body = await allowed(world, op, what);
    if (isWanted(body)) return;
    if (isOver() || performance.now() - since > DEADLINE_MS) {
      throw new Refused(`${op} never gave what was waited for, but ${JSON.stringify(body)}`);
    }
    await new Promise((resolve) => setTimeout(resolve, 50)); // between two looks
  }
}
