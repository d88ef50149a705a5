import { approverOf, asks, counted, decides, pending, seen } from "./deciding.ts";
import { holds } from "./holds.ts";
import type { FaultStory } from "./points.ts";
import { acts, ENOUGH_MS, quiet, type Scene } from "./scene.ts";
import { SPEED } from "./wire.ts";

/** As Slack says it; the replicas wait for it in their faster time. */
const RETRY_AFTER_S = 40;
const LATE_MS = 10_000;
const EDIT_AFTER_MS = 1_500;

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
    const { faults } = scene.town.playground;
    faults.lateMs = LATE_MS / SPEED;
    faults.answer("chat.postMessage", "late", 2);
    faults.answer("chat.update", "late", 1);
    scene.arm();
    await asks(scene, `restart ${scene.name}`);
    await decides(scene, approverOf(scene), "Approve");
  },
  async archived(scene) {
    const { people } = scene.town.playground;
    scene.arm();
    await asks(scene, `restart ${scene.name}`);
    await seen(scene, "Approve");
    people.archive("ops");
    await approvesIn(scene, "general");
    const isOver = async () =>
      (await scene.town.records.changes(scene.name)).every(({ settled_at }) => settled_at !== null);
    await holds(isOver, "it ends while its channel is archived", ENOUGH_MS);
    people.unarchive("ops");
  },
  async blockless(scene) {
    const { faults } = scene.town.playground;
    faults.answer("chat.postMessage", "blocks");
    faults.answer("chat.update", "blocks");
    scene.arm();
    await asks(scene, `restart ${scene.name}`);
    await approvesIn(scene, "ops");
    await quiet(scene);
  },
  async edited(scene) {
    const { town, name } = scene;
    const dana = town.playground.as("dana");
    scene.arm();
    const ts = await mentions(scene, `restart ${name} --reason "round ${name}"`);
    // Or it was lost with who heard it.
    const isThere = async () => (await town.records.changes(name)).length > 0;
    await holds(isThere, "a change", EDIT_AFTER_MS).catch(() => undefined);
    for (const words of [`restart ${name} --reason please`, `restart ${name} --reason again`]) {
      await town.isUp();
      await dana.edits(ts, `@gantry ${words}`, { channel: "ops" });
    }
    await decides(scene, approverOf(scene), "Approve");
  },
};

/** Slack limits what is posted once the card stands: first of all its thread. */
function limitsTheThread({ town: { playground } }: Scene): void {
  const stop = playground.watch(() => {
    if (playground.messages("ops").length === 0) return;
    stop();
    playground.faults.retryAfterSeconds = RETRY_AFTER_S;
    playground.faults.answer("chat.postMessage", "429", 2);
  });
}

/** The only Change of the scene, once there is one. */
async function asked(scene: Scene): Promise<string> {
  await holds(async () => (await pending(scene)).length > 0, "something to decide", ENOUGH_MS);
  const [id = ""] = await pending(scene);
  return id;
}

/** Says it until it is decided; the answer stands where it was said, which nobody counts. */
async function approvesIn(scene: Scene, channel: string): Promise<void> {
  const alex = scene.town.playground.as("alex");
  const id = await asked(scene);
  await acts(scene, { person: alex, what: "look" }, () => alex.says(`/gantry approve ${id}`, { channel }));
  await counted(async () => !(await pending(scene)).includes(id), `approving ${id} was acked`);
}

/**
 * Mentions the bot. Slack acks for the bot are Bolt's, before anything is stored: what a killed replica had just heard is
 * lost, and whoever said it edits it, as people do.
 */
async function mentions(scene: Scene, words: string): Promise<string> {
  const { town, messages } = scene;
  await town.isUp();
  const { ts = "" } = await town.playground.as("dana").says(`@gantry ${words}`, { channel: "ops" });
  messages.push(ts);
  return ts;
}
