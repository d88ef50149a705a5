import { until } from "../support/until.ts";
import type { ChangeRecord } from "../kill/records.ts";
import { find, type Soak } from "./acting.ts";
import type { Actor } from "./actor.ts";
import { count } from "./ledger.ts";

/** Compares the database with what the workload API got, once everybody is done. */
export async function reconcile(soak: Soak, actors: readonly Actor[]): Promise<void> {
  for (const { free, kept } of actors) {
    for (const service of [free, kept]) await reconcileOne(soak, service);
  }
}

async function reconcileOne(soak: Soak, service: string): Promise<void> {
  const { records, service: api } = soak.stage;
  const isOver = async (): Promise<boolean> => (await records.changes(service)).every(isSettled);
  // What has no end even then is found below.
  await until(isOver).catch(() => undefined);
  const changes = await records.changes(service);
  for (const { id, state } of changes.filter((change) => !isSettled(change))) {
    find(soak, "untrue", `${service}: ${id} is ${state}, and nothing goes on`);
  }
  const asked = new Set(changes.map(({ delivery_id }) => delivery_id));
  if (asked.size < changes.length) {
    find(soak, "duplicated", `${service}: ${changes.length} changes of ${asked.size} deliveries`);
  }
  for (const { state } of changes) count(soak.ledger.outcomes, state);
  const done = changes.filter(({ state }) => state === "done").length;
  const unsure = changes.filter(({ state }) => state === "unknown").length;
  const writes = api.writes(service);
  if (writes > done + unsure) find(soak, "duplicated", `${service}: ${writes} writes, and ${done} changes are done`);
  if (writes < done) find(soak, "untrue", `${service}: ${done} changes are done by ${writes} writes`);
}

/** What waits for an approval was asked for again, because Slack had given up on the first try. */
function isSettled({ state, settled_at }: ChangeRecord): boolean {
  return state === "pending" || settled_at !== null;
}
