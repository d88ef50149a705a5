import { Refusal } from "../engine.ts";
import type { Container } from "./definitions.ts";
import type { Runtime } from "./runtime.ts";
import { totalmem } from "node:os";
import { z } from "zod";
import { openFileLimit } from "../../platform/http/guard-server.ts";
import type { ValuesOf } from "../engine-descriptor.ts";

/** An amount used or allowed. Each container of an instance counts as one instance, because it is a separate unit. */
export type Amount = {
  readonly instances: number;
  readonly memoryMib: number;
  readonly ports: number;
  readonly workloads: number;
};

export type Quotas = { readonly user: Amount; readonly host: Amount };

export type Ledger = ReturnType<typeof makeLedger>;

type Owner = { readonly uid: string; readonly username: string };

type Sized = { readonly containers: readonly Container[]; readonly size: number; readonly ports: number };

/** The amount that `size` instances of a workload need. */
export function amountOf({ containers, size, ports }: Sized, reservedMib: Runtime["reservedMib"]): Amount {
  const perInstance = containers.reduce((sum, { memoryMib }) => sum + reservedMib(memoryMib), 0);
  return { instances: size * containers.length, memoryMib: size * perInstance, ports, workloads: 1 };
}

type Entry = { readonly username: string; readonly amount: Amount };

/** Reservations by workload. Counts everything that should run, started or not. */
export function makeLedger(quotas: Quotas) {
  const entries = new Map<string, Entry>();

  function shortage({ uid, username }: Owner, amount: Amount): string | undefined {
    const before = entries.get(uid)?.amount ?? NOTHING;
    for (const key of DIMENSIONS) {
      const more = amount[key] - before[key];
      if (more <= 0) continue;
      const all = [...entries.values()];
      const own = sum(
        all.filter((entry) => entry.username === username),
        key,
      );
      if (own + more > quotas.user[key]) return words[key]("This user", { limit: quotas.user[key], taken: own, more });
      const total = sum(all, key);
      if (total + more > quotas.host[key]) {
        return words[key]("This host", { limit: quotas.host[key], taken: total, more });
      }
    }
    return undefined;
  }

  function put(uid: string, entry: Entry | undefined): void {
    if (entry) entries.set(uid, entry);
    else entries.delete(uid);
  }

  return {
    /**
     * Replaces the workload's reservation and returns a function that undoes it. Throws a `Refusal` 403 with the numbers
     * when a quota is exceeded. Reducing always works.
     */
    reserve(owner: Owner, amount: Amount): () => void {
      const problem = shortage(owner, amount);
      if (problem !== undefined) throw new Refusal(403, `${problem} Nothing was changed.`);
      const before = entries.get(owner.uid);
      put(owner.uid, { username: owner.username, amount });
      return () => put(owner.uid, before);
    },
    /** Records an existing workload without a check. */
    keep: ({ uid, username }: Owner, amount: Amount) => put(uid, { username, amount }),
    release: (uid: string) => put(uid, undefined),
  };
}

const NOTHING: Amount = { instances: 0, memoryMib: 0, ports: 0, workloads: 0 };
const DIMENSIONS = ["instances", "memoryMib", "ports", "workloads"] as const;

function sum(entries: readonly Entry[], key: keyof Amount): number {
  return entries.reduce((total, { amount }) => total + amount[key], 0);
}

type Numbers = { readonly limit: number; readonly taken: number; readonly more: number };
type Words = (who: string, numbers: Numbers) => string;

const words: { readonly [K in keyof Amount]: Words } = {
  instances: (who, { limit, taken, more }) =>
    `${who} may run ${limit} instances; ${taken} are in use, and this request needs ${more} more.`,
  memoryMib: (who, { limit, taken, more }) =>
    `${who} may reserve ${limit} MiB of memory; ${taken} MiB are in use, and this request needs ${more} MiB more.`,
  ports: (who, { limit, taken, more }) =>
    `${who} may have ${limit} port mappings; ${taken} are in use, and this request needs ${more} more.`,
  workloads: (who, { limit, taken, more }) =>
    `${who} may have ${limit} services and jobs; ${taken} exist, and this request needs ${more} more.`,
};

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

const quota = (unit: string, unset: string, meaning: string) => ({
  schema: z
    .string()
    .regex(/^[1-9]\d{0,8}$/, `must be a whole number of ${unit}, at least 1, or unset`)
    .transform(Number),
  unset,
  meaning,
  elsewhere: "It limits what runs on this machine.",
});

/** The variables of the quotas, for engines that run workloads on a machine that the users share. */
export const quotaVariables = {
  SERVICE_USER_INSTANCES: quota("instances", "50", "Instances one user may run. Each container of an instance counts."),
  SERVICE_USER_MEMORY_MIB: quota(
    "MiB",
    "half of the machine's memory",
    "Memory one user may reserve. A container without a limit counts as 64 MiB, on Docker as 512 MiB.",
  ),
  SERVICE_HOST_INSTANCES: quota("instances", "up to 200, by the limit of open files", "Instances all users may run."),
  SERVICE_HOST_MEMORY_MIB: quota("MiB", "three quarters of the machine's memory", "Memory all users may reserve."),
};

export function quotasOf(values: ValuesOf<typeof quotaVariables>): QuotaSettings {
  return {
    userInstances: values.SERVICE_USER_INSTANCES,
    userMemoryMib: values.SERVICE_USER_MEMORY_MIB,
    hostInstances: values.SERVICE_HOST_INSTANCES,
    hostMemoryMib: values.SERVICE_HOST_MEMORY_MIB,
  };
}
