import type { EngineContext } from "../engine-context.ts";
import {
  runIfAdmitted,
  reserveStopped,
  type EngineParts,
  type LiveService,
  forAMoment,
  turnOf,
} from "../engine-parts.ts";
import { keepTrying } from "../lifecycle/back-off.ts";
import { portOf } from "../ports.ts";
import type { Exposure, Unit } from "../runtime.ts";
import { removeService, saveService, type Addresses, type Service, saveAddresses } from "../state/store.ts";
import type { ShownRevision, StatusWithReason } from "./service-answer.ts";
import { isRevised, type Revisions, withRevision } from "./revisions.ts";
import { makeServiceRunner } from "./service-runner.ts";
import type { ServiceState } from "./service-status.ts";
import { Refusal } from "../../engine.ts";
import { isDiskFull } from "../state/data-folder.ts";
import type { Unreadable } from "../answer-fields.ts";

/** A service without open ports, of which only the adopted units run. */
export function makeLiveService(service: Service, parts: LivesWith, adopted: readonly Unit[] = []): LiveService {
  const { username, region, name } = service;
  const { context } = parts;
  const onProven = (revisions: Revisions): void => saveProven(live, parts, revisions);
  const runner = makeServiceRunner(service, { context, onProven, adopted });
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

type LivesWith = Pick<EngineParts, "context" | "queue">;

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
  keepTrying(() => queue.run(turnOf("service", live), save), context, { failed, service: uid });
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
function takenSentence({ service, takenAddresses }: LiveService): string | undefined {
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
async function takePortsBack(live: LiveService, context: EngineContext): Promise<void> {
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
async function finishDeletion(live: LiveService, context: EngineContext): Promise<void> {
  await live.runner.emptied();
  await closePorts(live);
  // Files first: on a full disk, the next steps may need their space.
  await context.runtime.clear(live.service.uid);
  await context.logs.forget(live.service.uid);
  await removeService(context.state, live.service.uid);
}

/** Restores a service after a restart of the engine, with the units that still run. Finishes an accepted deletion. */
export async function reviveService(parts: EngineParts, saved: Service, adopted: readonly Unit[]): Promise<void> {
  const live = makeLiveService(saved, parts, adopted);
  parts.services.set(saved.uid, live);
  if (saved.deleting) {
    reserveStopped(parts, saved);
    live.runner.want(saved, {});
    carryOnDeletion(parts, live);
    return;
  }
  try {
    await reopenPorts(parts, live);
    runIfAdmitted(parts, live);
  } catch (error) {
    live.held = `Its ports can't be opened (${error instanceof Error ? error.message : String(error)}). Retrying.`;
    reserveStopped(parts, saved);
    keepOpening(parts, live);
  }
}

/** For example when out of file descriptors. The service starts once its ports can be opened. */
function keepOpening(parts: EngineParts, live: LiveService): void {
  const { context } = parts;
  const { uid } = live.service;
  async function open(): Promise<void> {
    if (!live.service.deleting && !context.closing.aborted) {
      await reopenPorts(parts, live);
      delete live.opening;
      runIfAdmitted(parts, live);
    }
  }
  const failed = "couldn't open the ports of a service";
  live.opening = keepTrying(() => parts.queue.run(turnOf("service", live), open), context, { failed, service: uid });
}

/** An address on another host, because the machine's was changed, is saved as soon as the disk allows. */
async function reopenPorts(parts: EngineParts, live: LiveService): Promise<void> {
  const { context } = parts;
  const { uid, addresses: before } = live.service;
  const addresses = await openPorts(live, context);
  live.service = { ...live.service, addresses };
  if (live.takenAddresses.size > 0) keepTakingBack(parts, live);
  const own = new Map([...addresses, ...live.takenAddresses]);
  if ([...own].every(([port, address]) => before.get(port) === address)) return;
  const failed = "couldn't save the new port of a service";
  keepTrying(() => saveAddresses(context.state, { ...live.service, addresses: own }), context, {
    failed,
    service: uid,
  });
}

/** The saved address stays the service's own. It is tried again with growing pauses, and at the next start. */
function keepTakingBack(parts: EngineParts, live: LiveService): void {
  const { context } = parts;
  const { uid, name } = live.service;
  const note = (text: string | undefined): void => context.logs.append(uid, `${name}-0`, `[gantry] ${text}`);
  const data = { service: uid, taken: [...live.takenAddresses.values()] };
  context.onEvent("another program has the port of a service, which answers at another one until that is free", data);
  note(takenSentence(live));
  async function takeBack(): Promise<void> {
    if (live.service.deleting || context.closing.aborted) return;
    await takePortsBack(live, context);
    context.onEvent("a service has its own port again", { service: uid });
    note(`it answers at its own address again: ${data.taken.join(", ")}`);
  }
  // That it failed was said already.
  keepTrying(() => parts.queue.run(turnOf("service", live), takeBack), context, { backOff: context.backOff });
}

/**
 * Deletes a service: saves the deletion, stops the instances, removes the rest. Resolves when it is gone, or after a
 * moment while instances still stop, to whether it is gone. Calling it again retries failed steps.
 */
export async function deleteService(parts: EngineParts, live: LiveService, signal: AbortSignal): Promise<boolean> {
  if (!live.service.deleting) {
    const service = { ...live.service, deleting: true };
    await saveService(parts.context.state, service);
    live.service = service;
    live.runner.want(service, {});
  }
  const deletion = live.deletion ?? carryOnDeletion(parts, live);
  try {
    return await forAMoment(deletion.attempt(), signal, parts.context.clock);
  } catch (error) {
    if (!isDiskFull(error)) throw error;
    throw new Refusal(
      503,
      `The disk of the workload API is full. ${live.name} is stopped, and will be deleted when there is space again.`,
      { cause: error },
    );
  }
}

/** Finishes an accepted deletion, also one from an earlier engine. Retries failures, such as a full disk. */
function carryOnDeletion(parts: EngineParts, live: LiveService): NonNullable<LiveService["deletion"]> {
  const { uid } = live.service;
  const { context } = parts;
  async function finish(): Promise<void> {
    await finishDeletion(live, context);
    parts.services.delete(uid);
    parts.context.ledger.release(uid);
    // Its last instance was gone a while before.
    context.changed({ username: live.username, region: live.region, kind: "service" });
  }
  live.deletion = keepTrying(finish, context, { failed: "couldn't delete a service; retrying", service: uid });
  return live.deletion;
}

/** Deletes a damaged service, of which nothing runs. */
export async function deleteUnreadableService(parts: EngineParts, { uid }: Unreadable): Promise<void> {
  const { state, logs, runtime } = parts.context;
  await removeService(state, uid);
  parts.unreadable.delete(uid);
  parts.context.ledger.release(uid);
  parts.context.inBackground(logs.forget(uid));
  parts.context.inBackground(runtime.clear(uid));
}
