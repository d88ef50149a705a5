import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { approvalTown, count, counting } from "../../support/approval-town.ts";
import { onCallDecides } from "../../support/policies.ts";
import { card, clicks, says, saysIn, whispers } from "../../support/speak.ts";
import type { World } from "../../support/world.ts";

test("membership of a group is looked up at the click, not when it was asked", async () => {
  await using town = await approvalTown({ policy: onCallDecides });
  const { developer, approver } = town;
  await says(town, developer, "/gantry restart web");
  town.playground.people.leaveGroup("oncall", "alex");
  town.passMinutes(1);

  await clicks(town, approver, "Approve");

  expect(whispers(approver).at(-1)).toMatch(/can't approve this/u);
  expect(count(town, "restartService")).toBe(0);
  await clicks(town, town.playground.as("omar"), "Approve");
  expect(count(town, "restartService")).toBe(1);
});

test("guests and people of other organizations are refused, with a sentence", async () => {
  await using town = await approvalTown();
  const { developer, guest } = town;
  const robin = town.playground.people.addOutsider({ name: "robin", realName: "Robin Vale", channel: "ops" });

  expect(await says(town, guest, "/gantry list")).toMatch(/guest/u);
  expect(await says(town, guest, "/gantry scale web 3")).toMatch(/guest/u);
  expect(await says(town, robin, "/gantry scale web 3")).toMatch(/organization/u);
  expect(count(town, "listServices") + count(town, "updateService")).toBe(0);

  await says(town, developer, "/gantry restart web");
  await clicks(town, guest, "Approve");
  expect(whispers(guest).at(-1)).toMatch(/guest/u);
  await clicks(town, robin, "Approve");
  expect(whispers(robin).at(-1)).toMatch(/organi[sz]ation/u);
  expect(count(town, "restartService")).toBe(0);
});

const glass = `
rules:
  - name: on call may break the glass
    who: [S0ONCALL]
    does: [routine, disruptive, destructive]
    then: break-glass
  - name: look
    who: [members]
    does: [read]
    then: allow
  - name: all else
    who: [members]
    does: [routine, disruptive, destructive]
    then: { approve: { from: [channel-members], expires: 30m } }
`;

describe("where who is on call may break the glass", () => {
  let town: World;
  beforeAll(async () => {
    town = await approvalTown({ policy: glass });
  });
  afterAll(async () => town.close());

  test("who is on call may break the glass with a reason, and everybody sees it", async () => {
    const { developer, approver } = town;
    const calls = counting(town);

    expect(await says(town, approver, "/gantry restart web --break-glass")).toMatch(/reason/u);
    expect(await says(town, developer, '/gantry restart web --break-glass --reason "now"')).toMatch(/break/iu);
    expect(calls("restartService")).toBe(0);

    await says(town, approver, '/gantry restart web --break-glass --reason "orders fail"');

    expect(calls("restartService")).toBe(1);
    expect(card(developer)).toMatch(/Break-glass/u);
    expect(card(developer)).toContain("orders fail");
    expect(await says(town, developer, "/gantry history web")).toMatch(/break-glass|🚨/iu);
  });

  test("nobody breaks the glass unseen", async () => {
    const { approver } = town;
    const calls = counting(town);
    town.playground.people.invite("general", "alex");

    const words = '/gantry restart web --break-glass --reason "orders fail"';
    const inGeneral = await saysIn(town, { person: approver, channel: "general" }, words);
    const alone = await saysIn(town, { person: approver, channel: "@gantry" }, words);

    expect(inGeneral).toMatch(/invite/u);
    expect(alone).toMatch(/nobody else would see it/u);
    expect(calls("restartService")).toBe(0);
  });
});

test("where the bot cannot post, what needs nobody runs, and only who asked is told how it ended", async () => {
  await using town = await approvalTown();
  const where = { person: town.developer, channel: "general" };

  const answer = await saysIn(town, where, "/gantry scale web 3");

  expect((await town.service("web")).target_instance_size).toBe(3);
  expect(answer).toMatch(/instances 2 → 3/u);
  expect(answer).toMatch(/invite/u);
  expect(town.approver.sees("general")).toEqual([]);
});
