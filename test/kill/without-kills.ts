import type { Person } from "../../src/playground/people/person.ts";
import { cards, ENOUGH_MS, isAtEnd, quiet, type Scene, ephemerals } from "./scene.ts";
import { waitFor } from "./wait-for.ts";
import type { Cluster } from "./cluster.ts";
import { findFaults, type Violation } from "./faults.ts";
import { endTrouble, tidy } from "./round.ts";
import { type FaultStory, faultStories } from "./points.ts";
import { cleanUp, stories } from "./stories.ts";

/** What a special round looked at, in a line, and what was wrong. */
export type Check = { readonly line: string; readonly violations: readonly Violation[] };

const freezes = [
  { at: "after", words: (name: string) => `scale ${name} 4`, writes: 0 },
  { at: "after", words: (name: string) => `scale ${name} 3`, writes: 0 },
  { at: "before", words: (name: string) => `scale ${name} 5`, writes: 1 },
] as const;
const RACES = 3;
const CLICKS = 50;

/** Rounds that kill nobody: a replica that stands still and goes on, and many clicks at once. */
export async function playWithoutKills(
  cluster: Cluster,
  { replicas }: { readonly replicas: number },
): Promise<Check[]> {
  const played: Check[] = [];
  const froze = replicas > 1 ? freezes : [];
  for (const [index, each] of froze.entries()) {
    played.push(await orStuck(cluster, `stopped ${each.at} its claim`, () => frozen(cluster, `cold-${index}`, each)));
  }
  for (let race = 0; race < RACES; race += 1) {
    played.push(await orStuck(cluster, `${CLICKS} clicks at once`, () => fiftyClicks(cluster, `race-${race}`)));
  }
  for (const story of faultStories) {
    played.push(await orStuck(cluster, `story ${story}, and nobody killed`, () => inTrouble(cluster, story)));
  }
  return played;
}

/** A story in which Slack is in trouble, without a kill. */
async function inTrouble(cluster: Cluster, story: FaultStory): Promise<Check> {
  const scene = await begin(cluster, `trouble-${story}`);
  try {
    await stories[story](scene);
  } finally {
    endTrouble(cluster);
  }
  await quiet(scene);
  await cleanUp(scene);
  await quiet(scene);
  const violations = await findFaults(scene);
  const changes = await cluster.records.changes(scene.name);
  await tidy(scene);
  return { line: `story ${story}, and nobody killed: ${changes.map(({ state }) => state).join(", ")}`, violations };
}

async function orStuck(cluster: Cluster, line: string, play: () => Promise<Check>): Promise<Check> {
  try {
    return await play();
  } catch (error) {
    // The rounds after this one need all replicas.
    const left = cluster.frozen();
    if (left !== undefined) await cluster.replicas.kill(left);
    return { line, violations: [{ fault: "stuck", what: error instanceof Error ? error.message : String(error) }] };
  }
}

/** SIGSTOP at its claim; another one takes over and comes to an end; SIGCONT: nothing more is sent. */
async function frozen(cluster: Cluster, name: string, { at, words, writes }: (typeof freezes)[number]): Promise<Check> {
  const scene = await begin(cluster, name);
  const dana = cluster.playground.as("dana");
  cluster.onTrap("freeze");
  const isFrozen = cluster.trap.arm({ name: "claim", when: at });
  try {
    await dana.says(`/gantry ${words(name)}`, { channel: "ops" });
    await isFrozen;
    const settled = async () => (await cluster.records.changes(name)).some(isAtEnd);
    await waitFor(settled, "another replica takes it over and comes to an end", ENOUGH_MS);
  } finally {
    cluster.onTrap("kill");
    cluster.trap.disarm();
  }
  const [change] = await cluster.records.changes(name);
  const before = { ...cluster.service.written(change?.id ?? "") };
  const replica = cluster.frozen() ?? 0;
  const stepsBefore = cluster.steps(replica);
  cluster.replicas.thaw(replica);
  await waitFor(() => cluster.steps(replica) > stepsBefore + 30, "it goes on", ENOUGH_MS);
  await quiet(scene);
  const after = cluster.service.written(change?.id ?? "");
  const violations = [...(await findFaults(scene))];
  if (before.arrived !== writes || after.arrived !== writes) {
    const what = `${before.arrived} writes came in while it stood still, ${after.arrived} after it went on, not ${writes}`;
    violations.push({ fault: "double executions", what });
  }
  await tidy(scene);
  const line = `stopped ${at} its claim, taken over, went on: ${change?.state}, ${after.arrived} writes`;
  return { line, violations };
}

/** Everybody clicks at once, on all replicas; every third click comes twice. */
async function fiftyClicks(cluster: Cluster, name: string): Promise<Check> {
  const scene = await begin(cluster, name);
  const { playground } = cluster;
  const dana = playground.as("dana");
  await dana.says(`/gantry restart ${name}`, { channel: "ops" });
  const approvable = () => cards({ cluster: cluster }).some(({ buttons }) => buttons.includes("Approve"));
  await waitFor(approvable, "a card to approve", ENOUGH_MS);
  const people = [playground.as("alex"), playground.as("omar"), dana];
  const clicks = Array.from({ length: CLICKS }, (_, index) =>
    click(cluster, people[index % people.length] ?? dana, index),
  );
  const acked = (await Promise.all(clicks)).filter((isAcked) => isAcked).length;
  playground.trouble.deliverTwice = false;
  const unacked = cluster.loadBalancer.delivered().filter(({ isAcked }) => !isAcked);
  // On a busy machine some acks come after Slack's 3 s; nobody may be left without one for good.
  for (const delivery of unacked)
    await waitFor(() => cluster.loadBalancer.repeat(delivery), "a late click is acked", ENOUGH_MS);
  await quiet(scene);
  const violations = [...(await findFaults(scene))];
  const [change] = await cluster.records.changes(name);
  const { arrived } = cluster.service.written(change?.id ?? "");
  if (arrived > 1) violations.push({ fault: "double executions", what: `${CLICKS} clicks, ${arrived} writes` });
  // On a busy machine the workload may not be read in time before it is sent: then it failed, and its card says so.
  if (arrived === 0 && change?.state !== "failed") {
    violations.push({ fault: "lost decisions", what: `${CLICKS} clicks, no write, and it is ${change?.state}` });
  }
  const told = people.reduce((sum, person) => sum + ephemerals(person), 0);
  if (told < CLICKS) violations.push({ fault: "unanswered", what: `${CLICKS} clicks got ${told} answers` });
  const sent = cluster.loadBalancer.delivered().length - 1;
  await tidy(scene);
  const line = `${CLICKS} clicks at once, ${sent} deliveries, ${acked} clicks acked in time: ${change?.state}, ${arrived} writes`;
  return { line, violations };
}

async function click({ playground }: Cluster, person: Person, index: number): Promise<boolean> {
  playground.trouble.deliverTwice = index % 3 === 0;
  // Up to its first pause a click knows whether it is delivered twice.
  return (await person.clicks("Approve", { channel: "ops" })).acked;
}

async function begin(cluster: Cluster, name: string): Promise<Scene> {
  await cluster.isFull();
  await cluster.service.create(name);
  cluster.readPurpose.reset();
  cluster.loadBalancer.forget();
  return {
    cluster: cluster,
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
