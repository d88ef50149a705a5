import type { Person } from "../../src/playground/people/person.ts";
import { acts, formText, type Scene } from "./scene.ts";
import { isSoon, patience } from "./wait-for.ts";

/** What is read for a form comes within this, or was lost with a replica; on a busy machine the next try waits longer. */
const FORM_WITHIN_MS = 1_500;

/**
 * Asks for another size by pointing: opens the form, with the name in the words or chosen in it, and sends it. Whoever
 * is told that the app did not answer tries again, as with words.
 */
export async function asksInForm(scene: Scene, size: string): Promise<void> {
  const dana = scene.cluster.playground.as("dana");
  const { pulse } = scene.cluster;
  const { ended } = patience(pulse);
  for (let tried = 1; ended() === undefined; tried += 1) {
    if (!(await opens(scene, dana, tried * FORM_WITHIN_MS))) continue;
    const before = scene.acked.length;
    await acts(scene, { person: dana, what: "ask in a form" }, () => dana.submits({ size }));
    // Or it says what became of what was sent, though that was not acked.
    if (scene.acked.length > before || !isToFill(dana)) return;
  }
  throw new Error(`no form could be sent: ${ended()}; ${pulse.describe()}`);
}

/** Whether the form stands there to be filled in, about the service of the scene. */
async function opens(scene: Scene, dana: Person, withinMs: number): Promise<boolean> {
  const { name, random } = scene;
  if (dana.modal() !== undefined) await dana.closes();
  const isChosen = random() < 0.5;
  const words = `/gantry scale${isChosen ? "" : ` ${name}`}`;
  await acts(scene, { person: dana, what: "look" }, () => dana.says(words, { channel: "ops" }));
  if (!(await isSoon(() => isToFill(dana), withinMs))) return false;
  if (isChosen && !(await chooses(scene, dana))) return false;
  await isSoon(() => formText(dana).includes(`${name} has `), withinMs);
  return isToFill(dana);
}

/** The picker knows the names of some seconds ago; who does not find one looks again. */
async function chooses(scene: Scene, dana: Person): Promise<boolean> {
  const { name } = scene;
  try {
    await acts(scene, { person: dana, what: "look" }, () => dana.selects("name", name));
    return true;
  } catch (error) {
    if (error instanceof Error && error.message.startsWith(`"${name}" isn't an option`)) return false;
    throw error;
  }
}

function isToFill(person: Person): boolean {
  return person.modal()?.content["submit"] !== undefined;
}
