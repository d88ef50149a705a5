import { rm } from "node:fs/promises";
import type { RunSurface } from "./engine-parts.ts";
import { workFolder } from "./host-folder.ts";
import { openPortFront, type PortFront } from "./port-front.ts";
import type { ServiceDefinition } from "./service-definition.ts";
import { makeServiceRunner, type ServiceRunner } from "./service-runner.ts";
import { removeService, saveService, type Service } from "./service-store.ts";

/** A service of this engine: what is remembered of it, what runs it, and where it is reached. */
export type LiveService = {
  readonly username: string;
  readonly region: string;
  readonly name: string;
  service: Service;
  readonly runner: ServiceRunner;
  readonly fronts: readonly PortFront[];
  /** Settles when an accepted deletion is over. */
  deletion?: Promise<void>;
};

/**
 * Opens the fronts of a service, and nothing else yet: nobody runs. Ports that were never chosen, or that somebody
 * else took while the engine was away, are new ones in `service` afterwards; the caller writes that down.
 */
export async function openService(remembered: Service, surface: RunSurface): Promise<LiveService> {
  const runner = makeServiceRunner(remembered, surface);
  const fronts: PortFront[] = [];
  for (const { hostPort, containerPort } of remembered.definition.ports) {
    const front = await openPortFront(hostPort, () => runner.targets(containerPort));
    fronts.push(front);
    if (hostPort !== 0 && hostPort !== front.port) {
      const data = { service: remembered.uid, before: hostPort, after: front.port };
      surface.onEvent("the port of a service was taken by somebody else, it has another one now", data);
    }
  }
  const service = { ...remembered, definition: withPorts(remembered.definition, fronts) };
  const { username, region, name } = remembered;
  return { username, region, name, service, runner, fronts };
}

function withPorts(definition: ServiceDefinition, fronts: readonly PortFront[]): ServiceDefinition {
  const ports = definition.ports.map((mapping, index) => ({
    ...mapping,
    hostPort: fronts[index]?.port ?? mapping.hostPort,
  }));
  return { ...definition, ports };
}

export async function closeFronts({ fronts }: LiveService): Promise<void> {
  await Promise.all(fronts.map((front) => front.close()));
}

/** Brings back a service after a restart of the engine; a deletion that was begun is carried on. */
export async function reviveService(remembered: Service, surface: RunSurface): Promise<LiveService> {
  const live = await openService(remembered, surface);
  await saveService(surface.state, live.service);
  live.runner.want(live.service, { activity: "Starting" });
  return live;
}

/** Stops and removes a service with its log; what its disks hold is kept. Resolves when all of it is gone. */
export async function finishDeletion(live: LiveService, surface: RunSurface): Promise<void> {
  await live.runner.emptied();
  await closeFronts(live);
  await surface.logs.forget(live.service.uid);
  await rm(workFolder(surface.dataDir, live.service.uid), { recursive: true, force: true });
  await removeService(surface.state, live.service.uid);
}
