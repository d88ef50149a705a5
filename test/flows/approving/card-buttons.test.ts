import { afterAll, beforeAll, expect, test } from "vitest";
import { shopTown } from "../../support/shop-town.ts";
import { card, clicks, says, whispers } from "../../support/speak.ts";
import type { World } from "../../support/world.ts";

let town: World;
beforeAll(async () => {
  town = await shopTown(["waits", "done", "own", "twice"]);
});
afterAll(async () => town.close());

test("the menu of a waiting card shows the workload to who clicks, and the card stays", async () => {
  const { developer, approver } = town;
  await says(town, developer, "/gantry restart waits");
  const waiting = card(developer);
  const before = whispers(approver).length;

  const shown = await clicks(town, approver, "Show waits");

  expect(whispers(approver).slice(before)).toEqual([shown]);
  expect(shown).toMatch(/waits/u);
  expect(card(developer)).toBe(waiting);
});

test("who tries to approve their own request cancels it with the button of the answer", async () => {
  const { developer } = town;
  await says(town, developer, "/gantry restart own");
  await clicks(town, developer, "Approve");
  expect(whispers(developer).at(-1)).toMatch(/You can't decide on your own request: restart own/u);

  await clicks(town, developer, "Cancel request");

  expect(card(developer)).toMatch(/^🚫 Cancelled: restart own\n/u);
});
