import type { Person } from "../../src/playground/people/person.ts";
import { cards, ENOUGH_MS, isAtEnd, quiet, type Scene, whispers } from "./scene.ts";
import { holds } from "./holds.ts";
import type { Town } from "./town.ts";
import { judge, type Violation } from "./verdict.ts";
import { endTrouble, tidy } from "./round.ts";
import { type FaultStory, faultStories } from "./points.ts";
import { cleanUp, stories } from "./stories.ts";

/** What a special round looked at, in a line, and what was wrong. */
export type Special = { readonly line: string; readonly violations: readonly Violation[] };

const freezes = [
  { at: "after", words: (name: string) => `scale ${name} 4`, writes: 0 },
  { at: "after", words: (name: string) => `scale ${name} 3`, writes: 0 },
  { at: "before", words: (name: string) => `scale ${name} 5`, writes: 1 },
] as const;
const RACES = 3;
const CLICKS = 50;

/** Rounds that kill nobody: a replica that stands still and goes on, and many clicks at once. */
export async function playSpecials(town: Town, { replicas }: { readonly replicas: number }): Promise<Special[]> {
  const played: Special[] = [];
  const froze = replicas > 1 ? freezes : [];
  for (const [index, each] of froze.entries()) {
    played.push(await orStuck(town, `stopped ${each.at} its claim`, () => frozen(town, `cold-${index}`, each)));
  }
  for (let race = 0; race < RACES; race += 1) {
    played.push(await orStuck(town, `${CLICKS} clicks at once`, () => fiftyClicks(town, `race-${race}`)));
  }
  for (const story of faultStories) {
    played.push(await orStuck(town, `story ${story}, and nobody killed`, () => inTrouble(town, story)));
  }
  return played;
}

/** A story in which Slack is in trouble, without a kill. */
async function inTrouble(town: Town, story: FaultStory): Promise<Special> {
  const scene = await begin(town, `trouble-${story}`);
  try {
    await stories[story](scene);
  } finally {
    endTrouble(town);
  }
  await quiet(scene);
  await cleanUp(scene);
  await quiet(scene);
  const violations = await judge(scene);
  const changes = await town.records.changes(scene.name);
  await tidy(scene);
  return { line: `story ${story}, and nobody killed: ${changes.map(({ state }) => state).join(", ")}`, violations };
}

async function orStuck(town: Town, line: string, play: () => Promise<Special>): Promise<Special> {
  try {
    return await play();
  } catch (error) {
    // The rounds after this one need all replicas.
    const left = town.frozen();
    if (left !== undefined) await town.crew.kill(left);
    return { line, violations: [{ fault: "stuck", what: error instanceof Error ? error.message : String(error) }] };
  }
}

/** SIGSTOP at its claim; another one takes over and comes to an end; SIGCONT: nothing more is sent. */
async function frozen(town: Town, name: string, { at, words, writes }: (typeof freezes)[number]): Promise<Special> {
  const scene = await begin(town, name);
  const dana = town.playground.as("dana");
  town.onTrap("freeze");
  const isFrozen = town.trap.arm({ name: "claim", when: at });
  try {
    await dana.says(`/gantry ${words(name)}`, { channel: "ops" });
    await isFrozen;
    const settled = async () => (await town.records.changes(name)).some(isAtEnd);
    await holds(settled, "another replica takes it over and comes to an end", ENOUGH_MS);
  } finally {
    town.onTrap("kill");
    town.trap.disarm();
  }
  const [change] = await town.records.changes(name);
  const before = { ...town.service.written(change?.id ?? "") };
  const replica = town.frozen() ?? 0;
  const stepsBefore = town.steps(replica);
  town.crew.thaw(replica);
  await holds(() => town.steps(replica) > stepsBefore + 30, "it goes on", ENOUGH_MS);
  await quiet(scene);
  const after = town.service.written(change?.id ?? "");
  const violations = [...(await judge(scene))];
  if (before.arrived !== writes || after.arrived !== writes) {
    const what = `${before.arrived} writes came in while it stood still, ${after.arrived} after it went on, not ${writes}`;
    violations.push({ fault: "double executions", what });
  }
  await tidy(scene);
  const line = `stopped ${at} its claim, taken over, went on: ${change?.state}, ${after.arrived} writes`;
  return { line, violations };
}

/** Everybody clicks at once, on all replicas; every third click comes twice. */
async function fiftyClicks(town: Town, name: string): Promise<Special> {
  const scene = await begin(town, name);
  const { playground } = town;
  const dana = playground.as("dana");
  await dana.says(`/gantry restart ${name}`, { channel: "ops" });
  const approvable = () => cards({ town }).some(({ buttons }) => buttons.includes("Approve"));
  await holds(approvable, "a card to approve", ENOUGH_MS);
  const people = [playground.as("alex"), playground.as("omar"), dana];
  const clicks = Array.from({ length: CLICKS }, (_, index) =>
    click(town, people[index % people.length] ?? dana, index),
  );
  const acked = (await Promise.all(clicks)).filter((isAcked) => isAcked).length;
  playground.faults.deliverTwice = false;
  const unacked = town.door.delivered().filter(({ isAcked }) => !isAcked);
  // On a busy machine some acks come after Slack's 3 s; nobody may be left without one for good.
  for (const delivery of unacked) await holds(() => town.door.repeat(delivery), "a late click is acked", ENOUGH_MS);
  await quiet(scene);
  const violations = [...(await judge(scene))];
  const [change] = await town.records.changes(name);
  const { arrived } = town.service.written(change?.id ?? "");
  if (arrived > 1) violations.push({ fault: "double executions", what: `${CLICKS} clicks, ${arrived} writes` });
  // On a busy machine the workload may not be read in time before it is sent: then it failed, and its card says so.
  if (arrived === 0 && change?.state !== "failed") {
    violations.push({ fault: "lost decisions", what: `${CLICKS} clicks, no write, and it is ${change?.state}` });
  }
  const told = people.reduce((sum, person) => sum + whispers(person), 0);
  if (told < CLICKS) violations.push({ fault: "unanswered", what: `${CLICKS} clicks got ${told} answers` });
  const sent = town.door.delivered().length - 1;
  await tidy(scene);
  const line = `${CLICKS} clicks at once, ${sent} deliveries, ${acked} clicks acked in time: ${change?.state}, ${arrived} writes`;
  return { line, violations };
}

async function click({ playground }: Town, person: Person, index: number): Promise<boolean> {
  playground.faults.deliverTwice = index % 3 === 0;
  // Up to its first pause a click knows whether it is delivered twice.
  return (await person.clicks("Approve", { channel: "ops" })).acked;
}

async function begin(town: Town, name: string): Promise<Scene> {
  await town.isFull();
  await town.service.create(name);
  town.stage.reset();
  town.door.forget();
  return {
    town,
    name,
    random: Math.random,
    arm: () => undefined,
    isAboutUndo: false,
    isAboutRestarts: false,
    acked: [],
    messages: [],
    unanswered: [],
  };
}
