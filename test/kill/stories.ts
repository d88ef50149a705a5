import type { Person } from "../../src/playground/people/person.ts";
import type { StoryName } from "./points.ts";
import { acts, cards, quiet, type Scene } from "./scene.ts";
import { isSoon, patience, waitFor } from "./wait-for.ts";
import { followsLog } from "./follow-story.ts";
import { asksInForm } from "./form-story.ts";
import { approverOf, asks, decides, insists, oneOf, pending, seen } from "./decisions.ts";
import { asksForSeveral, deploys, deploysAndGoesBack, deploysSeveral } from "./several.ts";
import { troubleStories } from "./trouble-stories.ts";
import { announces, failsAndRecovers, getsDigest } from "./watch-stories.ts";

type Story = (scene: Scene) => Promise<void>;

/** What people do, as they would: they wait until they see something, and try again when nobody answers. */
export const stories: Readonly<Record<StoryName, Story>> = {
  async approved(scene) {
    scene.arm();
    await asks(scene, disruption(scene));
    await decides(scene, approverOf(scene), "Approve");
  },
  async routine(scene) {
    scene.arm();
    await asks(scene, `scale ${scene.name} 4`);
  },
  async undone(scene) {
    const isFromStart = scene.random() < 0.5;
    if (isFromStart) scene.arm();
    await asks(scene, `scale ${scene.name} 4`);
    await quiet(scene);
    if (!isFromStart) scene.arm();
    const dana = scene.cluster.playground.as("dana");
    const [card] = cards(scene).filter(({ buttons }) => buttons.includes("Undo"));
    if (card === undefined) return;
    const where = { channel: "ops", thread: card.ts };
    await acts(scene, { person: dana, what: "ask" }, () => dana.clicks("Undo", where));
    await decides(scene, approverOf(scene), "Approve");
  },
  async rejected(scene) {
    scene.arm();
    await asks(scene, `stop ${scene.name}`);
    const alex = approverOf(scene);
    // Of the words and the form, only the form opens a view.
    if (scene.cluster.trap.armed()?.name === "slack: views.open" || scene.random() < 0.5)
      await rejectsInForm(scene, alex);
    else await decides(scene, alex, "reject");
  },
  async cancelled(scene) {
    scene.arm();
    await asks(scene, `restart ${scene.name}`);
    await decides(scene, scene.cluster.playground.as("dana"), "Cancel request");
  },
  async drifted(scene) {
    scene.arm();
    await asks(scene, `scale ${scene.name} 1`);
    await seen(scene, "Approve");
    await scene.cluster.service.resize(scene.name, 5);
    await decides(scene, approverOf(scene), "Approve");
  },
  async refused(scene) {
    scene.cluster.trouble.readsRefused = true;
    scene.arm();
    await asks(scene, `restart ${scene.name}`);
    await decides(scene, approverOf(scene), "Approve");
    await quiet(scene);
  },
  async doubted(scene) {
    scene.arm();
    const { words, writes } = doubtful(scene);
    scene.cluster.trouble.writes = writes;
    await asks(scene, words);
    await decides(scene, approverOf(scene), "Approve");
    await quiet(scene);
  },
  async expired(scene) {
    const { cluster, name } = scene;
    await asks(scene, `stop ${name}`);
    await seen(scene, "Approve");
    const [change] = await cluster.records.changes(name);
    const dueMs = Date.parse(change?.expires_at ?? "");
    scene.arm(() => cluster.nowMs() >= dueMs);
    await waitFor(cluster.pulse, () => cluster.nowMs() >= dueMs, "the time to decide is over");
    const late = cards(scene).find(({ buttons }) => buttons.includes("Approve"));
    const alex = approverOf(scene);
    if (late !== undefined && scene.random() < 0.5) {
      const where = { channel: "ops", thread: late.ts };
      await acts(scene, { person: alex, what: "decide" }, () => alex.clicks("Approve", where));
    }
    const isOver = async () => (await pending(scene)).length === 0;
    await waitFor(cluster.pulse, isOver, "what nobody decided on expires");
  },
  async undrawable(scene) {
    scene.cluster.trouble.cardsRefused = 1 + Math.floor(scene.random() * 2);
    scene.arm();
    await asks(scene, `restart ${scene.name}`);
    await decides(scene, approverOf(scene), "Approve");
  },
  async pointed(scene) {
    scene.arm();
    // More instances hurt nobody; fewer need somebody else.
    await asksInForm(scene, isAboutApproval(scene) ? "1" : oneOf(scene, ["1", "4"]));
    await decides(scene, approverOf(scene), "Approve");
  },
  several: asksForSeveral,
  deployed: deploys,
  wentBack: deploysAndGoesBack,
  deployedSeveral: deploysSeveral,
  followed: followsLog,
  incident: failsAndRecovers,
  digest: getsDigest,
  announced: announces,
  ...troubleStories,
  async own(scene) {
    scene.arm();
    await asks(scene, `restart ${scene.name}`);
    const card = await seen(scene, "Approve");
    const dana = scene.cluster.playground.as("dana");
    const where = { channel: "ops", thread: card.ts };
    await acts(scene, { person: dana, what: "decide" }, () => dana.clicks("Approve", where));
    await decides(scene, approverOf(scene), "Approve");
  },
};

/** Whether the trap lies at something that only an approval comes to. */
function isAboutApproval({ cluster }: Scene): boolean {
  return ["approve", "slack: conversations.members", "service: read for drift"].includes(
    cluster.trap.armed()?.name ?? "",
  );
}

/** Whether it took effect can be read back, except of a restart. */
function doubtful(scene: Scene): { readonly words: string; readonly writes: "dropped" | "unanswered" } {
  const { name, cluster } = scene;
  const point = cluster.trap.armed()?.name;
  if (point === "fail") return { words: oneOf(scene, [`scale ${name} 1`, `stop ${name}`]), writes: "dropped" };
  const writes = oneOf(scene, ["dropped", "unanswered"] as const);
  return { words: point === "giveUp" ? `restart ${name}` : disruption(scene), writes };
}

function disruption({ name, random, isAboutRestarts }: Scene): string {
  return isAboutRestarts
    ? `restart ${name}`
    : oneOf({ random }, [`scale ${name} 1`, `restart ${name}`, `stop ${name}`]);
}

/** It was lost with whoever should have opened it; on a busy machine the next try waits longer. */
const FORM_WITHIN_MS = 1_500;

async function rejectsInForm(scene: Scene, person: Person): Promise<void> {
  let changeId = "";
  const isSo = async () => !(await pending(scene)).includes(changeId);
  await insists(scene, { person, what: "a rejection in the form", isSo }, async () => {
    changeId = await opensRejection(scene, person);
    await acts(scene, { person, what: "decide" }, () => person.submits({ reason: "not today" }));
  });
}

/** Clicks until the form is open; the Change that it is about. */
async function opensRejection(scene: Scene, person: Person): Promise<string> {
  const { pulse } = scene.cluster;
  const { ended } = patience(pulse);
  for (let tried = 1; ended() === undefined; tried += 1) {
    // A card that is out of date opens no form, and has no button any more after that.
    const card = await seen(scene, "Reject");
    await acts(scene, { person, what: "look" }, () => person.clicks("Reject", { channel: "ops", thread: card.ts }));
    if (await isSoon(() => person.modal() !== undefined, tried * FORM_WITHIN_MS)) return card.changeId;
  }
  throw new Error(`no form came for a rejection: ${ended()}; ${pulse.describe()}`);
}

/** What nobody decided on, because it was asked for twice, is taken back by who asked. */
export async function cleanUp(scene: Scene): Promise<void> {
  const dana = scene.cluster.playground.as("dana");
  for (const id of await pending(scene)) {
    const words = `/gantry cancel ${id}`;
    const isSo = async () => !(await pending(scene)).includes(id);
    await insists(scene, { person: dana, what: words, isSo }, () =>
      acts(scene, { person: dana, what: "decide" }, () => dana.says(words, { channel: "ops" })),
    );
  }
}
