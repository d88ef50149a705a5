import { expect, test } from "vitest";
import { approvalTown, count } from "../../support/approval-town.ts";
import { onCallDecides } from "../../support/policies.ts";
import { card, clicks, says } from "../../support/speak.ts";

test("when Slack does not tell the members of this channel, nothing is done and the sentence says so", async () => {
  await using town = await approvalTown();
  // Who asks is known for a while.
  await says(town, town.developer, "/gantry scale web 2");
  town.playground.faults.answer("conversations.members", "500");

  const told = await says(town, town.developer, "/gantry restart web");

  expect(told).toContain("Couldn't read the members of this channel: Slack didn't answer. Nothing was changed.");
  expect(told).toContain("Try again in a minute");
  const reference = /Reference ([0-9a-f]{8})/u.exec(told)?.[1];
  expect(town.logged().filter((line) => line["reference"] === reference)).toEqual([
    expect.objectContaining({ msg: "a call to Slack failed", method: "conversations.members" }),
  ]);
  expect(count(town, "restartService")).toBe(0);
});

test.each([
  ["who is in the user group", "usergroups.users.list", onCallDecides],
  ["who another member is", "users.info", undefined],
] as const)("when Slack does not tell %s, the request waits, and an approval counts once it does", async (...story) => {
  const [, method, policy] = story;
  await using town = await approvalTown(policy === undefined ? {} : { policy });
  const { developer, approver, playground } = town;
  await says(town, developer, "/gantry scale web 2");
  playground.faults.answer(method, "500");

  await says(town, developer, "/gantry restart web");
  expect(card(developer)).toMatch(/0 of 1/u);
  expect(await clicks(town, approver, "Approve")).toContain("Slack didn't confirm");
  expect(count(town, "restartService")).toBe(0);

  playground.faults.clear();
  await clicks(town, approver, "Approve");
  expect(count(town, "restartService")).toBe(1);
});
