import { expect, test } from "vitest";
import { approvalTown, count } from "../../support/approval-town.ts";
import { quorum, onCallDecides } from "../../support/policies.ts";
import { card, clicks, home, says, whispers } from "../../support/speak.ts";
import type { World } from "../../support/world.ts";

test("somebody who became a guest may not approve, and asks for nothing more", async () => {
  await using town = await approvalTown();
  const { developer, approver, playground } = town;
  await says(town, developer, "/gantry restart web");
  playground.people.setGuest("alex", true);
  town.passMinutes(1);

  await clicks(town, approver, "Approve");

  expect(whispers(approver).at(-1)).toMatch(/guest/u);
  expect(await says(town, approver, "/gantry scale web 3")).toMatch(/guests/u);
  expect(card(developer)).toMatch(/0 of 1/u);
  expect(count(town, "restartService") + count(town, "updateService")).toBe(0);
});

test.each([
  ["became a guest", ({ playground }: World) => playground.people.setGuest("dana", true), /guests/u],
  ["was deactivated", ({ playground }: World) => playground.people.deactivate("dana"), /deactivated/u],
] as const)("a request of somebody who %s is refused when it is approved, and its card says why", async (...story) => {
  const [, changes, why] = story;
  await using town = await approvalTown();
  const { developer, approver } = town;
  await says(town, developer, "/gantry restart web");
  changes(town);

  await clicks(town, approver, "Approve");

  expect(count(town, "restartService")).toBe(0);
  expect(card(approver)).toMatch(/❌.*Dana Reyes may no longer do this\./su);
  expect(card(approver)).toMatch(why);
});

test("an approval counts no more once its giver became a guest", async () => {
  await using town = await approvalTown({ policy: quorum });
  const { developer, approver, playground } = town;
  playground.people.addPerson("kim", ["ops"]);
  await says(town, developer, "/gantry scale web 4");
  await clicks(town, approver, "Approve");
  playground.people.setGuest("alex", true);

  await clicks(town, playground.as("omar"), "Approve");

  expect(count(town, "updateService")).toBe(0);
  expect(card(developer)).toMatch(/Alex Kim's approval no longer counts\. 1 more approval is needed.*1 of 2/su);
});

test("Home of somebody who was deactivated, or is from elsewhere, shows no workloads", async () => {
  await using town = await approvalTown();
  const { approver, playground } = town;
  const robin = playground.people.addOutsider({ name: "robin", realName: "Robin Vale", channel: "ops" });
  playground.people.deactivate("alex", { signsOut: false });

  for (const person of [robin, approver]) {
    await person.opensHome();
    await town.settled();
    expect(home(person)).not.toMatch(/web/u);
  }
});

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
