import { afterAll, beforeAll, expect, test } from "vitest";
import { counting } from "../../support/approval-town.ts";
import { shopTown } from "../../support/shop-town.ts";
import { card, clicks, says, whispers } from "../../support/speak.ts";
import type { World } from "../../support/world.ts";

let town: World;
beforeAll(async () => {
  town = await shopTown(["leaky", "clicked", "sold", "own", "shared"]);
});
afterAll(async () => town.close());

test("what waits is approved where it is read; the list stays, and the card shows who approved", async () => {
  const { developer, approver } = town;
  const calls = counting(town);
  await says(town, developer, '/gantry restart leaky --reason "it leaks"');

  expect(await says(town, approver, "/gantry pending")).toMatch(/Restart leaky.*it leaks.*\[Approve\] \[Reject\]/su);
  await clicks(town, approver, "Approve");

  expect(calls("restartService")).toBe(1);
  expect(card(developer)).toMatch(/Alex Kim|@alex/u);
  expect(whispers(approver).some((text) => text.includes("1 request waiting for approval"))).toBe(true);
  expect(await says(town, approver, "/gantry pending")).toContain("Nothing is waiting for approval.");
});

test("a rejection from the list asks for the reason, and the card of the request ends with it", async () => {
  const { developer, approver } = town;
  const calls = counting(town);
  await says(town, developer, "/gantry restart sold");
  await says(town, approver, "/gantry pending");

  await clicks(town, approver, "Reject");
  await approver.submits({ reason: "not during the sale" });
  await town.settled();

  expect(card(developer)).toContain("not during the sale");
  expect(calls("restartService")).toBe(0);
});

test("my own request offers to cancel it, and nobody else's", async () => {
  const { developer, guest } = town;
  await says(town, developer, "/gantry restart own");

  const own = await says(town, developer, "/gantry pending");
  expect(own).toMatch(/Needs 1 approval from another member of #ops · 0 of 1 · expires in \d+ min/u);
  expect(own).toContain("[Cancel request]");
  expect(own).not.toContain("[Approve]");
  await clicks(town, developer, "Cancel request");

  expect(card(developer)).toMatch(/cancelled/iu);
  expect(await says(town, guest, "/gantry pending")).not.toContain("Restart own");
});

test("a list that is shared in the channel is no card: a click on it leaves the list as it is", async () => {
  const { developer, approver } = town;
  const calls = counting(town);
  await says(town, developer, "/gantry restart shared");
  await says(town, approver, "/gantry pending --share");

  await clicks(town, approver, "Approve");

  expect(calls("restartService")).toBe(1);
  const lists = developer
    .sees("ops")
    .filter(({ text }) => /1 request waiting for approval.*Restart shared/su.test(text));
  expect(lists.map(({ text }) => text)).toEqual([expect.stringContaining("[Approve] [Reject]")]);
});
