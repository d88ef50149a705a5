import { expect, test } from "vitest";
import { approvalTown, count } from "../support/approval-town.ts";
import { onCallDecides } from "../support/policies.ts";
import { says } from "../support/speak.ts";

test.each([
  ["the members of this channel", "conversations.members", undefined],
  ["the members of the user group", "usergroups.users.list", onCallDecides],
  ["the Slack profile of U0ALEX", "users.info", undefined],
] as const)("when Slack does not tell %s, nothing is done and the sentence says so", async (what, method, policy) => {
  await using town = await approvalTown(policy === undefined ? {} : { policy });
  // Who asks is known for a while.
  await says(town, town.developer, "/gantry scale web 2");
  town.playground.faults.answer(method, "500");

  const told = await says(town, town.developer, "/gantry restart web");

  expect(told).toContain(`Couldn't read ${what}: Slack didn't answer. Nothing was changed.`);
  expect(told).toContain("Try again in a minute");
  const reference = /Reference ([0-9a-f]{8})/u.exec(told)?.[1];
  expect(town.logged().filter((line) => line["reference"] === reference)).toEqual([
    expect.objectContaining({ msg: "a call to Slack failed", method }),
  ]);
  expect(count(town, "restartService")).toBe(0);
});
