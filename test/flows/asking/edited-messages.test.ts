import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { defaultPolicyText } from "../../../src/bot/policy/read-policy.ts";
import { count } from "../../support/approval-town.ts";
import { shopTown } from "../../support/shop-town.ts";
import type { JsonObject } from "../../../src/playground/json.ts";
import type { Person, World } from "../../support/world.ts";

const editNotRun = /don't run edited messages/u;

let town: World;
beforeAll(async () => void (town = await shopTown(["worker", "queue", "mailer", "shop", "cart"])));
beforeEach(() => town.setPolicy(defaultPolicyText));
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

type Said = { readonly ts?: string | undefined; readonly channel?: string };

async function edits({ ts = "", channel = "ops" }: Said, text: string): Promise<void> {
  await town.developer.edits(ts, text, { channel });
  await town.settled();
}

test("editing a mention never runs it again, nor does Slack's redelivery, and its author is told once", async () => {
  const { developer } = town;
  const before = soFar();
  const { ts } = await developer.says("@gantry scale web 3");
  await town.settled();
  const mention = town.playground.transcript().findLast(({ kind }) => kind === "event_callback");

  await edits({ ts }, "@gantry scale web 3 please");
  await edits({ ts }, "@gantry scale web 4");
  await town.restartBot();
  await edits({ ts }, "@gantry scale web 5");
  const seen = developer.sees("ops").length;
  const again = await town.playground.deliver(mention?.request as JsonObject); // the payload of an event
  await town.settled();

  expect(again.acked).toBe(true);
  expect(soFar()).toEqual({ ...before, sent: before.sent + 1, told: before.told + 1 });
  expect(told(developer).at(-1)).toMatch(/send a new message/u);
  expect(developer.sees("ops")).toHaveLength(seen);
});

test("a restart with --break-glass runs once, even if its message is edited", async () => {
  const { developer } = town;
  const before = { restarts: count(town, "restartService"), told: told(developer).length };
  town.setPolicy(`
rules:
  - { name: all, who: members, does: read, then: allow }
  - name: somebody else
    who: members
    does: [routine, disruptive]
    then: break-glass
`);
  const { ts } = await developer.says("@gantry restart web --break-glass --reason fire");
  await town.settled();
  expect(count(town, "restartService")).toBe(before.restarts + 1);

  await edits({ ts }, "@gantry restart web --break-glass --reason 'a fire'");

  expect(count(town, "restartService")).toBe(before.restarts + 1);
  expect(told(developer)).toHaveLength(before.told + 1);
});

test("a message that an edit turns into a command, or mentions the bot for the first time, runs once; an answered question doesn't", async () => {
  const { developer } = town;
  const before = soFar();
  const typo = await developer.says("@gantry sclae worker 3");
  const talk = await developer.says("scale queue 3");
  const question = await developer.says("@gantry show web");
  await town.settled();
  expect(soFar()).toEqual(before);

  await edits(typo, "@gantry scale worker 3");
  await edits(talk, "@gantry scale queue 3");
  expect(soFar()).toEqual({ ...before, sent: before.sent + 2 });

  await edits(typo, "@gantry scale worker 4");
  await edits(question, "@gantry scale web 6");
  expect(soFar()).toEqual({ ...before, sent: before.sent + 2, told: before.told + 2 });
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

test("a message that ran is remembered for as long as edits are accepted, and one from last week never runs", async () => {
  const { developer } = town;
  const before = soFar();
  const ran = await developer.says("@gantry scale cart 3");
  const typo = await developer.says("@gantry sclae shop 3");
  await town.settled();
  for (let day = 0; day < 6; day += 1) {
    town.passMinutes(24 * 60);
    await town.sweep();
  }
  await edits(ran, "@gantry scale cart 4");
  expect(soFar()).toEqual({ ...before, sent: before.sent + 1, told: before.told + 1 });

  town.passMinutes(2 * 24 * 60);
  await town.sweep();
  await edits(typo, "@gantry scale shop 3");
  expect(soFar()).toEqual({ ...before, sent: before.sent + 1, told: before.told + 2 });
});
