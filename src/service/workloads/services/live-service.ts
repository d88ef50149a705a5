import { rm } from "node:fs/promises";
import type { RunSurface } from "../engine-parts.ts";
import { workFolder } from "../../engines/process/records/host-folder.ts";
import type { Trying } from "../lifecycle/keep-trying.ts";
import { openPortFront, type PortFront } from "../../engines/process/network/port-front.ts";
import type { Standing } from "./service-answer.ts";
import type { ServiceDefinition } from "../definitions/service-definition.ts";
import { makeServiceRunner, type ServiceRunner } from "./service-runner.ts";
import type { ServiceState } from "./service-status.ts";
import { removeService, type Service } from "../state/service-store.ts";

/** A service of this engine: what is remembered of it, what runs it, and where it is reached. */
export type LiveService = {
  readonly username: string;
  readonly region: string;
  readonly name: string;
  service: Service;
  readonly runner: ServiceRunner;
  fronts: readonly PortFront[];
  /** Why it is not running although it should, as a sentence. */
  held?: string | undefined;
  /** Its fronts couldn't be opened at the start; being retried. */
  opening?: Trying;
  /** An accepted deletion. */
  deletion?: Trying;
};

/** A service that is not running and has no open ports yet. */
export function makeLiveService(service: Service, surface: RunSurface): LiveService {
  const { username, region, name } = service;
  return { username, region, name, service, runner: makeServiceRunner(service, surface), fronts: [] };
}

/** The status of the service: held counts as failed. */
export function standingOf({ service, runner, held }: LiveService): Standing & { readonly state: ServiceState } {
  if (held === undefined || service.deleting || !service.running) return { state: runner.state() };
  return { state: "Failed", reason: held };
}

/**
 * Opens the fronts of a service, all or none. The result contains new ports for unassigned ones, and for those another
 * program took meanwhile; the caller must save it.
 */
export async function openFronts(live: LiveService, surface: RunSurface): Promise<ServiceDefinition> {
  const { uid, definition } = live.service;
  const opened: PortFront[] = [];
  try {
    for (const { hostPort, containerPort } of definition.ports) {
      const targets = () => live.runner.targets(containerPort);
      const front = await openPortFront(hostPort, targets, surface.connections);
      opened.push(front);
      if (hostPort !== 0 && hostPort !== front.port) {
        const data = { service: uid, before: hostPort, after: front.port };
        surface.onEvent("the port of a service was taken by somebody else, it has another one now", data);
      }
    }
  } catch (error) {
    await closeAll(opened);
    throw error;
  }
  live.fronts = opened;
  return withPorts(definition, opened);
}

function withPorts(definition: ServiceDefinition, fronts: readonly PortFront[]): ServiceDefinition {
  const ports = definition.ports.map((mapping, index) => ({
    ...mapping,
    hostPort: fronts[index]?.port ?? mapping.hostPort,
  }));
  return { ...definition, ports };
}

export async function closeFronts(live: LiveService): Promise<void> {
  await closeAll(live.fronts);
}

async function closeAll(fronts: readonly PortFront[]): Promise<void> {
  await Promise.all(fronts.map((front) => front.close()));
}

/** Stops and removes a service with its log, but keeps its disks. Resolves when all of it is gone. Idempotent. */
export async function finishDeletion(live: LiveService, surface: RunSurface): Promise<void> {
  await live.runner.emptied();
  await closeFronts(live);
  // Files first: on a full disk, the next steps may need their space.
  await rm(workFolder(surface.dataDir, live.service.uid), { recursive: true, force: true });
  await surface.logs.forget(live.service.uid);
  await removeService(surface.state, live.service.uid);
}
