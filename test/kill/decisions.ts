import type { Person } from "../../src/playground/people/person.ts";
import { acts, type CardSeen, cards, isQuiet, type Scene } from "./scene.ts";
import { patience, waitFor } from "./wait-for.ts";

/** A decision that was acked and has no trace. */
export class LostDecision extends Error {}

export function oneOf<Item>({ random }: Pick<Scene, "random">, items: readonly Item[]): Item {
  const item = items[Math.floor(random() * items.length)];
  if (item === undefined) throw new Error("nothing to choose from");
  return item;
}

export function approverOf(scene: Scene): Person {
  return scene.cluster.playground.as(oneOf(scene, ["alex", "omar"]));
}

export function asks(scene: Scene, words: string): Promise<void> {
  const dana = scene.cluster.playground.as("dana");
  const said = `/gantry ${words} --reason "round ${scene.name}"`;
  return acts(scene, { person: dana, what: "ask" }, () => dana.says(said, { channel: "ops" }));
}

/** A card with this button, as soon as it stands there; the newest or an older one. */
export async function seen(scene: Scene, button: string): Promise<CardSeen> {
  const withButton = () => cards(scene).filter(({ buttons }) => buttons.includes(button));
  await waitFor(scene.cluster.pulse, () => withButton().length > 0, `a card with ${button}`);
  return oneOf(scene, withButton());
}

const byWords: Readonly<Record<string, string>> = { Approve: "approve", Cancel: "cancel", reject: "reject" };

/** Clicks, or says it in words, until it is decided. What was acked is counted, or its card says that it is out of date. */
export async function decides(scene: Scene, person: Person, button: string): Promise<void> {
  const isDecided = async (id: string) => (await pending(scene)).every((change) => change !== id);
  const { pulse } = scene.cluster;
  const { ended } = patience(pulse);
  while (ended() === undefined) {
    const isHere = async () => hasCard(scene, button) || (await pending(scene)).length > 0 || (await isQuiet(scene));
    await waitFor(pulse, isHere, "something to decide");
    const live = cards(scene).filter(({ buttons }) => buttons.includes(button));
    const [id] = await pending(scene);
    if (live.length === 0 && id === undefined) return;
    if (id !== undefined && (byWords[button] === button || scene.random() < 0.25)) {
      const words = `/gantry ${byWords[button]} ${id}${button === "reject" ? ' --reason "no"' : ""}`;
      await acts(scene, { person, what: "decide" }, () => person.says(words, { channel: "ops" }));
      return counted(scene, () => isDecided(id), `${words} was acked`);
    }
    if (live.length === 0) {
      const isOverOrDrawn = async () => (await pending(scene)).length === 0 || hasCard(scene, button);
      await waitFor(pulse, isOverOrDrawn, `a card with ${button}`);
      continue;
    }
    const card = oneOf(scene, live);
    const where = { channel: "ops", thread: card.ts };
    await acts(scene, { person, what: "decide" }, () => person.clicks(button, where));
    const isRetired = () => !cards(scene).some(({ ts, buttons }) => ts === card.ts && buttons.includes(button));
    const isCounted = async () => isRetired() || (await isDecided(card.changeId));
    await counted(scene, isCounted, `a click on ${button} was acked`);
    if (await isDecided(card.changeId)) return;
  }
  throw new LostDecision(`${person.name} could not decide: ${ended()}; ${pulse.describe()}`);
}

function hasCard(scene: Scene, button: string): boolean {
  return cards(scene).some(({ buttons }) => buttons.includes(button));
}

export async function pending({ cluster, name }: Scene): Promise<readonly string[]> {
  return (await cluster.records.changes(name)).filter(({ state }) => state === "pending").map(({ id }) => id);
}

/** Resolves when what was acked shows; throws a LostDecision when it never does. */
export async function counted({ cluster }: Scene, isSo: () => Promise<boolean>, what: string): Promise<void> {
  try {
    await waitFor(cluster.pulse, isSo, what);
  } catch (error) {
    throw new LostDecision(`${what}, and nothing came of it`, { cause: error });
  }
}
