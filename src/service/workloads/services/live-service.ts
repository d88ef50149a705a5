import type { EngineDeps } from "../engine-parts.ts";
import type { Trying } from "../lifecycle/keep-trying.ts";
import type { Exposure, Unit } from "../runtime.ts";
import { removeService, type Addresses, type Service } from "../state/service-store.ts";
import type { StatusWithReason } from "./service-answer.ts";
import { makeServiceRunner, type ServiceRunner } from "./service-runner.ts";
import type { ServiceState } from "./service-status.ts";

/** A service of this engine: its saved state, its instances and its open ports. */
export type LiveService = {
  readonly username: string;
  readonly region: string;
  readonly name: string;
  service: Service;
  readonly runner: ServiceRunner;
  exposures: readonly Exposure[];
  /** Why it is not running although it should, as a sentence. */
  held?: string | undefined;
  /** Its ports couldn't be opened at the start; being retried. */
  opening?: Trying;
  /** An accepted deletion. */
  deletion?: Trying;
};

/** A service without open ports, of which only the adopted units run. */
export function makeLiveService(service: Service, deps: EngineDeps, adopted: readonly Unit[] = []): LiveService {
  const { username, region, name } = service;
  return { username, region, name, service, runner: makeServiceRunner(service, deps, adopted), exposures: [] };
}

/** The status of the service: held counts as failed. */
export function statusOf({ service, runner, held }: LiveService): StatusWithReason & { readonly state: ServiceState } {
  const { since, ...health } = runner.health();
  if (held === undefined || service.deleting || !service.running) return { ...health, state: runner.state(), since };
  return { ...health, state: "Failed", message: held };
}

/**
 * Opens the ports of a service, all or none, and returns their addresses, which the caller must save. An address that
 * is no longer available is replaced.
 */
export async function openPorts(live: LiveService, deps: EngineDeps): Promise<Addresses> {
  const { uid, definition, addresses } = live.service;
  const opened = new Map<number, Exposure>();
  try {
    for (const { containerPort } of definition.ports) {
      const assigned = addresses.get(containerPort);
      const targets = () => live.runner.targets(containerPort);
      const exposure = await deps.runtime.expose({ workload: uid, containerPort, assigned, targets });
      opened.set(containerPort, exposure);
      if (assigned !== undefined && assigned !== exposure.address) {
        const data = { service: uid, before: assigned, after: exposure.address };
        deps.onEvent("a service's port was in use, so it has a new one", data);
      }
    }
  } catch (error) {
    await releaseAll([...opened.values()]);
    throw error;
  }
  live.exposures = [...opened.values()];
  return new Map([...opened].map(([port, { address }]) => [port, address]));
}

export async function closePorts(live: LiveService): Promise<void> {
  await releaseAll(live.exposures);
}

async function releaseAll(exposures: readonly Exposure[]): Promise<void> {
  await Promise.all(exposures.map((exposure) => exposure.release()));
}

/** Stops and removes a service with its log, but keeps its disks. Resolves when all of it is gone. Idempotent. */
export async function finishDeletion(live: LiveService, deps: EngineDeps): Promise<void> {
  await live.runner.emptied();
  await closePorts(live);
  // Files first: on a full disk, the next steps may need their space.
  await deps.runtime.clear(live.service.uid);
  await deps.logs.forget(live.service.uid);
  await removeService(deps.state, live.service.uid);
}
