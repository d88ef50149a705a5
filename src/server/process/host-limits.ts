import { totalmem } from "node:os";
import type { Quotas } from "./quota.ts";

/** What may be configured; the rest comes from the machine. */
export type QuotaSettings = {
  readonly userInstances?: number | undefined;
  readonly userMemoryMib?: number | undefined;
  readonly userWorkloads?: number | undefined;
  readonly hostInstances?: number | undefined;
  readonly hostMemoryMib?: number | undefined;
};

/** What the machine gives this process. */
export type Machine = { readonly memoryMib: number; readonly openFiles: number };

const USER_INSTANCES = 50;
const HOST_INSTANCES = 200;
const USER_WORKLOADS = 1_000;
const HOST_WORKLOADS = 5_000;
const MOST_PORTS = 1_000;
const MOST_CONNECTIONS = 2_000;

/**
 * The quotas, as far as they are not configured. Memory: half of the machine for a user, three quarters for all. Open
 * files are shared out so that two thirds are taken at most: an instance takes three pipes, a port mapping one listener.
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

/** How many connections to the ports of services are forwarded at the same time; each takes two open files. */
export function connectionsFor({ openFiles }: Machine): number {
  return atLeastOne(Math.min(MOST_CONNECTIONS, openFiles / 8));
}

function atLeastOne(value: number): number {
  return Math.max(1, Math.floor(value));
}

/** Where the limit is not known. The least that systems start with. */
const USUAL_OPEN_FILES = 256;

/** This machine, as far as this process may use it. */
export function thisMachine(): Machine {
  const total = totalmem();
  const constrained = process.constrainedMemory();
  const bytes = constrained > 0 ? Math.min(total, constrained) : total;
  return { memoryMib: bytes / 1024 / 1024, openFiles: openFilesLimit() };
}

/** Node raises the soft limit to the hard one at its start; its diagnostic report tells what came of it. */
function openFilesLimit(): number {
  // Otherwise it may ask the name server. The property is missing in the types of Node.
  Object.assign(process.report, { excludeNetwork: true });
  const report: { readonly userLimits?: { readonly open_files?: { readonly soft?: unknown } } } =
    process.report.getReport();
  const soft = report.userLimits?.open_files?.soft;
  if (soft === "unlimited") return Number.MAX_SAFE_INTEGER;
  return typeof soft === "number" ? soft : USUAL_OPEN_FILES;
}
