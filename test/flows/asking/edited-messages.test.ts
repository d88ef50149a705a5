import { afterAll, beforeAll, expect, test } from "vitest";
import { approvalTown, count } from "../../support/approval-town.ts";
import { shopTown } from "../../support/shop-town.ts";
import type { JsonObject } from "../../../src/playground/json.ts";
import type { Person, World } from "../../support/world.ts";

const editNotRun = /don't run edited messages/u;

let town: World;
beforeAll(async () => void (town = await shopTown(["worker", "queue", "mailer", "shop", "cart", "search"])));
afterAll(() => town.close());

/** The notices about edits that a person got in a channel. */
function told(person: Person, channel = "ops"): readonly string[] {
  return person
    .sees(channel)
    .map(({ text }) => text)
    .filter((text) => editNotRun.test(text));
}

/** How many changes were sent so far, and how often somebody was told that edits are not run. */
function soFar(channel = "ops") {
  const { developer, approver } = town;
  return { sent: count(town, "updateService"), told: told(developer, channel).length, others: told(approver).length };
}

type Said = { readonly ts: string | undefined; readonly channel?: string };

async function edits({ ts = "", channel = "ops" }: Said, text: string): Promise<void> {
  await town.developer.edits(ts, text, { channel });
  await town.settled();
}

test("editing a mention never runs it again, and its author is told once", async () => {
  const { developer } = town;
  const before = soFar();
  const { ts } = await developer.says("@gantry scale web 3");
  await town.settled();

  await edits({ ts }, "@gantry scale web 3 please");
  await edits({ ts }, "@gantry scale web 4");
  await town.restartBot();
  await edits({ ts }, "@gantry scale web 5");

  expect(soFar()).toEqual({ ...before, sent: before.sent + 1, told: before.told + 1 });
  expect(told(developer).at(-1)).toMatch(/send a new message/u);
});

test("a restart with --break-glass runs once, even if its message is edited", async () => {
  const policy = `
rules:
  - { name: all, who: members, does: read, then: allow }
  - name: somebody else
    who: members
    does: [routine, disruptive]
    then: break-glass
`;
  await using glass = await approvalTown({ policy });
  const { developer } = glass;
  const { ts = "" } = await developer.says("@gantry restart web --break-glass --reason fire");
  await glass.settled();
  expect(count(glass, "restartService")).toBe(1);

  await developer.edits(ts, "@gantry restart web --break-glass --reason 'a fire'", { channel: "ops" });
  await glass.settled();

  expect(count(glass, "restartService")).toBe(1);
  expect(told(developer)).toHaveLength(1);
});

test("an edit that turns a message into a command runs it once", async () => {
  const before = soFar();
  const { ts } = await town.developer.says("@gantry sclae worker 3");
  await town.settled();
  expect(soFar()).toEqual(before);

  await edits({ ts }, "@gantry scale worker 3");
  await edits({ ts }, "@gantry scale worker 4");

  expect(soFar()).toEqual({ ...before, sent: before.sent + 1, told: before.told + 1 });
});

test("adding a mention to a message runs it for the first time", async () => {
  const before = soFar();
  const { ts } = await town.developer.says("scale queue 3");

  await edits({ ts }, "@gantry scale queue 3");

  expect(soFar()).toEqual({ ...before, sent: before.sent + 1 });
});

test("editing an answered question doesn't turn it into a change", async () => {
  const before = soFar();
  const { ts } = await town.developer.says("@gantry show web");
  await town.settled();

  await edits({ ts }, "@gantry scale web 3");

  expect(soFar()).toEqual({ ...before, told: before.told + 1 });
});

test("the same holds in a direct message", async () => {
  const { developer } = town;
  const channel = "@gantry";
  const before = soFar(channel);
  const first = await developer.says("sclae mailer 3", { channel });
  await town.settled();

  await edits({ ts: first.ts, channel }, "scale mailer 3");
  await edits({ ts: first.ts, channel }, "scale mailer 4");
  await developer.deletes(first.ts ?? "", { channel });
  await town.settled();

  expect(soFar(channel)).toEqual({ ...before, sent: before.sent + 1, told: before.told + 1 });
});

test("editing a message from last week never runs it", async () => {
  const before = soFar();
  const { ts } = await town.developer.says("@gantry sclae shop 3");
  await town.settled();
  town.passMinutes(8 * 24 * 60);
  await town.sweep();

  await edits({ ts }, "@gantry scale shop 3");

  expect(soFar()).toEqual({ ...before, told: before.told + 1 });
});

test("a message that ran is remembered for as long as edits are accepted", async () => {
  const before = soFar();
  const { ts } = await town.developer.says("@gantry scale cart 3");
  await town.settled();
  for (let day = 0; day < 6; day += 1) {
    town.passMinutes(24 * 60);
    await town.sweep();
  }

  await edits({ ts }, "@gantry scale cart 4");

  expect(soFar()).toEqual({ ...before, sent: before.sent + 1, told: before.told + 1 });
});

test("a mention that Slack redelivers after a bot restart is ignored", async () => {
  const before = soFar();
  await town.developer.says("@gantry scale search 3");
  await town.settled();
  const mention = town.playground.transcript().findLast(({ kind }) => kind === "event_callback");

  await town.restartBot();
  const seen = town.developer.sees("ops").length;
  const again = await town.playground.deliver(mention?.request as JsonObject); // the payload of an event
  await town.settled();

  expect(again.acked).toBe(true);
  expect(soFar()).toEqual({ ...before, sent: before.sent + 1 });
  expect(town.developer.sees("ops")).toHaveLength(seen);
});
