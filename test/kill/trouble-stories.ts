import { approverOf, asks, decides, insists, pending, seen } from "./decisions.ts";
import { isSoon, waitFor } from "./wait-for.ts";
import type { FaultStory } from "./points.ts";
import { acts, isToldEnd, quiet, type Scene } from "./scene.ts";
import { SPEED } from "./ipc.ts";

/** As Slack says it; the replicas wait for it in their faster time. */
const RETRY_AFTER_S = 40;
const LATE_MS = 10_000;
const EDIT_AFTER_MS = 1_500;
const SWEEPS_UNTIL_STORED = 10;

/** Stories in which Slack is in trouble, or somebody edits what they said. */
export const troubleStories: Readonly<Record<FaultStory, (scene: Scene) => Promise<void>>> = {
  async limited(scene) {
    limitsTheThread(scene);
    scene.arm();
    await asks(scene, `restart ${scene.name}`);
    await seen(scene, "Approve");
    await decides(scene, approverOf(scene), scene.random() < 0.5 ? "Approve" : "reject");
    await quiet(scene);
  },
  async late(scene) {
    const { faults } = scene.cluster.playground;
    faults.lateMs = LATE_MS / SPEED;
    faults.answer("chat.postMessage", "late", 2);
    faults.answer("chat.update", "late", 1);
    scene.arm();
    await asks(scene, `restart ${scene.name}`);
    await decides(scene, approverOf(scene), "Approve");
  },
  async slow(scene) {
    const { faults } = scene.cluster.playground;
    faults.lateMs = LATE_MS / SPEED;
    faults.answer("chat.postMessage", "slow", 1);
    scene.arm();
    await asks(scene, `scale ${scene.name} 4`);
    await quiet(scene);
  },
  async removed(scene) {
    scene.cluster.playground.people.remove("ops", "gantry");
    scene.arm();
    await asks(scene, `scale ${scene.name} 4`);
    await quiet(scene);
  },
  async archived(scene) {
    const { people } = scene.cluster.playground;
    // Its end is then told beside the card, and nothing draws the card before its next try.
    const isDoubted = scene.random() < 0.5;
    if (isDoubted) scene.cluster.trouble.writes = "unanswered";
    scene.arm();
    await asks(scene, `restart ${scene.name}`);
    await seen(scene, "Approve");
    people.archive("ops");
    await approvesIn(scene, "general");
    const isOver = async () =>
      (await scene.cluster.records.changes(scene.name)).every(
        ({ settled_at, told }) => settled_at !== null && (!isDoubted || isToldEnd(told)),
      );
    await waitFor(scene.cluster.pulse, isOver, "it ends while its channel is archived");
    people.unarchive("ops");
  },
  async blockless(scene) {
    const { faults } = scene.cluster.playground;
    faults.answer("chat.postMessage", "blocks");
    faults.answer("chat.update", "blocks");
    scene.arm();
    await asks(scene, `restart ${scene.name}`);
    await approvesIn(scene, "ops");
    await quiet(scene);
  },
  async edited(scene) {
    const { cluster, name } = scene;
    const dana = cluster.playground.as("dana");
    scene.arm();
    const ts = await mentions(scene, `restart ${name} --reason "round ${name}"`);
    // Or it was lost with who heard it.
    const isThere = async () => (await cluster.records.changes(name)).length > 0;
    await isSoon(isThere, EDIT_AFTER_MS);
    for (const words of [`restart ${name} --reason please`, `restart ${name} --reason again`]) {
      await cluster.isUp();
      await dana.edits(ts, `@gantry ${words}`, { channel: "ops" });
    }
    await isStoredOrLost(scene);
    await decides(scene, approverOf(scene), "Approve");
  },
};

/** Slack limits what is posted once the card stands: first of all its thread. */
function limitsTheThread({ cluster: { playground } }: Scene): void {
  const stop = playground.watch(() => {
    if (playground.messages("ops").length === 0) return;
    stop();
    playground.faults.retryAfterSeconds = RETRY_AFTER_S;
    playground.faults.answer("chat.postMessage", "429", 2);
  });
}

/** The only Change of the scene, once there is one. */
async function asked(scene: Scene): Promise<string> {
  await waitFor(scene.cluster.pulse, async () => (await pending(scene)).length > 0, "something to decide");
  const [id = ""] = await pending(scene);
  return id;
}

/** Says it until it is decided; the answer stands where it was said, which nobody counts. */
async function approvesIn(scene: Scene, channel: string): Promise<void> {
  const alex = scene.cluster.playground.as("alex");
  const id = await asked(scene);
  const words = `/gantry approve ${id}`;
  const isSo = async () => !(await pending(scene)).includes(id);
  await insists(scene, { person: alex, what: words, channel, isSo }, () =>
    acts(scene, { person: alex, what: "look" }, () => alex.says(words, { channel })),
  );
}

/** Bolt acks events before they are stored, so for a moment an acked one is nowhere to be seen. */
async function isStoredOrLost(scene: Scene): Promise<void> {
  const { pulse } = scene.cluster;
  const before = pulse.chances();
  const isSo = async () => pulse.chances() - before >= SWEEPS_UNTIL_STORED || (await pending(scene)).length > 0;
  await waitFor(pulse, isSo, "the messages are stored or lost");
}

/**
 * Mentions the bot. Slack acks for the bot are Bolt's, before anything is stored: what a killed replica had just heard is
 * lost, and whoever said it edits it, as people do.
 */
async function mentions(scene: Scene, words: string): Promise<string> {
  const { cluster, messages } = scene;
  await cluster.isUp();
  const { ts = "" } = await cluster.playground.as("dana").says(`@gantry ${words}`, { channel: "ops" });
  messages.push(ts);
  return ts;
}
