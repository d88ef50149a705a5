import type { ChangeRecord } from "./records.ts";
import type { Violation } from "./faults.ts";
import { approverOf, asks, decides, oneOf } from "./decisions.ts";
import { outcomeOf, type Outcome } from "./outcomes.ts";
import type { Scene } from "./scene.ts";

/** What happens for each of the workloads. */
const repeated: ReadonlySet<string> = new Set(["claim", "succeed", "service: write", "service: read back"]);

/** One request for three services: somebody is killed at the first of them, or at a later one. */
export async function asksForSeveral(scene: Scene): Promise<void> {
  const { cluster, name, random } = scene;
  const names = [name, `${name}-b`, `${name}-c`];
  for (const other of names.slice(1)) {
    await cluster.service.create(other);
    scene.others.push(other);
  }
  const before = cluster.service.arrivals();
  const wanted = Math.floor(random() * names.length);
  const isRipe = (): boolean => cluster.service.arrivals() - before >= wanted;
  scene.arm(() => isRipe() || !repeated.has(cluster.trap.armed()?.name ?? ""));
  const verb = scene.isAboutRestarts ? "restart" : oneOf(scene, ["restart", "stop"]);
  await asks(scene, `${verb} ${names.join(" ")}`);
  await decides(scene, approverOf(scene), "Approve");
}

/** What must not be of a request for several workloads: a write too many, or one after a failure. */
export async function faultsOfParts({ cluster }: Scene, { id, state }: ChangeRecord): Promise<readonly Violation[]> {
  const found: Violation[] = [];
  let isStopped = false;
  for (const part of await cluster.records.parts(id)) {
    const { arrived, done } = cluster.service.written(part.id);
    const untrue = (why: string): void =>
      void found.push({ fault: "untrue settlements", what: `${part.id} is ${part.state}: ${why}` });
    if (arrived > 1) found.push({ fault: "double executions", what: `${part.id}: ${arrived} writes came in` });
    if (part.settled_at === null)
      found.push({ fault: "stuck", what: `${part.id} is ${part.state}, ${id} is ${state}` });
    if (part.state === "done" && done !== 1) untrue(`${done} writes were done`);
    if (part.state === "failed" && done > 0) untrue("a write was done");
    if ((part.state === "cancelled" || part.state === "drifted") && arrived > 0) untrue("a write came in");
    if (isStopped && arrived > 0) untrue("an earlier one had failed");
    isStopped ||= part.state === "failed" || part.state === "unknown";
    if (isStopped && state === "done") untrue(`its request ${id} is done`);
  }
  return found;
}

/** How each workload of a request ended; of one for one workload, how it ended. */
export async function outcomesOf({ cluster }: Scene, change: ChangeRecord): Promise<readonly Outcome[]> {
  const parts = change.part_count === 0 ? [change] : await cluster.records.parts(change.id);
  return parts.map((part) => outcomeOf(part, cluster.service.written(part.id)));
}
