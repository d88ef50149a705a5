import { expect, test } from "vitest";
import { approvalTown } from "../../support/approval-town.ts";
import { happened, spoken } from "../../support/channel-town.ts";
import { says, clicks, form } from "../../support/speak.ts";
import type { World } from "../../support/world.ts";

/** Gantry looks whether people may still be told what they watch. */
async function later(town: World): Promise<void> {
  // From the first sweep on.
  await town.sweep();
  town.passMinutes(11);
  await town.sweep();
  await town.settled();
}

test("a watch goes on while its owner may see what it tells", async () => {
  await using town = await approvalTown();
  await says(town, town.developer, "/gantry watch web");

  await later(town);

  expect(await town.store().allWatches()).toHaveLength(1);
  expect(spoken(town.developer)).toHaveLength(1);
});

test("a watch ends when its owner is deactivated, and the channel reads why, once", async () => {
  await using town = await approvalTown();
  await says(town, town.approver, "/gantry watch web");
  town.playground.people.deactivate("alex");

  await later(town);
  await later(town);

  expect(await town.store().allWatches()).toEqual([]);
  expect(spoken(town.developer).slice(1)).toEqual([
    "🔕 Alex Kim no longer watches web: their Slack account is deactivated.",
  ]);
  expect((await happened(town))[0]).toBe("unwatched undefined: their Slack account is deactivated");
});

test("a watch ends when policy no longer allows it there", async () => {
  await using town = await approvalTown();
  await says(town, town.developer, '/gantry watch "shop-*"');
  await says(town, town.developer, "/gantry watch web");
  town.setPolicy(`
rules:
  - { name: not the shop, who: everyone, does: watch, workloads: { name: "shop-*" }, then: refuse }
  - { name: look, who: members, does: read, then: allow }
`);

  await later(town);

  expect(await town.store().allWatches()).toMatchObject([{ target: { names: "web" } }]);
  expect(spoken(town.developer).at(-1)).toBe(
    "🔕 Dana Reyes no longer watches workloads named shop-*: policy no longer allows it here.",
  );
});

test("a watch in a direct message says it there, and a name that policy hides nowhere", async () => {
  await using town = await approvalTown();
  await says(town, town.developer, "/gantry watch web --dm");
  await says(town, town.developer, '/gantry watch "shop-*"');
  await says(town, town.developer, "/gantry watch all");
  town.setPolicy("rules: [{ name: none, who: everyone, does: anything, then: refuse }]");

  await later(town);

  expect(town.developer.sees("@gantry").at(-1)?.text).toBe(
    "🔕 You no longer watch a hidden workload: policy no longer allows it here.",
  );
  expect(spoken(town.developer).slice(2).toSorted()).toEqual([
    "🔕 Dana Reyes no longer watches all workloads: policy no longer allows it here.",
    "🔕 Dana Reyes no longer watches hidden workloads: policy no longer allows it here.",
  ]);
});

const web = { kind: "service", names: "web", region: "beijing1" };

test("a workload's card has a button that watches it here, however often it is clicked", async () => {
  await using town = await approvalTown();
  const { developer } = town;
  await says(town, developer, "/gantry show web");

  await clicks(town, developer, "Tell me here");
  await says(town, developer, "/gantry show web");
  const again = await clicks(town, developer, "Tell me here");

  expect(spoken(developer)).toHaveLength(1);
  expect(again).toMatch(/already watches web/u);
  expect(await town.store().allWatches()).toMatchObject([{ target: web, place: { channelId: "C0OPS" } }]);
});

test("the card of a change has it, for everybody who reads the card", async () => {
  await using town = await approvalTown();
  const { developer, approver } = town;
  await says(town, developer, "/gantry scale web 3");

  await clicks(town, approver, "Tell me here");
  await clicks(town, developer, "Tell me here");

  expect(await town.store().allWatches()).toMatchObject([
    { target: web, owner: { name: "Alex Kim" } },
    { target: web, owner: { name: "Dana Reyes" } },
  ]);
});

test("from Home, a watch tells in a direct message", async () => {
  await using town = await approvalTown();
  const { developer } = town;
  await developer.opensHome();
  await town.settled();

  await developer.selects("home:do", "watch", { home: true });
  await town.settled();
  expect(form(developer)).toMatch(/Tell of/u);
  await developer.submits({ name: "web" });
  await town.settled();

  expect(await town.store().allWatches()).toMatchObject([{ target: web, place: { kind: "dm" } }]);
  expect(developer.sees("@gantry").at(-1)?.text).toMatch(/🔔 You watch web/u);
});
