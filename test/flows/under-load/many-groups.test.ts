import { expect, test } from "vitest";
import { approvalTown, count } from "../../support/approval-town.ts";
import { card, clicks, says } from "../../support/speak.ts";
import type { World } from "../../support/world.ts";

const groups = Array.from({ length: 30 }, (_, at) => `team${at}`);
const ids = groups.map((handle) => `S0${handle.toUpperCase()}`);

/** Thirty rules, each for one group; dana is in the last one. */
const ruleForEachGroup = `rules:
  - { name: look, who: [members], does: [read], then: allow }
${ids.map((id) => `  - { name: ${id} scales, who: [${id}], does: [routine], then: allow }`).join("\n")}
`;

const anyGroupDecides = `rules:
  - { name: look, who: [members], does: [read], then: allow }
  - { name: teams decide, who: [members], does: [routine], then: { approve: { from: [${ids.join(", ")}], expires: 30m } } }
`;

async function manyGroups(policy: string): Promise<World> {
  const town = await approvalTown({ policy });
  for (const handle of groups)
    town.playground.people.addGroup(handle, handle === "team29" ? ["dana", "alex"] : ["omar"]);
  town.playground.faults.enforcesRateTiers = true;
  return town;
}

/** Calls of Slack for user groups, and how many of them were refused. */
function groupCalls({ playground }: World): { readonly all: number; readonly limited: number } {
  const calls = playground
    .transcript()
    .filter(({ direction, kind }) => direction === "from bot" && kind.startsWith("usergroups."));
  return { all: calls.length, limited: calls.filter(({ status }) => status === 429).length };
}

test("a policy with thirty groups lets somebody of the last one work all minute long, within Slack's limits", async () => {
  await using town = await manyGroups(ruleForEachGroup);

  for (const size of [3, 4, 5, 6]) {
    await says(town, town.developer, `/gantry scale web ${size}`);
    town.passMinutes(1 / 4);
  }

  expect((await town.service("web")).target_instance_size).toBe(6);
  expect(count(town, "updateService")).toBe(4);
  expect(groupCalls(town).limited).toBe(0);
  expect(groupCalls(town).all).toBeLessThanOrEqual(15);
});

test("members of thirty groups approve, within Slack's limits", async () => {
  await using town = await manyGroups(anyGroupDecides);

  await says(town, town.developer, "/gantry scale web 3");
  expect(card(town.developer)).toMatch(/0 of 1/u);
  await clicks(town, town.approver, "Approve");

  expect((await town.service("web")).target_instance_size).toBe(3);
  expect(groupCalls(town).limited).toBe(0);
  expect(groupCalls(town).all).toBeLessThanOrEqual(12);
});

test("when Slack limits the questions about groups, Slack is left alone, and the request waits for whoever may approve", async () => {
  await using town = await manyGroups(anyGroupDecides);
  await says(town, town.developer, "/gantry whoami");
  town.playground.faults.answer("usergroups.list", "429", { retryAfterSeconds: 30 });
  town.playground.faults.answer("usergroups.users.list", "429", { retryAfterSeconds: 30 });

  await says(town, town.developer, "/gantry scale web 3");
  expect(card(town.developer)).toMatch(/0 of 1/u);
  // Groups one by one at the same time, all of them by one list, and their handles for the card.
  const asked = groupCalls(town).all;
  expect(asked).toBeLessThanOrEqual(10);
  await clicks(town, town.approver, "Approve");
  expect(groupCalls(town).all).toBe(asked);
  expect(count(town, "updateService")).toBe(0);

  town.playground.faults.clear();
  town.passMinutes(1);
  await clicks(town, town.approver, "Approve");
  expect((await town.service("web")).target_instance_size).toBe(3);
});
