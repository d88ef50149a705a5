import { planOf, type Point, type StoryName } from "./points.ts";
import { quiet, type Scene } from "./scene.ts";
import { LostDecision } from "./deciding.ts";
import { cleanUp, stories } from "./stories.ts";
import type { Town } from "./town.ts";
import { judge, type Violation } from "./verdict.ts";

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

/** One story, with a kill on its way; then everything is looked at. Leaves the town as it was. */
export async function playRound(town: Town, round: Round, random: () => number): Promise<RoundResult> {
  await town.isFull();
  const name = `${round.story === "expired" ? "brief-" : "web-"}${round.number}`;
  await town.service.create(name);
  town.stage.reset();
  town.door.forget();
  let isReached = false;
  const scene: Scene = {
    town,
    name,
    random,
    isAboutRestarts: round.isAboutRestarts,
    isAboutUndo: round.point.name === "markUndone",
    acked: [],
    messages: [],
    unanswered: [],
    arm: (isRipe = () => true) => void arm(town, round, { isRipe, random }).then(() => (isReached = true)),
  };
  const violations: Violation[] = [];
  try {
    await stories[round.story](scene);
    endTrouble(town);
    await quiet(scene);
    await cleanUp(scene);
    await quiet(scene);
  } catch (error) {
    const fault = error instanceof LostDecision ? "lost decisions" : "stuck";
    violations.push({ fault, what: error instanceof Error ? error.message : String(error) });
  }
  town.trap.disarm();
  endTrouble(town);
  await town.isFull();
  violations.push(
    ...(await judged(scene)),
    ...town.bugs().map((what) => ({ fault: "mistakes in the log", what }) as const),
  ); // a literal
  const changes = await town.records.changes(name);
  await tidy(scene);
  return {
    isReached,
    violations,
    unknown: changes.filter(({ state }) => state === "unknown").length,
    changes: changes.length,
  };
}

/** All that a story has broken is whole again. */
export function endTrouble({ trouble, playground }: Town): void {
  Object.assign(trouble, { writes: undefined, readsRefused: false, cardsRefused: 0 });
  playground.faults.clear();
  playground.people.unarchive("ops");
}

type Arming = { readonly isRipe: () => boolean; readonly random: () => number };

async function arm(
  { trap, crew, leaseOverMs }: Town,
  { point, passes }: Round,
  { isRipe, random }: Arming,
): Promise<void> {
  const { afterKillAt } = planOf(point);
  if (afterKillAt === undefined) return trap.arm(point, { passes, isRipe });
  const first = afterKillAt[Math.floor(random() * afterKillAt.length)] ?? point;
  await trap.arm(first);
  // Others look all the time; what they find, they find when the lease is over.
  const waits = point.when !== "after" && crew.ports().length > 0;
  const fromMs = waits ? leaseOverMs() : 0;
  await trap.arm(point, { isRipe: () => isRipe() && performance.now() >= fromMs });
}

async function judged(scene: Scene): Promise<readonly Violation[]> {
  try {
    return await judge(scene);
  } catch (error) {
    return [{ fault: "stuck", what: error instanceof Error ? error.message : String(error) }];
  }
}

/** The channel is empty again, no form is open, and the service is gone. */
export async function tidy({ town, name }: Scene): Promise<void> {
  const { playground, service } = town;
  for (const person of ["dana", "alex", "omar"].map((each) => playground.as(each))) {
    if (person.modal() !== undefined) await person.dismisses();
    for (const { ts } of person.sees("ops")) playground.people.removeMessage("ops", ts);
  }
  await service.remove(name);
}
