import { expect, test } from "vitest";
import { approvalTown, count } from "../support/approval-town.ts";
import { quorum } from "../support/policies.ts";
import { card, clicks, says } from "../support/speak.ts";

const withReason = quorum.replace("votes: 2", "votes: 1, reason: required");

test("when policy requires a reason, a request without one is refused, and one with a reason runs after approval", async () => {
  await using town = await approvalTown({ policy: withReason });
  const { developer, approver } = town;

  const refused = await says(town, developer, "/gantry scale web 4");

  expect(refused).toMatch(/needs a reason/u);
  expect(refused).toContain("--reason");
  expect(card(developer)).toBe("");
  expect(await says(town, approver, "/gantry pending")).toMatch(/nothing is waiting/iu);

  await says(town, developer, '/gantry scale web 4 --reason "the sale begins"');
  expect(card(developer)).toContain("the sale begins");
  await clicks(town, approver, "Approve");
  expect(count(town, "updateService")).toBe(1);
});
