import { expect, test } from "vitest";
import { approvalTown } from "../../support/approval-town.ts";
import { openPolicy } from "../../support/open-policy.ts";
import { clicks, says } from "../../support/speak.ts";
import { testClock } from "../../support/test-clock.ts";
import { crashing, watchedTown, well } from "../../support/watched-town.ts";
import { newest, type World } from "../../support/world.ts";

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
  // On a busy machine, a count may still find a connection that is being closed. The next one is five minutes later.
  await second.until(async () => {
    second.passMinutes(5);
    return (await others(second)) === undefined;
  });
  expect(await says(second, second.approver, "/gantry status")).not.toContain(SAID);
});

const WHY = "Nothing was changed. It may be too old, from another workspace, or from another Gantry on this Slack app.";

function inOneLine(text: string): string {
  return text.replaceAll("\n", " ");
}

test("a click that reaches the other Gantry changes nothing, and says why that may be", async () => {
  await using first = await approvalTown({ transport: "socket" });
  const { developer, approver } = first;
  await says(first, developer, "/gantry scale web 3");
  await says(first, developer, "/gantry restart web");
  await clicks(first, approver, "Reject");
  await using second = await approvalTown({ transport: "socket", slack: first.slack });
  await first.stopBot();

  await approver.submits();
  await second.settled();
  expect(inOneLine(newest(approver))).toContain(WHY);
  for (const label of ["Approve", "Cancel request", "Reject", "Show", "Undo"]) {
    const answer = await clicks(second, developer, label);
    expect(`${label}: ${inOneLine(answer)}`).toMatch(
      new RegExp(`^${label}: I don't know request [0-9A-Z]{6}\\. ${WHY}`, "u"),
    );
  }
});

test("so does a click in a list of requests", async () => {
  await using first = await approvalTown({ transport: "socket" });
  await says(first, first.developer, "/gantry restart web");
  await says(first, first.approver, "/gantry pending");
  await using second = await approvalTown({ transport: "socket", slack: first.slack });
  await first.stopBot();

  expect(inOneLine(await clicks(second, first.approver, "Approve"))).toContain(WHY);
});

test("so does a click on a card whose request went with old history", async () => {
  const dayMs = 24 * 60 * 60_000;
  await using town = await approvalTown({ keepHistoryMs: 10 * dayMs });
  await says(town, town.developer, "/gantry scale web 3");
  town.passMinutes((11 * dayMs) / 60_000);
  await town.sweep();

  expect(inOneLine(await clicks(town, town.developer, "Undo"))).toContain(WHY);
});

test("so does a click on an incident's card", async () => {
  await using first = await watchedTown({ transport: "socket", policy: openPolicy });
  first.is("web", well);
  await says(first, first.developer, "/gantry watch web --after 0s");
  await first.passes(1);
  first.is("web", crashing);
  await first.passes(1);
  await using second = await watchedTown({ transport: "socket", slack: first.slack });
  await first.stopBot();

  expect(await clicks(second, first.approver, "I'm on it")).toContain(`I don't know this incident. ${WHY}`);
});
