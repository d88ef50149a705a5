import { expect, test } from "vitest";
import { approvalTown } from "../../support/approval-town.ts";
import { says } from "../../support/speak.ts";
import { testClock } from "../../support/test-clock.ts";
import type { World } from "../../support/world.ts";

const SAID = "a second Gantry, has 2 connections to this Slack app";

/** Five minutes pass, at whose end each Gantry looks. Resolves when Slack has greeted a connection of this one. */
async function counts(town: World): Promise<void> {
  const opened = (): number => town.logLines().filter((line) => line.includes("a connection to Slack is open")).length;
  const before = opened();
  town.passMinutes(5);
  await town.until(() => opened() > before);
}

/** What this Gantry's heartbeat says of others. `/gantry status` and the doctor read it there. */
async function others(town: World): Promise<number | undefined> {
  await town.sweep();
  const [own] = (await town.store().inspect()).replicas;
  return own?.report?.transport.others;
}

test("a second Gantry on one Slack app says so ten minutes after its start, and no more when the first one has stopped", async () => {
  const clock = testClock();
  await using first = await approvalTown({ transport: "socket", clock });
  await using second = await approvalTown({ transport: "socket", clock, slack: first.slack });
  await first.until(() => first.playground.links.names().length === 4);

  await counts(second);
  expect(await others(second)).toBeUndefined();
  await counts(second);
  await second.until(async () => (await others(second)) === 2);
  expect(second.logLines().join("")).toContain("another Gantry is connected to the same Slack app");

  await first.stopBot();
  expect(await says(second, second.approver, "/gantry status")).toContain(SAID);
  await counts(second);
  await second.until(async () => (await others(second)) === undefined);
  expect(await says(second, second.approver, "/gantry status")).not.toContain(SAID);
});
