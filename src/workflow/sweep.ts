import type { NewHistoryEvent } from "../changes/history-event.ts";
import type { StoredChange } from "../changes/stored-change.ts";
import { carryOnLater, redrawLater } from "./run.ts";
import { goOnWith, takeOver } from "./inbox/accept.ts";
import { eventOf, logEvent } from "./history.ts";
import type { Shell } from "./shell.ts";

/** What nobody carried out within this is not carried out any more. */
const APPROVED_FOR_MS = 10 * 60_000;

/**
 * Looks for what somebody has to carry on: expiries, what gone replicas left behind, cards that are not of their last
 * version. Any replica does it at any time. Rejects when the database does not answer.
 */
export async function sweep(shell: Shell): Promise<void> {
  const { store, lanes } = shell;
  if (lanes.isStopping()) return;
  await store.beat();
  await shell.dropped.flush();
  goOnWith(shell);
  for (const delivery of await store.takeDeliveries()) takeOver(shell, delivery);
  await expire(shell);
  const open = await store.openChanges();
  const running = new Set(open.filter(isRunning).map(workloadKey));
  for (const change of open) {
    // One Run per workload: it could not be claimed now, so it is not read again either.
    if (change.state === "approved" && running.has(workloadKey(change))) continue;
    carryOnLater(shell, { change, isFresh: false });
  }
  for (const id of await store.undrawn()) redrawLater(shell, id);
  await shell.calls.flush();
}

/** A row that is written into history is logged once its transaction is over. */
async function expire(shell: Shell): Promise<void> {
  const events = new Map<string, NewHistoryEvent>();
  const expired = await shell.store.expireDue(APPROVED_FOR_MS, (change) => {
    const result = change.approvedAt === undefined ? "nobody decided in time" : "nobody carried it out in time";
    const event = eventOf(shell, change, { kind: "expired", result });
    events.set(change.id, event);
    return event;
  });
  for (const { id } of expired) {
    const event = events.get(id);
    if (event !== undefined) logEvent(shell, event);
  }
}

function isRunning({ state, settledAt }: StoredChange): boolean {
  return state === "claimed" || (state === "unknown" && settledAt === undefined);
}

function workloadKey({ workload: { region, kind, name } }: StoredChange): string {
  return `${region}/${kind}/${name}`;
}
