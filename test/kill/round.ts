import { planOf, type Point, type StoryName } from "./points.ts";
import { quiet, type Scene, Silent } from "./scene.ts";
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
  /** Decisions that had to be made again. */
  readonly repeated: number;
};

/** One story, with a kill on its way; then everything is looked at. Leaves the cluster as it was. */
export async function playRound(cluster: Cluster, round: Round, random: () => number): Promise<RoundResult> {
  await cluster.isFull();
  const name = `${round.story === "expired" ? "brief-" : "web-"}${round.number}`;
  await cluster.service.create(name);
  cluster.readPurpose.reset();
  cluster.deliveries.forget();
  cluster.trace.reset();
  cluster.lostAnswers.reset();
  let isReached = false;
  const scene: Scene = {
    cluster,
    name,
    others: [],
    random,
    isAboutRestarts: round.isAboutRestarts,
    acked: [],
    messages: [],
    toTell: [],
    repeated: [],
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
    violations.push(violationOf(error));
  }
  await cluster.trap.disarm();
  endTrouble(cluster);
  await cluster.isFull();
  violations.push(...(await judged(scene)), ...mistakes(cluster));
  await tidy(scene);
  return { isReached, violations, repeated: scene.repeated.length };
}

/** A story that could not go on. */
export function violationOf(error: unknown): Violation {
  const what = error instanceof Error ? messages(error) : String(error);
  if (error instanceof LostDecision) return { fault: "lost decisions", what };
  return { fault: error instanceof Silent ? "silent" : "stuck", what };
}

function messages({ message, cause }: Error): string {
  return cause instanceof Error ? `${message}: ${messages(cause)}` : message;
}

/** Mistakes that the replicas logged since this was asked last. */
export function mistakes(cluster: Cluster): Violation[] {
  return cluster.bugs().map((what) => ({ fault: "mistakes in the log", what }));
}

/** All that a story has broken is whole again. */
export function endTrouble({ trouble, playground }: Cluster): void {
  Object.assign(trouble, { writes: undefined, readsRefused: false, cardsRefused: 0 });
  playground.faults.clear();
  playground.people.unarchive("ops");
  playground.people.invite("ops", "gantry");
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
    return [violationOf(error)];
  }
}

/** The channel is empty again, no form is open, and the service is gone. */
export async function tidy({ cluster, name, others }: Scene): Promise<void> {
  const { playground, service } = cluster;
  for (const person of ["dana", "alex", "omar"].map((each) => playground.as(each))) {
    if (person.modal() !== undefined) await person.closes();
    for (const { ts } of person.sees("ops")) playground.people.removeMessage("ops", ts);
  }
  for (const each of [name, ...others]) await service.remove(each);
}
