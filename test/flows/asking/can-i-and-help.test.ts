import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { defaultPolicyText } from "../../../src/bot/policy/read-policy.ts";
import { approvalTown, count } from "../../support/approval-town.ts";
import { byGroup } from "../../support/policies.ts";
import { card, clicks, idOf, says, whispers } from "../../support/speak.ts";
import type { World } from "../../support/world.ts";

/** The verbs that a help lists. */
function verbs(help: string): readonly string[] {
  return [...help.matchAll(/^• \/gantry (\S+)/gmu)].map(([, verb = ""]) => verb);
}

let town: World;
beforeAll(async () => void (town = await approvalTown()));
beforeEach(() => town.setPolicy(defaultPolicyText));
afterAll(() => town.close());

test("the command alone opens a menu, whose answers are below it; help grows to all commands with its button", async () => {
  const { developer, approver } = town;
  expect(await says(town, developer, "/gantry")).toContain("What would you like to do?");
  const lists = count(town, "listServices");
  const before = whispers(developer).length;

  const answer = await clicks(town, developer, "List workloads");

  expect(answer).toContain("web");
  expect(whispers(developer).slice(before - 1)).toEqual([
    expect.stringContaining("What would you like to do?"),
    answer,
  ]);
  expect(count(town, "listServices")).toBe(lists + 1);

  expect(verbs(await says(town, approver, "/gantry help"))).toHaveLength(7);
  const all = verbs(await clicks(town, approver, "All commands"));
  expect(all).toEqual(expect.arrayContaining(["scale", "delete", "whoami", "pending", "approve"]));
  expect(whispers(approver)).toHaveLength(1);
});

test("a changed policy is taken up at once, by help, can-i, what is requested and what was pending", async () => {
  const { developer, approver } = town;
  await says(town, developer, "/gantry delete web");
  const deletion = idOf(card(developer));
  expect(await says(town, developer, "/gantry can-i scale web 4")).toMatch(/✅ Yes, you can/u);

  town.playground.people.leaveGroup("oncall", "omar");
  town.setPolicy(byGroup);

  expect(verbs(await says(town, developer, "/gantry help"))).not.toContain("restart");
  await says(town, approver, `/gantry approve ${deletion}`);
  expect(card(developer)).toMatch(/may no longer do this.*platform team/su);
  // Too few people could approve, and can-i says so before anybody asks.
  const told = await says(town, developer, "/gantry can-i scale web 4");
  expect(told).toMatch(/2 approvals, and only Alex Kim can approve here[^]*ops scales in its channel/u);
  expect(await says(town, developer, '/gantry scale web 4 --reason "sale"')).toContain(
    "only Alex Kim can approve here",
  );
  town.playground.people.joinGroup("oncall", "omar");
  await says(town, developer, '/gantry scale web 4 --reason "sale"');
  expect(card(developer)).toMatch(/0 of 2/u);
  expect(town.calls()).not.toContain("deleteService");
  expect(town.calls()).not.toContain("updateService");
});
