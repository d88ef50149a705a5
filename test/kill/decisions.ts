import type { Person } from "../../src/playground/people/person.ts";
import { acts, type CardSeen, cards, ephemerals, isQuiet, type Scene } from "./scene.ts";
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

const byWords: Readonly<Record<string, string>> = { Approve: "approve", "Cancel request": "cancel", reject: "reject" };

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
      return insists(scene, { person, what: words, isSo: () => isDecided(id) }, () =>
        acts(scene, { person, what: "decide" }, () => person.says(words, { channel: "ops" })),
      );
    }
    if (live.length === 0) {
      const isOverOrDrawn = async () => (await pending(scene)).length === 0 || hasCard(scene, button);
      await waitFor(pulse, isOverOrDrawn, `a card with ${button}`);
      continue;
    }
    const card = oneOf(scene, live);
    const where = { channel: "ops", thread: card.ts };
    const isRetired = () => !cards(scene).some(({ ts, buttons }) => ts === card.ts && buttons.includes(button));
    const isSo = async () => isRetired() || (await isDecided(card.changeId));
    await insists(scene, { person, what: `a click on ${button}`, isSo }, () =>
      acts(scene, { person, what: "decide" }, () => person.clicks(button, where)),
    );
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

type Deciding = {
  readonly person: Person;
  readonly what: string;
  /** Where its answer comes. */
  readonly channel?: string;
  readonly isSo: () => Promise<boolean>;
};

/**
 * Does something until it takes effect. Who is told that it could not be checked, as happens on a busy machine, tries
 * again, as people do. Throws a LostDecision when it was acked and neither an effect nor an answer came.
 */
export async function insists(scene: Scene, deciding: Deciding, act: () => Promise<void>): Promise<void> {
  const { pulse } = scene.cluster;
  const { ended } = patience(pulse);
  do {
    const before = ephemerals(deciding.person, deciding.channel);
    await act();
    if (await tookEffect(scene, deciding, before)) return;
    scene.repeated.push(deciding.what);
  } while (ended() === undefined);
  throw new LostDecision(`${deciding.what}: ${ended()}; ${pulse.describe()}`);
}

/** Whether what was acked shows; false when only an answer came. */
async function tookEffect({ cluster }: Scene, { person, what, channel, isSo }: Deciding, before: number) {
  let isEffective = false;
  const isOver = async (): Promise<boolean> => {
    const isAnswered = ephemerals(person, channel) > before && (await cluster.records.unfinished()).length === 0;
    isEffective = await isSo();
    return isEffective || isAnswered;
  };
  try {
    await waitFor(cluster.pulse, isOver, `${what} was acked`);
  } catch (error) {
    throw new LostDecision(`${what} was acked, and nothing came of it`, { cause: error });
  }
  return isEffective;
}
