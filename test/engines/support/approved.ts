import { expect } from "vitest";
import { card, clicks, says } from "../../support/speak.ts";
import type { World } from "../../support/world.ts";

/** Asks for what takes somebody else's approval, gets it, and gives the card as it is then. */
export async function approved(town: World, text: string): Promise<string> {
  await says(town, town.developer, text);
  expect(card(town.developer)).toContain("0 of 1");
  await clicks(town, town.approver, "Approve");
  // An earlier request for this workload may still run: the next sweep starts this one.
  await town.until(() => !card(town.developer).includes("runs in a moment"));
  return card(town.developer);
}

export const isRunning = (town: World, name: string) => async () => (await town.service(name)).status === "Running";

/** On a busy machine it can say for a moment that newer lines can be missing. */
export const logShows = (town: World, name: string, lines: RegExp) => async () => {
  await says(town, town.developer, `/gantry logs ${name}`);
  return lines.test(town.thread("ops").join("\n"));
};
