import { expect, test } from "vitest";
import { approvalTown, count } from "../support/approval-town.ts";
import { card } from "../support/speak.ts";

test("a request that Slack's silence interrupted is gone on with when Slack is back, once", async () => {
  await using town = await approvalTown();
  const { developer, playground } = town;
  playground.trouble.answer("all", "500");

  const { acked } = await developer.says("/gantry scale web 3");
  await town.settled();
  expect(acked).toBe(true);
  expect(count(town, "updateService")).toBe(0);

  playground.trouble.clear();
  town.passMinutes(1);
  await town.sweep();
  await town.sweep();

  expect(count(town, "updateService")).toBe(1);
  expect(card(developer)).toMatch(/instances 2 → 3/u);
});
