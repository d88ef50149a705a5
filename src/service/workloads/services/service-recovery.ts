import { runIfAdmitted, keepPlace } from "../admission.ts";
import type { EngineParts } from "../engine-parts.ts";
import { keepTrying } from "../lifecycle/keep-trying.ts";
import { makeLiveService, openFronts, type LiveService } from "./live-service.ts";
import { carryOnDeletion } from "./service-deletion.ts";
import { saveService, type Service } from "../state/service-store.ts";

/** Brings back a service after a restart of the engine; a deletion that was begun is carried on. */
export async function reviveService(parts: EngineParts, remembered: Service): Promise<void> {
  const live = makeLiveService(remembered, parts.surface);
  parts.services.set(remembered.uid, live);
  if (remembered.deleting) {
    keepPlace(parts, remembered);
    live.runner.want(remembered, {});
    carryOnDeletion(parts, live);
    return;
  }
  try {
    await reopenFronts(parts, live);
    runIfAdmitted(parts, live);
  } catch (error) {
    live.held = `Its ports can't be opened (${error instanceof Error ? error.message : String(error)}). Retrying.`;
    keepPlace(parts, remembered);
    keepOpening(parts, live);
  }
}

/** For example when out of file descriptors. The service starts once its ports can be opened. */
function keepOpening(parts: EngineParts, live: LiveService): void {
  const { surface } = parts;
  const { uid } = live.service;
  async function open(): Promise<void> {
    if (!live.service.deleting && !surface.closing.aborted) {
      await reopenFronts(parts, live);
      delete live.opening;
      runIfAdmitted(parts, live);
    }
  }
  live.opening = keepTrying(() => parts.queue.run(serviceKey(live), open), {
    closing: surface.closing,
    onFailure: (error) => surface.onEvent("couldn't open the ports of a service", { error, service: uid }),
  });
  surface.inBackground(live.opening.over);
}

/** Another program may have taken a port: the new one is saved as soon as the disk allows. */
async function reopenFronts(parts: EngineParts, live: LiveService): Promise<void> {
  const { surface } = parts;
  const before = live.service.definition;
  const definition = await openFronts(live, surface);
  if (before.ports.every(({ hostPort }, index) => definition.ports[index]?.hostPort === hostPort)) return;
  live.service = { ...live.service, definition };
  const { uid } = live.service;
  // Queued with other changes of the service, which it would otherwise overwrite, and skipped after a deletion.
  const save = async (): Promise<void> => {
    if (parts.services.has(uid)) await saveService(surface.state, live.service);
  };
  const saving = keepTrying(() => parts.queue.run(serviceKey(live), save), {
    closing: surface.closing,
    onFailure: (error) => surface.onEvent("couldn't save the new port of a service", { error, service: uid }),
  });
  surface.inBackground(saving.over);
}

/** Changes with the same key run one at a time. */
export function serviceKey({ username, region, name }: Pick<LiveService, "username" | "region" | "name">): string {
  return JSON.stringify(["service", username, region, name]);
}
