import { planOf, type Point, type StoryName } from "./points.ts";
import { quiet, type Scene } from "./scene.ts";
import { LostDecision } from "./decisions.ts";
import { cleanUp, stories } from "./stories.ts";
import type { Cluster } from "./cluster.ts";
import { findFaults, type Violation } from "./faults.ts";

export type Round = {
  readonly number: number;
  readonly point: Point;
  readonly story: StoryName;
  readonly isAboutRestarts: boolean;
  /** How often the point is passed before it is taken. */
  readonly passes: number;
};

export type RoundResult = {
  /** Whether somebody was killed at the point. */
  readonly isReached: boolean;
  readonly violations: readonly Violation[];
  /** Changes of which nobody can tell whether they took effect. */
  readonly unknown: number;
  readonly changes: number;
};

/** One story, with a kill on its way; then everything is looked at. Leaves the cluster as it was. */
export async function playRound(cluster: Cluster, round: Round, random: () => number): Promise<RoundResult> {
  await cluster.isFull();
  const name = `${round.story === "expired" ? "brief-" : "web-"}${round.number}`;
  await cluster.service.create(name);
  cluster.readPurpose.reset();
  cluster.loadBalancer.forget();
  let isReached = false;
  const scene: Scene = {
    cluster: cluster,
    name,
    random,
    isAboutRestarts: round.isAboutRestarts,
    isAboutUndo: round.point.name === "markUndone",
    acked: [],
    messages: [],
    unanswered: [],
    arm: (isRipe = () => true) => void arm(cluster, round, { isRipe, random }).then(() => (isReached = true)),
  };
  const violations: Violation[] = [];
  try {
    await stories[round.story](scene);
    endTrouble(cluster);
    await quiet(scene);
    await cleanUp(scene);
    await quiet(scene);
  } catch (error) {
    const fault = error instanceof LostDecision ? "lost decisions" : "stuck";
    violations.push({ fault, what: error instanceof Error ? error.message : String(error) });
  }
  cluster.trap.disarm();
  endTrouble(cluster);
  await cluster.isFull();
  violations.push(
    ...(await judged(scene)),
    ...cluster.bugs().map((what) => ({ fault: "mistakes in the log", what }) as const),
  ); // a literal
  const changes = await cluster.records.changes(name);
  await tidy(scene);
  return {
    isReached,
    violations,
    unknown: changes.filter(({ state }) => state === "unknown").length,
    changes: changes.length,
  };
}

/** All that a story has broken is whole again. */
export function endTrouble({ trouble, playground }: Cluster): void {
  Object.assign(trouble, { writes: undefined, readsRefused: false, cardsRefused: 0 });
  playground.trouble.clear();
  playground.people.unarchive("ops");
}

type Arming = { readonly isRipe: () => boolean; readonly random: () => number };

async function arm(
  { trap, replicas, leaseOverMs }: Cluster,
  { point, passes }: Round,
  { isRipe, random }: Arming,
): Promise<void> {
  const { afterKillAt } = planOf(point);
  if (afterKillAt === undefined) return trap.arm(point, { passes, isRipe });
  const first = afterKillAt[Math.floor(random() * afterKillAt.length)] ?? point;
  await trap.arm(first);
  // Others look all the time; what they find, they find when the lease is over.
  const waits = point.when !== "after" && replicas.ports().length > 0;
  const fromMs = waits ? leaseOverMs() : 0;
  await trap.arm(point, { isRipe: () => isRipe() && performance.now() >= fromMs });
}

async function judged(scene: Scene): Promise<readonly Violation[]> {
  try {
    return await findFaults(scene);
  } catch (error) {
    return [{ fault: "stuck", what: error instanceof Error ? error.message : String(error) }];
  }
}

/** The channel is empty again, no form is open, and the service is gone. */
export async function tidy({ cluster: cluster, name }: Scene): Promise<void> {
  const { playground, service } = cluster;
  for (const person of ["dana", "alex", "omar"].map((each) => playground.as(each))) {
    if (person.modal() !== undefined) await person.dismisses();
    for (const { ts } of person.sees("ops")) playground.people.removeMessage("ops", ts);
  }
  await service.remove(name);
}
