import type {
  NewEnvVar,
  NewJobContainer,
  NewServiceContainer,
  NewVolumeMount,
  ContainerUpdate,
  EnvUpdate,
  NewService,
  ServiceUpdate,
  NewJob,
} from "../../api/schema.ts";
import { MEMORY_RANGE, memoryMiB } from "../../api/memory.ts";
import { Refusal } from "../engine.ts";
import { firstDuplicate } from "../../api/request-limits.ts";

/** A container of a definition: the requested values, checked and in one form. */
export type Container = {
  readonly name: string;
  readonly image: string;
  readonly pullAlways: boolean;
  readonly command?: readonly string[] | undefined;
  readonly env?: readonly NewEnvVar[] | undefined;
  readonly ports: readonly { readonly port: number; readonly protocol: string }[];
  readonly memoryMib?: number | undefined;
  readonly mounts: readonly NewVolumeMount[];
};

/** Throws a `Refusal` 400 if the container can't run here; `where` names it: `containers[0]`. */
export type CheckContainer = (container: Container, where: string) => void;

/** The memory limit that a container with this limit really gets, in MiB; undefined if none. */
export type EnforcedMib = (limitMib: number | undefined) => number | undefined;

/** The part of `resources` about another limit than the requested one, which stays as it was requested. */
export function enforcedFields(limitMib: number | undefined, enforcedMib: EnforcedMib | undefined) {
  const enforced = enforcedMib?.(limitMib);
  return enforced === undefined || enforced === limitMib ? {} : { enforced: { memory: String(enforced) } };
}

type NewContainer = NewJobContainer | NewServiceContainer;

/** `workload` is a name; its containers are named after it: `web`, then `web-2`, … */
type Reading = { readonly check: CheckContainer; readonly workload: string };

/**
 * Reads the containers of a creation body that passed `checkedBody`. Throws a `Refusal` 400 for a container that the
 * runtime can't run.
 */
function readContainers(containers: readonly NewContainer[], { check, workload }: Reading): Container[] {
  return containers.map((container, index) => {
    const memory = container.resources?.limits?.memory;
    const read = {
      name: index === 0 ? workload : `${workload}-${index + 1}`,
      image: container.image,
      pullAlways: "pull_always" in container && (container.pull_always ?? false),
      command: container.command,
      env: container.env,
      ports: (container.ports ?? []).map(({ port }) => ({ port, protocol: "TCP" })),
      memoryMib: memory === undefined ? undefined : readMemory(memory),
      mounts: container.volumeMounts ?? [],
    };
    check(read, `containers[${index}]`);
    return read;
  });
}

/** Parses any spelling of a memory size into whole MiB. Throws a `Refusal` 400 when it is out of range. */
export function readMemory(memory: string | number): number {
  const mib = memoryMiB(memory);
  if (mib === undefined) throw new Refusal(400, `a memory limit must be ${MEMORY_RANGE}`);
  return mib;
}

/** A port of the service that is reachable from outside. Its address is assigned and no part of the definition. */
export type PortMapping = { readonly containerPort: number; readonly protocol: string };

/** The specification of a service: only values that its user chose, and defaults for them. */
export type ServiceDefinition = {
  readonly size: number;
  readonly containers: readonly Container[];
  readonly ports: readonly PortMapping[];
  readonly volumes: readonly { readonly name: string; readonly diskName: string; readonly readOnly: boolean }[];
  readonly syncTimezone: boolean;
  readonly domains: readonly string[];
};

/**
 * Reads a creation body that passed `checkedBody`. Throws a `Refusal` 400 for a container that the runtime can't run.
 */
export function readService(name: string, body: NewService, check: CheckContainer): ServiceDefinition {
  return {
    size: body.target_instance_size ?? 1,
    containers: readContainers(body.containers, { check, workload: name }),
    ports: (body.port_mappings ?? []).map(({ container_port: containerPort }) => ({ containerPort, protocol: "tcp" })),
    volumes: (body.volumes ?? []).map((volume) => ({
      name: volume.name,
      diskName: volume.disk_name,
      readOnly: volume.is_read_only ?? false,
    })),
    syncTimezone: body.sync_timezone ?? false,
    domains: body.binding_domain_name ?? [],
  };
}

/** Applies a partial update without `revision`; fields that the body leaves out stay. Throws a `Refusal` 400. */
export function updated(
  definition: ServiceDefinition,
  body: ServiceUpdate,
  others: readonly string[] = [],
): ServiceDefinition {
  const containers = [...definition.containers];
  const changed: number[] = [];
  for (const [position, change] of (body.containers ?? []).entries()) {
    const memory = (change.resources ?? change.resource)?.limits?.memory;
    const { image, env, name } = change;
    if (name !== undefined && others.includes(name)) continue;
    const index = containerIndex({ containers, others }, change, position);
    const container = containers[index];
    if (!container || (memory ?? image ?? env) === undefined) continue;
    containers[index] = {
      ...container,
      ...(memory !== undefined && { memoryMib: readMemory(memory) }),
      ...(image !== undefined && { image }),
      ...(env && { env: updatedEnv(container.env ?? [], env) }),
    };
    changed.push(index);
  }
  const duplicate = firstDuplicate(changed);
  if (duplicate !== undefined) {
    throw new Refusal(400, `containers has ${containers[duplicate]?.name} twice: send each container once`);
  }
  return {
    ...definition,
    containers,
    size: body.target_instance_size ?? definition.size,
    domains: body.binding_domain_name ?? definition.domains,
  };
}

/** Variables keep their places; new ones follow. A name that occurs twice is set once from then on. */
function updatedEnv(before: readonly NewEnvVar[], { set = [], remove = [] }: EnvUpdate): NewEnvVar[] {
  const wanted = new Map([...before, ...set].map((variable) => [variable.name, variable]));
  for (const name of remove) wanted.delete(name);
  return [...wanted.values()];
}

/** An item refers to its container by name, or by position if it has no name. */
function containerIndex(
  { containers, others }: { readonly containers: readonly Container[]; readonly others: readonly string[] },
  { name }: ContainerUpdate,
  position: number,
): number {
  const index = name === undefined ? position : containers.findIndex((container) => container.name === name);
  if (containers[index]) return index;
  const names = [...containers.map((container) => container.name), ...others].join(", ");
  throw new Refusal(400, `containers[${position}] isn't a container of this service: it has ${names}`);
}

/** Two instances that write to the same disk at the same time could damage what is on it. */
export function writesToDisks({ containers, volumes }: ServiceDefinition): boolean {
  const writable = volumes.filter(({ readOnly }) => !readOnly);
  return containers.some(({ mounts }) => mounts.some((mount) => writable.some(({ name }) => name === mount.name)));
}

/** Running instances must be resized or replaced for such an update to take effect. */
export function hasOtherMemory(before: ServiceDefinition, after: ServiceDefinition): boolean {
  return after.containers.some((container, index) => container.memoryMib !== before.containers[index]?.memoryMib);
}

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
export function readJob(name: string, body: NewJob, check: CheckContainer): JobDefinition {
  if (body.from_cron_job !== undefined) {
    throw new Refusal(400, "from_cron_job can't be used here: only Kubernetes has CronJobs. Nothing was changed.");
  }
  return {
    containers: readContainers(body.containers ?? [], { check, workload: name }),
    volumes: (body.volumes ?? []).map((volume) => volume.name),
    syncTimezone: body.sync_timezone ?? false,
  };
}
