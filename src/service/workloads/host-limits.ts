import { totalmem } from "node:os";
import { z } from "zod";
import { openFileLimit } from "../../platform/http/open-files.ts";
import type { Quotas } from "./quota.ts";
import type { EngineVariable, ValuesOf } from "../engine-descriptor.ts";

/** Configurable quotas; defaults depend on the machine. */
export type QuotaSettings = {
  readonly userInstances?: number | undefined;
  readonly userMemoryMib?: number | undefined;
  readonly userWorkloads?: number | undefined;
  readonly hostInstances?: number | undefined;
  readonly hostMemoryMib?: number | undefined;
};

/** Resources available to this process. */
type Machine = { readonly memoryMib: number; readonly openFiles: number };

const USER_INSTANCES = 50;
const HOST_INSTANCES = 200;
const USER_WORKLOADS = 1_000;
const HOST_WORKLOADS = 5_000;
const MOST_PORTS = 1_000;
const MOST_CONNECTIONS = 2_000;

/**
 * Quotas, with defaults for those not configured. Memory: half of the machine per user, three quarters for all. Instances
 * (three pipes each) and port mappings (one listener each) may use at most two thirds of the open files.
 */
export function quotasFor(settings: QuotaSettings, { memoryMib, openFiles }: Machine): Quotas {
  const hostInstances = settings.hostInstances ?? atLeastOne(Math.min(HOST_INSTANCES, openFiles / 10));
  const hostPorts = atLeastOne(Math.min(MOST_PORTS, openFiles / 10));
  return {
    user: {
      instances: settings.userInstances ?? Math.min(USER_INSTANCES, hostInstances),
      memoryMib: settings.userMemoryMib ?? atLeastOne(memoryMib / 2),
      ports: hostPorts,
      workloads: settings.userWorkloads ?? USER_WORKLOADS,
    },
    host: {
      instances: hostInstances,
      memoryMib: settings.hostMemoryMib ?? atLeastOne((memoryMib * 3) / 4),
      ports: hostPorts,
      workloads: HOST_WORKLOADS,
    },
  };
}

/** Maximum number of forwarded connections to service ports; each takes two open files. */
export function connectionsFor({ openFiles }: Machine): number {
  return atLeastOne(Math.min(MOST_CONNECTIONS, openFiles / 8));
}

function atLeastOne(value: number): number {
  return Math.max(1, Math.floor(value));
}

/** Assumed when the limit is unknown: the lowest default of common systems. */
const USUAL_OPEN_FILES = 256;

/** The resources of this machine that this process may use. */
export function thisMachine(): Machine {
  const total = totalmem();
  const constrained = process.constrainedMemory();
  const bytes = constrained > 0 ? Math.min(total, constrained) : total;
  return { memoryMib: bytes / 1024 / 1024, openFiles: openFileLimit() ?? USUAL_OPEN_FILES };
}

const quota = (unit: string, words: Pick<EngineVariable, "unset" | "meaning">) => ({
  schema: z
    .string()
    .regex(/^[1-9]\d{0,8}$/, `must be a whole number of ${unit}, at least 1, or unset`)
    .transform(Number),
  ...words,
  elsewhere: "It limits what runs on this machine.",
});

/** The variables of the quotas, for engines that run workloads on a machine that the users share. */
export const quotaVariables = {
  SERVICE_USER_INSTANCES: quota("instances", {
    unset: "50",
    meaning: "Instances one user may run. Each container of an instance counts.",
  }),
  SERVICE_USER_MEMORY_MIB: quota("MiB", {
    unset: "half of the machine's memory",
    meaning: "Memory one user may reserve. A container without a limit counts as 64 MiB, on Docker as 512 MiB.",
  }),
  SERVICE_HOST_INSTANCES: quota("instances", {
    unset: "up to 200, by the limit of open files",
    meaning: "Instances all users may run.",
  }),
  SERVICE_HOST_MEMORY_MIB: quota("MiB", {
    unset: "three quarters of the machine's memory",
    meaning: "Memory all users may reserve.",
  }),
};

export function quotasOf(values: ValuesOf<typeof quotaVariables>): QuotaSettings {
  return {
    userInstances: values.SERVICE_USER_INSTANCES,
    userMemoryMib: values.SERVICE_USER_MEMORY_MIB,
    hostInstances: values.SERVICE_HOST_INSTANCES,
    hostMemoryMib: values.SERVICE_HOST_MEMORY_MIB,
  };
}
