import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { approvalTown, count } from "../../support/approval-town.ts";
import { byGroup } from "../../support/policies.ts";
import { card, clicks, says, whispers } from "../../support/speak.ts";
import type { World } from "../../support/world.ts";

/** The verbs that a help lists. */
function verbs(help: string): readonly string[] {
  return [...help.matchAll(/^• \/gantry (\S+)/gmu)].map(([, verb = ""]) => verb);
}

describe("menu, help and whoami", () => {
  let town: World;
  beforeAll(async () => void (town = await approvalTown()));
  afterAll(() => town.close());

  test("the command alone opens a menu; a button answers below it, and the menu stays", async () => {
    const { developer } = town;
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
  });

  test("help grows to all commands with its button", async () => {
    const { approver } = town;
    expect(verbs(await says(town, approver, "/gantry help"))).toHaveLength(7);

    const all = verbs(await clicks(town, approver, "All commands"));

    expect(all).toEqual(expect.arrayContaining(["scale", "delete", "whoami", "pending", "approve"]));
    expect(whispers(approver)).toHaveLength(1);
  });

  test("whoami counts the calls of today, and shows no token", async () => {
    const requests = async () => {
      const text = await says(town, town.developer, "/gantry whoami");
      expect(text).not.toContain(town.token);
      return Number(/API requests  (\d+) since/u.exec(text)?.[1]);
    };
    const before = await requests();

    await says(town, town.developer, "/gantry list");

    expect(await requests()).toBe(before + 2);
  });
});

test("when too few could approve, can-i says so before anybody asks", async () => {
  await using town = await approvalTown({ policy: byGroup });
  town.playground.people.leaveGroup("oncall", "omar");

  const answer = await says(town, town.developer, "/gantry can-i scale web 4");

  expect(answer).toContain("Alex Kim");
  expect(answer).not.toContain("Omar Haddad");
  expect(answer).toMatch(/2 approvals/u);
  expect(await says(town, town.developer, '/gantry scale web 4 --reason "sale"')).toMatch(
    /only Alex Kim can approve here/u,
  );
});

test("a changed policy is taken up at once, by help, can-i and what is done", async () => {
  await using town = await approvalTown();
  const { developer } = town;
  expect(await says(town, developer, "/gantry can-i scale web 4")).toMatch(/✅ Yes, you can/u);

  town.setPolicy(byGroup);

  expect(await says(town, developer, "/gantry can-i scale web 4")).toContain("ops scales in its channel");
  expect(verbs(await says(town, developer, "/gantry help"))).not.toContain("restart");
  await says(town, developer, '/gantry scale web 4 --reason "sale"');
  expect(card(developer)).toMatch(/0 of 2/u);
  expect(count(town, "updateService")).toBe(0);
});

test("what was approved is not sent when a changed policy refuses it by then", async () => {
  await using town = await approvalTown();
  const { developer, approver } = town;
  await says(town, developer, "/gantry delete web");

  town.setPolicy(byGroup);
  await approver.clicks("Approve");
  await town.settled();

  expect(count(town, "deleteService")).toBe(0);
  expect(card(developer)).toMatch(/may no longer do this.*platform team/su);
});
