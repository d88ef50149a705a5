import { expect, test } from "vitest";
import { approvalTown, count } from "../../support/approval-town.ts";
import type { JsonObject } from "../../../src/playground/json.ts";
import { card } from "../../support/speak.ts";
import type { Person, World } from "../../support/world.ts";

const editNotRun = /don't run edited messages/u;

/** The notices about edits that a person got in a channel. */
function told(person: Person, channel = "ops"): readonly string[] {
  return person
    .sees(channel)
    .map(({ text }) => text)
    .filter((text) => editNotRun.test(text));
}

type Said = { readonly ts: string | undefined; readonly channel?: string };

async function edits(town: World, { ts = "", channel = "ops" }: Said, text: string): Promise<void> {
  await town.developer.edits(ts, text, { channel });
  await town.settled();
}

test("editing a mention never runs it again, and its author is told once", async () => {
  await using town = await approvalTown();
  const { developer, approver } = town;
  const { ts } = await developer.says("@gantry scale web 3");
  await town.settled();

  await edits(town, { ts }, "@gantry scale web 3 please");
  await edits(town, { ts }, "@gantry scale web 4");
  await town.restartBot();
  await edits(town, { ts }, "@gantry scale web 5");

  expect(count(town, "updateService")).toBe(1);
  expect(told(developer)).toEqual([expect.stringMatching(/send a new message/u)]);
  expect(told(approver)).toEqual([]);
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
  await using town = await approvalTown({ policy });
  const { ts } = await town.developer.says("@gantry restart web --break-glass --reason fire");
  await town.settled();
  expect(count(town, "restartService")).toBe(1);

  await edits(town, { ts }, "@gantry restart web --break-glass --reason 'a fire'");

  expect(count(town, "restartService")).toBe(1);
  expect(told(town.developer)).toHaveLength(1);
});

test("an edit that turns a message into a command runs it once", async () => {
  await using town = await approvalTown();
  const { developer } = town;
  const { ts } = await developer.says("@gantry sclae web 3");
  await town.settled();
  expect(count(town, "updateService")).toBe(0);

  await edits(town, { ts }, "@gantry scale web 3");
  await edits(town, { ts }, "@gantry scale web 4");

  expect(count(town, "updateService")).toBe(1);
  expect(told(developer)).toHaveLength(1);
});

test("adding a mention to a message runs it for the first time", async () => {
  await using town = await approvalTown();
  const { ts } = await town.developer.says("scale web 3");

  await edits(town, { ts }, "@gantry scale web 3");

  expect(count(town, "updateService")).toBe(1);
});

test("editing an answered question doesn't turn it into a change", async () => {
  await using town = await approvalTown();
  const { ts } = await town.developer.says("@gantry show web");
  await town.settled();

  await edits(town, { ts }, "@gantry scale web 3");

  expect(count(town, "updateService")).toBe(0);
  expect(told(town.developer)).toHaveLength(1);
});

test("the same holds in a direct message", async () => {
  await using town = await approvalTown();
  const { developer } = town;
  const channel = "@gantry";
  const first = await developer.says("sclae web 3", { channel });
  await town.settled();

  await edits(town, { ts: first.ts, channel }, "scale web 3");
  await edits(town, { ts: first.ts, channel }, "scale web 4");
  await developer.deletes(first.ts ?? "", { channel });
  await town.settled();

  expect(count(town, "updateService")).toBe(1);
  expect(told(developer, channel)).toHaveLength(1);
});

test("editing a message from last week never runs it", async () => {
  await using town = await approvalTown();
  const { ts } = await town.developer.says("@gantry sclae web 3");
  await town.settled();
  town.passMinutes(8 * 24 * 60);
  await town.sweep();

  await edits(town, { ts }, "@gantry scale web 3");

  expect(count(town, "updateService")).toBe(0);
  expect(told(town.developer)).toHaveLength(1);
});

test("a message that ran is remembered for as long as edits are accepted", async () => {
  await using town = await approvalTown();
  const { ts } = await town.developer.says("@gantry scale web 3");
  await town.settled();
  for (let day = 0; day < 6; day += 1) {
    town.passMinutes(24 * 60);
    await town.sweep();
  }

  await edits(town, { ts }, "@gantry scale web 4");

  expect(count(town, "updateService")).toBe(1);
});

test("a mention that Slack redelivers after a bot restart is ignored", async () => {
  await using town = await approvalTown();
  await town.developer.says("@gantry scale web 3");
  await town.settled();
  const mention = town.playground.transcript().findLast(({ kind }) => kind === "event_callback");

  await town.restartBot();
  const seen = town.developer.sees("ops").length;
  const again = await town.playground.deliver(mention?.request as JsonObject); // the payload of an event
  await town.settled();

  expect(again.acked).toBe(true);
  expect(count(town, "updateService")).toBe(1);
  expect(town.developer.sees("ops")).toHaveLength(seen);
  expect(card(town.developer)).toBe("");
});
