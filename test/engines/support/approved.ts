import { expect } from "vitest";
import { card, clicks, says } from "../../support/speak.ts";
import type { World } from "../../support/world.ts";

/** Asks for what takes somebody else's approval, gets it, and gives the card as it is then. */
export async function approved(town: World, text: string): Promise<string> {
  await says(town, town.developer, text);
  expect(card(town.developer)).toContain("0 of 1");
  await clicks(town, town.approver, "Approve");
  return card(town.developer);
}

export const isRunning = (town: World, name: string) => async () => (await town.service(name)).status === "Running";
