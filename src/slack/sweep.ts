import type { StoredChange } from "../changes/stored-change.ts";
import { carryOn } from "./carry-on.ts";
import { goOnWith, takeOver } from "./deliveries.ts";
import { draw } from "./draw.ts";
import { eventOf, logEvent } from "./event.ts";
import type { Shell } from "./shell.ts";

/** What nobody carried out within this is not carried out any more. */
const APPROVED_FOR_MS = 10 * 60_000;

/**
 * Looks for what somebody has to carry on: expiries, what gone replicas left behind, cards that are not of their last
 * version. Any replica does it at any time. Rejects when the database does not answer.
 */
export async function sweep(shell: Shell): Promise<void> {
  const { store, inflight } = shell;
  if (inflight.isStopping()) return;
  await store.beat();
  goOnWith(shell);
  for (const delivery of await store.takeDeliveries()) takeOver(shell, delivery);
  for (const change of await store.expireDue(APPROVED_FOR_MS, (each) => expiredEvent(shell, each))) {
    logEvent(shell, expiredEvent(shell, change));
  }
  for (const change of await store.openChanges()) {
    inflight.start((signal) => carryOn(shell, { change, isFresh: false }, signal));
  }
  for (const id of await store.undrawn()) {
    inflight.start(() => draw(shell, id));
  }
  await shell.calls.flush();
}

function expiredEvent(shell: Shell, change: StoredChange) {
  const result = change.approvedAt === undefined ? "nobody decided in time" : "nobody carried it out in time";
  return eventOf(shell, change, { kind: "expired", result });
}
