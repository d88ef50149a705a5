import type { ChangeRecord } from "./records.ts";
import type { Violation } from "./faults.ts";
import { approverOf, asks, decides, oneOf } from "./decisions.ts";
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

/** The rest of what happens for each of the workloads of a deploy. */
const repeatedInRollouts: ReadonlySet<string> = new Set([...repeated, "observe", "service: read for health"]);

/** A deploy of one service. */
export async function deploys(scene: Scene): Promise<void> {
  scene.arm();
  await asks(scene, `deploy ${scene.name} 1.5`);
  await decides(scene, approverOf(scene), "Approve");
}

/** Its image never gets ready: somebody is killed on the way there, or on the way back. */
export async function deploysAndGoesBack(scene: Scene): Promise<void> {
  const { cluster, name, random } = scene;
  await cluster.service.read(name);
  cluster.service.breaks(name);
  const before = cluster.service.arrivals();
  const isOnTheWayBack = random() < 0.7;
  scene.arm(() => !isOnTheWayBack || cluster.service.arrivals() > before);
  await asks(scene, `deploy ${name} 1.5`);
  await decides(scene, approverOf(scene), "Approve");
}

/** A deploy of three services, of which the second one sometimes doesn't get ready. */
export async function deploysSeveral(scene: Scene): Promise<void> {
  const { cluster, name, random } = scene;
  const names = [name, `${name}-b`, `${name}-c`];
  for (const other of names.slice(1)) {
    await cluster.service.create(other);
    scene.others.push(other);
  }
  if (random() < 0.5) {
    await cluster.service.read(`${name}-b`);
    cluster.service.breaks(`${name}-b`);
  }
  const before = cluster.service.arrivals();
  const wanted = Math.floor(random() * names.length);
  const isRipe = (): boolean => cluster.service.arrivals() - before >= wanted;
  scene.arm(() => isRipe() || !repeatedInRollouts.has(cluster.trap.armed()?.name ?? ""));
  await asks(scene, `deploy ${names.join(" ")} 1.5`);
  await decides(scene, approverOf(scene), "Approve");
}

/** A service runs what the last write asked for, and no deploy begins before the one before it is healthy. */
export function faultsOfRollouts({ cluster, name, others }: Scene, changes: readonly ChangeRecord[]): Violation[] {
  const { service } = cluster;
  const early = service.early().map((what): Violation => ({ fault: "parts begun too early", what }));
  const wrong = [name, ...others].flatMap((each): Violation[] => {
    const last = changes.findLast((change) => change.workload_name === each && service.written(change.id).done > 0);
    if (last === undefined || changes.some(({ state }) => state === "unknown")) return [];
    const { body } = service.written(last.id);
    const { containers = [], revision } = JSON.parse(body || "{}") as Sent; // what the bot sent
    const wanted = containers[0]?.image ?? (revision === undefined ? undefined : service.keptImage(each, revision));
    const runs = service.imageOf(each);
    if (wanted === undefined || wanted === runs) return [];
    return [{ fault: "untrue settlements", what: `${last.id} asked for ${wanted}, and ${each} runs ${runs}` }];
  });
  return [...early, ...wrong];
}

type Sent = {
  readonly containers?: readonly { readonly image?: string }[];
  readonly revision?: number;
};

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
    const isUnwell = part.verb === "deploy" && part.state === "done" && !isWell(part);
    isStopped ||= part.state === "failed" || part.state === "unknown" || isUnwell;
    if (isStopped && state === "done") untrue(`its request ${id} is done`);
  }
  return found;
}

function isWell({ health, progress }: ChangeRecord): boolean {
  return /"kind":"reached"/u.test(health ?? progress ?? "");
}
