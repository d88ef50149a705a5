import { afterAll, beforeAll, expect, test } from "vitest";
import { approvalTown, count, counting } from "../../support/approval-town.ts";
import { quorum } from "../../support/policies.ts";
import { shopTown } from "../../support/shop-town.ts";
import { card, clicks, idOf, says, whispers } from "../../support/speak.ts";
import type { World } from "../../support/world.ts";

let town: World;
beforeAll(async () => {
  town = await shopTown(["leaky", "own", "clicked", "kept", "waits", "mine"]);
});
afterAll(async () => town.close());

test("a restart waits for somebody else, and runs once when they approve", async () => {
  const { developer, approver } = town;
  const calls = counting(town);

  await says(town, developer, '/gantry restart leaky --reason "it leaks"');

  expect(card(developer)).toMatch(/Restart leaky\?.*[Rr]equested by @dana/su);
  expect(card(developer)).toContain("it leaks");
  expect(card(developer)).toMatch(/0 of 1/u);
  expect(calls("restartService")).toBe(0);

  await clicks(town, approver, "Approve");

  expect(calls("restartService")).toBe(1);
  expect(card(developer)).toMatch(/Alex Kim/u);
  expect(card(developer)).toMatch(/✅ leaky restarted/u);
  expect(card(developer)).not.toContain("[Approve]");
  expect(town.thread("ops").join("\n")).toMatch(/Alex Kim/u);
});

test("nobody approves what they asked for themselves", async () => {
  const calls = counting(town);

  await says(town, town.developer, "/gantry stop own");
  await clicks(town, town.developer, "Approve");

  expect(whispers(town.developer).at(-1)).toMatch(/your own request/u);
  expect(calls("stopService")).toBe(0);
  expect(card(town.developer)).toMatch(/0 of 1/u);
});

test("a quorum of two takes two people, and one of them twice is one", async () => {
  await using town = await approvalTown({ policy: quorum });
  const { developer, approver } = town;
  const omar = town.playground.as("omar");

  await says(town, developer, "/gantry scale web 4");
  await clicks(town, approver, "Approve");
  await clicks(town, approver, "Approve");

  expect(whispers(approver).at(-1)).toMatch(/already approved this/u);
  expect(count(town, "updateService")).toBe(0);
  expect(card(developer)).toMatch(/1 of 2/u);

  await clicks(town, omar, "Approve");

  expect(count(town, "updateService")).toBe(1);
  expect((await town.service("web")).target_instance_size).toBe(4);
});

test("a double click, and a click that Slack delivers twice, act once", async () => {
  const { developer, approver } = town;
  const calls = counting(town);
  await says(town, developer, "/gantry restart clicked");

  await Promise.all([approver.clicks("Approve"), approver.clicks("Approve")]);
  await town.settled();

  expect(calls("restartService")).toBe(1);
});

test("who asked can take it back, nobody else can", async () => {
  const { developer, approver } = town;
  const calls = counting(town);
  await says(town, developer, "/gantry stop kept");

  await clicks(town, approver, "Cancel request");
  expect(whispers(approver).at(-1)).toMatch(/Only Dana Reyes/u);

  await clicks(town, developer, "Cancel request");
  expect(card(developer)).toMatch(/cancelled/iu);
  expect(calls("stopService")).toBe(0);
});

test("the menu of a waiting card shows the workload to who clicks, and the card stays", async () => {
  const { developer, approver } = town;
  await says(town, developer, "/gantry restart waits");
  const waiting = card(developer);
  const before = whispers(approver).length;

  const shown = await clicks(town, approver, "Show");

  expect(whispers(approver).slice(before)).toEqual([shown]);
  expect(shown).toMatch(/waits/u);
  expect(card(developer)).toBe(waiting);
});

test("who tries to approve their own request cancels it with the button of the answer", async () => {
  const { developer } = town;
  await says(town, developer, "/gantry restart mine");
  await clicks(town, developer, "Approve");
  expect(whispers(developer).at(-1)).toMatch(/You can't decide on your own request: restart mine/u);

  await clicks(town, developer, "Cancel request");

  expect(card(developer)).toMatch(/^🚫 Cancelled: restart mine\n/u);
});

test("the same by words: pending, approve, reject and cancel", async () => {
  await using town = await approvalTown();
  const { developer, approver } = town;
  expect(await says(town, approver, "/gantry pending")).toMatch(/nothing/iu);

  await says(town, developer, "/gantry stop web");
  const stop = idOf(card(developer));
  expect(await says(town, approver, "/gantry pending")).toContain(stop);
  await says(town, approver, `/gantry reject ${stop} --reason "not today"`);
  expect(card(developer)).toContain("not today");

  await says(town, developer, "/gantry restart web");
  const restart = idOf(card(developer));
  await says(town, approver, `/gantry approve ${restart.toLowerCase()}`);
  expect(count(town, "restartService")).toBe(1);

  await says(town, developer, "/gantry delete web");
  const deletion = idOf(card(developer));
  await says(town, developer, `/gantry cancel ${deletion}`);
  expect(card(developer)).toMatch(/cancelled/iu);
  expect(count(town, "deleteService")).toBe(0);
  expect(await says(town, approver, `/gantry approve ${deletion}`)).toMatch(/Too late to approve/u);
  expect(await says(town, approver, "/gantry approve ZZZZZZ")).toMatch(/no request ZZZZZZ/u);
});

test("what nobody decides in time expires, also over a restart of the bot", async () => {
  await using town = await approvalTown();
  const { developer, approver } = town;
  await says(town, developer, "/gantry stop web");

  town.passMinutes(61);
  await town.restartBot();
  await town.settled();

  expect(card(developer)).toMatch(/expired/iu);
  await expect(approver.clicks("Approve")).rejects.toThrow(/sees no button/u);
  expect(count(town, "stopService")).toBe(0);
});

const teamDecides = `rules:
  - { name: look, who: members, does: read, then: allow }
  - { name: the team decides, who: members, does: disruptive, then: { approve: { votes: 2, from: [S0TEAM, U0OMAR] } } }
`;

test("the card calls the approvers of a rule that names a group, and names the people that can-i names", async () => {
  await using town = await approvalTown({ policy: teamDecides });
  const { developer, approver, playground } = town;
  playground.people.addGroup("team", ["dana", "alex"]);

  await says(town, developer, "/gantry restart web");

  const [opening] = playground.transcript().filter(({ kind }) => kind === "chat.postMessage");
  const mentions = JSON.stringify(opening?.request).match(/(?:usergroup|user)_id[\\":]+\w+/gu);
  expect(mentions?.map((each) => each.replace(/.*\W/u, ""))).toEqual(["U0DANA", "S0TEAM", "U0OMAR"]);
  expect(card(developer)).toMatch(/^Can approve now: (?:Omar Haddad, Alex Kim|Alex Kim, Omar Haddad)$/mu);
  const [able] = /^Can approve now: .*$/mu.exec(card(developer)) ?? [];
  expect(await says(town, developer, "/gantry can-i restart web")).toContain(`${able}.`);

  await clicks(town, approver, "Approve");

  expect(card(developer)).toMatch(/1 of 2 \(Alex Kim\)/u);
  expect(card(developer)).toMatch(/^Can approve now: Omar Haddad$/mu);

  await clicks(town, playground.as("omar"), "Approve");

  expect(card(developer)).not.toMatch(/approve now/iu);
  expect(count(town, "restartService")).toBe(1);
});
