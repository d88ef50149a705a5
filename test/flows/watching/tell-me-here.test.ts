import { expect, test } from "vitest";
import { approvalTown } from "../../support/approval-town.ts";
import { spoken } from "../../support/channel-town.ts";
import { clicks, form, home, says } from "../../support/speak.ts";

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

  expect(home(developer)).toMatch(/Watch/u);
  await developer.clicks("Watch", { home: true });
  await town.settled();
  expect(form(developer)).toMatch(/Tell of/u);
  await developer.submits({ name: "web" });
  await town.settled();

  expect(await town.store().allWatches()).toMatchObject([{ target: web, place: { kind: "dm" } }]);
  expect(developer.sees("@gantry").at(-1)?.text).toMatch(/🔔 You watch web/u);
});
