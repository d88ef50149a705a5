import type { EngineContext } from "../engine-context.ts";
import { keepTrying, type Trying } from "../lifecycle/back-off.ts";
import type { SerialQueue } from "../lifecycle/queues.ts";
import { portOf } from "../ports.ts";
import type { Exposure, Unit } from "../runtime.ts";
import { removeService, saveService, type Addresses, type Service } from "../state/store.ts";
import type { ShownRevision, StatusWithReason } from "./service-answer.ts";
import { isRevised, type Revisions, withRevision } from "./revisions.ts";
import { makeServiceRunner, type ServiceRunner } from "./service-runner.ts";
import type { ServiceState } from "./service-status.ts";

/** A service of this engine: its saved state, its instances and its open ports. */
export type LiveService = {
  readonly username: string;
  readonly region: string;
  readonly name: string;
  service: Service;
  readonly runner: ServiceRunner;
  /** By container port. */
  exposures: ReadonlyMap<number, Exposure>;
  /** The addresses of container ports that another program has taken, for as long as it does. */
  takenAddresses: Addresses;
  /** Why it is not running although it should, as a sentence. */
  held?: string | undefined;
  /** Its ports couldn't be opened at the start; being retried. */
  opening?: Trying;
  /** An accepted deletion. */
  deletion?: Trying;
};

/** A service without open ports, of which only the adopted units run. */
export function makeLiveService(service: Service, parts: LivesWith, adopted: readonly Unit[] = []): LiveService {
  const { username, region, name } = service;
  const { context } = parts;
  const events = { proven: (revisions: Revisions): void => saveProven(live, parts, revisions) };
  const runner = makeServiceRunner(service, { context, events, adopted });
  const live: LiveService = {
    username,
    region,
    name,
    service,
    runner,
    exposures: new Map(),
    takenAddresses: new Map(),
  };
  return live;
}

type LivesWith = { readonly context: EngineContext; readonly queue: SerialQueue };

/** Saved when the disk allows it. If that is never, the next server notices anew that all instances are ready. */
function saveProven(live: LiveService, { context, queue }: LivesWith, revisions: Revisions): void {
  const { uid } = live.service;
  async function save(): Promise<void> {
    // Another revision may have been asked for meanwhile.
    if (live.service.deleting || live.service.revisions[0].number !== revisions[0].number) return;
    live.service = { ...live.service, revisions };
    await saveService(context.state, live.service);
  }
  const failed = "couldn't save that a revision is ready";
  keepTrying(() => queue.run(serviceKey(live), save), context, { failed, service: uid });
}

/** Changes with the same key run one at a time. */
export function serviceKey({ username, region, name }: Pick<LiveService, "username" | "region" | "name">): string {
  return JSON.stringify(["service", username, region, name]);
}

/** The status of the service: held counts as failed. */
export function statusOf(live: LiveService): StatusWithReason & { readonly state: ServiceState } {
  const { service, runner, held } = live;
  const { since, ...rest } = runner.health();
  const [{ number: revision }] = service.revisions;
  const revisions = service.revisions.map((each): ShownRevision => {
    const { containers, ...shown } = each;
    const isCurrent = !isRevised(service.definition, withRevision(service.definition, each));
    return { ...shown, images: containers.map(({ image }) => image), isCurrent };
  });
  const health = { ...rest, revision, revisions };
  if (service.deleting || !service.running) return { ...health, state: runner.state(), since };
  if (held !== undefined) return { ...health, state: "Failed", message: held };
  return { ...health, message: health.message ?? takenSentence(live), state: runner.state(), since };
}

/** `its address 127.0.0.1:40123 is taken by another program: it answers at 127.0.0.1:40555 until that is free` */
export function takenSentence({ service, takenAddresses }: LiveService): string | undefined {
  const [taken] = takenAddresses;
  if (!taken) return undefined;
  const [port, own] = taken;
  return `its address ${own} is taken by another program: it answers at ${service.addresses.get(port)} until that is free`;
}

/**
 * Opens the ports of a service, all or none, and returns their addresses, which the caller must save, except those in
 * `takenAddresses`: another program has the service's own, so it gets another one for now.
 */
export async function openPorts(live: LiveService, context: EngineContext): Promise<Addresses> {
  const { definition, addresses } = live.service;
  const opened = new Map<number, Exposure>();
  const taken = new Map<number, string>();
  try {
    for (const { containerPort } of definition.ports) {
      const assigned = addresses.get(containerPort);
      const exposure = await context.runtime.expose(exposedOf(live, containerPort, assigned));
      opened.set(containerPort, exposure);
      if (assigned !== undefined && portOf(assigned) !== portOf(exposure.address)) taken.set(containerPort, assigned);
    }
  } catch (error) {
    await releaseAll([...opened.values()]);
    throw error;
  }
  live.exposures = opened;
  live.takenAddresses = taken;
  return new Map([...opened].map(([port, { address }]) => [port, address]));
}

function exposedOf({ service: { uid }, runner }: LiveService, containerPort: number, assigned: string | undefined) {
  return { workload: uid, containerPort, assigned, targets: () => runner.targets(containerPort) };
}

/** Opens the service at its own addresses again, one after the other. Rejects while one is still taken. */
export async function takePortsBack(live: LiveService, context: EngineContext): Promise<void> {
  for (const [port, own] of live.takenAddresses) {
    const exposure = await context.runtime.expose({ ...exposedOf(live, port, own), isExact: true });
    const instead = live.exposures.get(port);
    live.exposures = new Map([...live.exposures, [port, exposure]]);
    live.service = { ...live.service, addresses: new Map([...live.service.addresses, [port, exposure.address]]) };
    live.takenAddresses = new Map([...live.takenAddresses].filter(([other]) => other !== port));
    await instead?.release();
  }
}

export async function closePorts(live: LiveService): Promise<void> {
  await releaseAll([...live.exposures.values()]);
}

async function releaseAll(exposures: readonly Exposure[]): Promise<void> {
  await Promise.all(exposures.map((exposure) => exposure.release()));
}

/** Stops and removes a service with its log, but keeps its disks. Resolves when all of it is gone. Idempotent. */
export async function finishDeletion(live: LiveService, context: EngineContext): Promise<void> {
  await live.runner.emptied();
  await closePorts(live);
  // Files first: on a full disk, the next steps may need their space.
  await context.runtime.clear(live.service.uid);
  await context.logs.forget(live.service.uid);
  await removeService(context.state, live.service.uid);
}
