import { expect, test } from "vitest";
import { approvalTown, count } from "../../support/approval-town.ts";
import { quorum } from "../../support/policies.ts";
import { card, clicks, form, says } from "../../support/speak.ts";

const withReason = quorum.replace("votes: 2", "votes: 1, reason: required");

test("when policy requires a reason, a request without one is refused, and one with a reason runs after approval", async () => {
  await using town = await approvalTown({ policy: withReason });
  const { developer, approver } = town;
  const before = { card: card(developer), pending: await says(town, approver, "/gantry pending") };

  const refused = await says(town, developer, "/gantry scale web 4");

  expect(refused).toMatch(/needs a reason/u);
  expect(refused).toContain("--reason");
  expect(card(developer)).toBe(before.card);
  expect(await says(town, approver, "/gantry pending")).toBe(before.pending);

  await says(town, developer, '/gantry scale web 4 --reason "the sale begins"');
  expect(card(developer)).toContain("the sale begins");
  await clicks(town, approver, "Approve");
  expect(count(town, "updateService")).toBe(1);
  expect((await town.service("web")).target_instance_size).toBe(4);

  // In a form, the preview asks for the reason, and the second click sends the request with it.
  await says(town, developer, "/gantry domains web");
  await developer.submits({ domains: "shop.example.com" });
  await town.settled();
  expect(form(developer)).toMatch(/Approvers need a reason[\s\S]*Request approval/u);

  await developer.submits({ reason: "the shop opens" });
  await town.settled();

  expect(form(developer)).toMatch(/Sent for approval/u);
  expect(card(developer)).toContain("the shop opens");
});
