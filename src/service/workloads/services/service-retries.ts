import { runIfAdmitted, reserveStopped, type EngineParts, forAMoment } from "../engine-parts.ts";
import { keepTrying } from "../lifecycle/back-off.ts";
import type { Unit } from "../runtime.ts";
import {
  makeLiveService,
  openPorts,
  serviceKey,
  takenSentence,
  takePortsBack,
  type LiveService,
  finishDeletion,
} from "./live-service.ts";
import { saveAddresses, type Service, removeService, saveService } from "../state/store.ts";
import { Refusal } from "../../engine.ts";
import { isDiskFull } from "../state/data-folder.ts";
import type { Unreadable } from "../answer-fields.ts";

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
  live.opening = keepTrying(() => parts.queue.run(serviceKey(live), open), context, { failed, service: uid });
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
  keepTrying(() => parts.queue.run(serviceKey(live), takeBack), context, { backOff: context.backOff });
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
export function carryOnDeletion(parts: EngineParts, live: LiveService): NonNullable<LiveService["deletion"]> {
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
