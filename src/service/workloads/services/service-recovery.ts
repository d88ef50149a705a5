import { runIfAdmitted, reserveStopped } from "../admission.ts";
import type { EngineParts } from "../engine-parts.ts";
import { keepTrying } from "../lifecycle/keep-trying.ts";
import type { Unit } from "../runtime.ts";
import { makeLiveService, openPorts, type LiveService } from "./live-service.ts";
import { carryOnDeletion } from "./service-deletion.ts";
import { saveAddresses, type Service } from "../state/service-store.ts";

/** Restores a service after a restart of the engine, with the units that still run. Finishes an accepted deletion. */
export async function reviveService(parts: EngineParts, saved: Service, adopted: readonly Unit[]): Promise<void> {
  const live = makeLiveService(saved, parts.deps, adopted);
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
  const { deps } = parts;
  const { uid } = live.service;
  async function open(): Promise<void> {
    if (!live.service.deleting && !deps.closing.aborted) {
      await reopenPorts(parts, live);
      delete live.opening;
      runIfAdmitted(parts, live);
    }
  }
  live.opening = keepTrying(() => parts.queue.run(serviceKey(live), open), {
    closing: deps.closing,
    onFailure: (error) => deps.onEvent("couldn't open the ports of a service", { error, service: uid }),
  });
  deps.inBackground(live.opening.over);
}

/** Another program may have taken an address: the new one is saved as soon as the disk allows. */
async function reopenPorts(parts: EngineParts, live: LiveService): Promise<void> {
  const { deps } = parts;
  const { uid, addresses: before } = live.service;
  const addresses = await openPorts(live, deps);
  if ([...addresses].every(([port, address]) => before.get(port) === address)) return;
  live.service = { ...live.service, addresses };
  const saving = keepTrying(() => saveAddresses(deps.state, live.service), {
    closing: deps.closing,
    onFailure: (error) => deps.onEvent("couldn't save the new port of a service", { error, service: uid }),
  });
  deps.inBackground(saving.over);
}

/** Changes with the same key run one at a time. */
export function serviceKey({ username, region, name }: Pick<LiveService, "username" | "region" | "name">): string {
  return JSON.stringify(["service", username, region, name]);
}
