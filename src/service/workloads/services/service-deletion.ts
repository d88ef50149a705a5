import { Refusal } from "../../engine.ts";
import { forAMoment, type EngineParts } from "../engine-parts.ts";
import { keepTrying } from "../lifecycle/keep-trying.ts";
import { finishDeletion, type LiveService } from "./live-service.ts";
import { isDiskFull } from "../state/file-errors.ts";
import { removeService, saveService } from "../state/service-store.ts";
import type { Unreadable } from "../state/unreadable.ts";

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
  live.deletion = keepTrying(finish, {
    closing: context.closing,
    clock: context.clock,
    onFailure: (error) => context.onEvent("couldn't delete a service; retrying", { error, service: uid }),
  });
  context.inBackground(live.deletion.over);
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
