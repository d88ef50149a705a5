import type { Person } from "../../src/playground/people/person.ts";
import { cards, isAtEnd, quiet, type Scene, ephemerals } from "./scene.ts";
import { waitFor } from "./wait-for.ts";
import type { Cluster } from "./cluster.ts";
import { findFaults, type Violation } from "./faults.ts";
import { randomFrom } from "./random.ts";
import { endTrouble, mistakes, tidy, violationOf } from "./round.ts";
import { type FaultStory, faultStories } from "./points.ts";
import { cleanUp, stories } from "./stories.ts";

/** What was done and seen, in a line, and what was wrong. */
export type Check = { readonly line: string; readonly violations: readonly Violation[] };

const freezes = [
  { at: "after", words: (name: string) => `scale ${name} 4` },
  { at: "after", words: (name: string) => `scale ${name} 3` },
  { at: "before", words: (name: string) => `scale ${name} 5` },
] as const;
const RACES = 3;
const CLICKS = 50;

/** Rounds that kill nobody: a replica that is stopped and goes on, many clicks at once, a Slack in trouble. */
export async function* playWithoutKills(cluster: Cluster, replicas: number): AsyncGenerator<Check> {
  for (const [index, each] of (replicas > 1 ? freezes : []).entries()) {
    const line = `stopped ${each.at} its claim`;
    yield await orFault(cluster, line, () => frozen(cluster, `cold-${index}`, each));
  }
  for (let race = 0; race < RACES; race += 1) {
    yield await orFault(cluster, `${CLICKS} clicks at once`, () => fiftyClicks(cluster, `race-${race}`));
  }
  for (const story of faultStories) {
    yield await orFault(cluster, `story ${story}, and nobody killed`, () => inTrouble(cluster, story));
  }
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
  return ending(scene, `story ${story}, and nobody killed`, []);
}

/** Compares what the check left, and empties the channel. */
async function ending(scene: Scene, line: string, found: readonly Violation[]): Promise<Check> {
  const violations = [...found, ...(await findFaults(scene)), ...mistakes(scene.cluster)];
  await tidy(scene);
  return { line, violations };
}

async function orFault(cluster: Cluster, line: string, play: () => Promise<Check>): Promise<Check> {
  try {
    return await play();
  } catch (error) {
    // The rounds after this one need all replicas.
    const left = cluster.frozen();
    if (left !== undefined) await cluster.replicas.kill(left);
    return { line, violations: [violationOf(error), ...mistakes(cluster)] };
  }
}

/** SIGSTOP at its claim; another one takes over and comes to an end; SIGCONT: nothing more is sent. */
async function frozen(cluster: Cluster, name: string, { at, words }: (typeof freezes)[number]): Promise<Check> {
  const scene = await begin(cluster, name);
  const { pulse } = cluster;
  const dana = cluster.playground.as("dana");
  let isFrozen = false;
  cluster.onTrap("freeze");
  void cluster.trap.arm({ name: "claim", when: at }).then(() => (isFrozen = true));
  try {
    await dana.says(`/gantry ${words(name)}`, { channel: "ops" });
    await waitFor(pulse, () => isFrozen, "a replica comes to its claim");
    const settled = async () => (await cluster.records.changes(name)).some((each) => isAtEnd(each, []));
    await waitFor(pulse, settled, "another replica takes it over and comes to an end");
  } finally {
    cluster.onTrap("kill");
    await cluster.trap.disarm();
  }
  const [change] = await cluster.records.changes(name);
  const writes = (): number => cluster.service.written(change?.id ?? "").arrived;
  const before = writes();
  const replica = cluster.frozen() ?? 0;
  const stepsBefore = cluster.steps(replica);
  cluster.replicas.thaw(replica);
  await waitFor(pulse, () => cluster.steps(replica) > stepsBefore + 30, "the stopped replica goes on");
  await quiet(scene);
  const found: Violation[] = [];
  // Whoever takes over what was claimed cannot know whether it was sent.
  if (at === "after" && before > 0) {
    found.push({ fault: "writes after a takeover", what: `${before} writes came in of what another had claimed` });
  }
  if (writes() > before) {
    const what = `${before} writes came in while it was stopped, ${writes()} when it had gone on`;
    found.push({ fault: "writes after a takeover", what });
  }
  return ending(scene, `stopped ${at} its claim, taken over, went on, ${writes()} writes`, found);
}

/** Everybody clicks at once, on all replicas; every third click comes twice. */
async function fiftyClicks(cluster: Cluster, name: string): Promise<Check> {
  const scene = await begin(cluster, name);
  const { playground, pulse } = cluster;
  const dana = playground.as("dana");
  await dana.says(`/gantry restart ${name}`, { channel: "ops" });
  const approvable = () => cards({ cluster }).some(({ buttons }) => buttons.includes("Approve"));
  await waitFor(pulse, approvable, "a card to approve");
  const people = [playground.as("alex"), playground.as("omar"), dana];
  await Promise.all(
    Array.from({ length: CLICKS }, (_, index) => click(cluster, people[index % people.length] ?? dana, index)),
  );
  playground.faults.deliverTwice = false;
  // On a busy machine the bot may refuse some; whoever clicked tries again, and nobody may be left without an ack.
  const unacked = cluster.deliveries.delivered().filter(({ isAcked }) => !isAcked);
  for (const delivery of unacked) await waitFor(pulse, () => cluster.deliveries.repeat(delivery), "a click is acked");
  await quiet(scene);
  const [change] = await cluster.records.changes(name);
  const { arrived } = cluster.service.written(change?.id ?? "");
  const found: Violation[] = [];
  // On a busy machine the workload may not be read in time before it is sent: then it failed, and its card says so.
  if (arrived === 0 && change?.state !== "failed") {
    found.push({ fault: "lost decisions", what: `${CLICKS} clicks, no write, and it is ${change?.state}` });
  }
  // The card answers the click that counted.
  const shown = (await cluster.records.events(name)).filter(({ kind }) => kind === "voted").length;
  const answers = people.reduce((sum, person) => sum + ephemerals(person), shown);
  if (answers < CLICKS) found.push({ fault: "silent", what: `${CLICKS} clicks got ${answers} answers` });
  const sent = cluster.deliveries.delivered().length - 1;
  return ending(scene, `${CLICKS} clicks at once, ${sent} deliveries, ${arrived} writes`, found);
}

async function click({ playground }: Cluster, person: Person, index: number): Promise<void> {
  playground.faults.deliverTwice = index % 3 === 0;
  // Up to its first pause a click knows whether it is delivered twice.
  await person.clicks("Approve", { channel: "ops" });
}

async function begin(cluster: Cluster, name: string): Promise<Scene> {
  await cluster.isFull();
  await cluster.service.create(name);
  cluster.readPurpose.reset();
  cluster.deliveries.forget();
  cluster.trace.reset();
  return {
    cluster,
    name,
    others: [],
    random: randomFrom(1),
    arm: () => undefined,
    isAboutRestarts: false,
    acked: [],
    messages: [],
    toTell: [],
    repeated: [],
  };
}
