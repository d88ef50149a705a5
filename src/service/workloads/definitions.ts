import { z } from "zod";
import type {
  NewEnvVar,
  NewJobContainer,
  NewServiceContainer,
  ContainerUpdate,
  EnvUpdate,
  NewService,
  ServiceUpdate,
  NewJob,
} from "../../api/schema.ts";
import { MEMORY_RANGE, memoryMiB } from "../../api/memory.ts";
import { Refusal } from "../engine.ts";
import { firstDuplicate } from "../../api/request-limits.ts";

/**
 * Definitions are checked before saving and after loading. The limits are wider than in openapi.yaml, which requests pass
 * first: these only reject values that would break the engine.
 */
const MAX_INSTANCES = 10_000;
export const MAX_CONTAINERS = 100;
export const MAX_ENTRIES = 10_000;
/** 16 TiB. */
const MAX_MEMORY_MIB = 16 * 1024 * 1024;

function listOf<Item extends z.ZodType>(item: Item) {
  return z.array(item).max(MAX_ENTRIES).readonly();
}

const Port = z.number().int().min(1).max(65_535);

/** A container of a definition: the requested values, checked and in one form. */
const Container = z.object({
  name: z.string(),
  image: z.string(),
  pullAlways: z.boolean(),
  command: listOf(z.string()).optional(),
  env: listOf(z.object({ name: z.string(), value: z.string().exactOptional() })).optional(),
  ports: listOf(z.object({ port: Port, protocol: z.string() }).readonly()),
  memoryMib: z.number().int().min(1).max(MAX_MEMORY_MIB).optional(),
  mounts: listOf(z.object({ name: z.string(), mountPath: z.string() })),
});
export type Container = Readonly<z.output<typeof Container>>;

const Containers = z.array(Container.readonly()).min(1).max(MAX_CONTAINERS).readonly();

/** A container of a revision. A service always has the same containers, in the same order. */
export const RevisedContainer = Container.pick({ image: true, env: true }).readonly();
export type RevisedContainer = z.output<typeof RevisedContainer>;

/** A port of the service that is reachable from outside. Its address is assigned and no part of the definition. */
const PortMapping = z.object({ containerPort: Port, protocol: z.string() }).readonly();
export type PortMapping = z.output<typeof PortMapping>;

/** The specification of a service: only values that its user chose, and defaults for them. */
export const ServiceDefinition = z
  .object({
    size: z.number().int().min(0).max(MAX_INSTANCES),
    containers: Containers,
    ports: listOf(PortMapping),
    volumes: listOf(z.object({ name: z.string(), diskName: z.string(), readOnly: z.boolean() }).readonly()),
    syncTimezone: z.boolean(),
    domains: listOf(z.string()),
  })
  .readonly();
export type ServiceDefinition = z.output<typeof ServiceDefinition>;

/** The specification of a job. */
export const JobDefinition = z
  .object({ containers: Containers, volumes: listOf(z.string()), syncTimezone: z.boolean() })
  .readonly();
export type JobDefinition = z.output<typeof JobDefinition>;

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

/** Checks before saving, so that the definition can be loaded again. Throws a `Refusal` 400. */
export function ensureService(definition: ServiceDefinition): void {
  ensure(ServiceDefinition, definition);
}

export function ensureJob(definition: JobDefinition): void {
  ensure(JobDefinition, definition);
}

function ensure(schema: z.ZodType, definition: object): void {
  const problem = problemOf(schema, definition);
  if (problem !== undefined) throw new Refusal(400, `${problem}. Nothing was changed.`);
}

/** The first problem and its path, without the value, which may be a secret. */
export function problemOf(schema: z.ZodType, value: unknown): string | undefined {
  const issue = schema.safeParse(value).error?.issues[0];
  if (!issue) return undefined;
  const where = issue.path.join(".") || "the definition";
  if (issue.code !== "too_big") return `${where} is invalid (${issue.message})`;
  return `${where} must ${issue.origin === "array" ? "have at most" : "be at most"} ${issue.maximum}`;
}
