import { expect, test } from "vitest";
import type { WatchedEvent } from "../../../src/bot/watch/watch.ts";
import { openPolicy } from "../../support/open-policy.ts";
import { says, whispers } from "../../support/speak.ts";
import { watchedTown, type WatchedTown } from "../../support/watched-town.ts";

const failed = {
  status: { failed: 1, conditions: [{ type: "Failed", status: "True", message: "exit code 2" }] },
  message: "exit code 2",
};

const nightly = "/gantry create job nightly --image gantry/batch";
const events: WatchedEvent[] = ["failing", "recovered", "job-failed"];

/** A town in which jobs are created from Slack. */
async function townWithJobs(): Promise<WatchedTown> {
  return watchedTown({ policy: openPolicy, wait: () => Promise.resolve() });
}

/** Messages that say that the job failed, in and outside of threads. */
const failures = (town: WatchedTown, channel?: string): readonly string[] =>
  town
    .told(channel)
    .filter((text) => /nightly failed/u.test(text))
    .map((text) => text.split("\n")[0] ?? "");

test("a job that fails is told by its card and the card's thread, and not once more by a watch there", async () => {
  await using town = await townWithJobs();
  await town.watches("*", { events });
  await says(town, town.developer, nightly);

  town.isJob("nightly", failed);
  await town.passes(3);

  expect(failures(town)).toEqual([
    "❌ nightly failed: exit code 2 after 1 attempt",
    expect.stringMatching(/^↳ 🔴 nightly failed: exit code 2 after 1 attempt/u),
  ]);
});

test("a watch elsewhere tells it, and so does one of a job that nobody created here", async () => {
  await using town = await townWithJobs();
  await town.watches("*", { events, place: { kind: "dm" } });
  await town.watches("*", { events });
  await says(town, town.developer, nightly);
  town.isJob("report", { status: { active: 1 } });
  await town.passes(1);

  town.isJob("nightly", failed);
  town.isJob("report", failed);
  await town.passes(3);

  expect(town.told("@gantry").join("\n")).toMatch(/^🔴 2 workloads failed\n🔴 nightly · failed\n🔴 report · failed$/mu);
  expect(town.told().join("\n")).toMatch(/^🔴 report failed: exit code 2$/mu);
});

test("the alert shows the creation before the failure as created, not as failed", async () => {
  await using town = await townWithJobs();
  await town.watches("nightly", { events, place: { kind: "dm" } });
  await says(town, town.developer, nightly);
  await town.passes(1);

  town.isJob("nightly", failed);
  await town.passes(3);

  const alert = town.told("@gantry").join("\n");
  expect(alert).toMatch(/^Before it: Created job nightly · by Dana Reyes · /mu);
  expect(alert.match(/exit code 2/gu)).toHaveLength(1);
});

test("the card of a job that has run for hours doesn't come later than the watch would", async () => {
  await using town = await townWithJobs();
  await town.watches("*", { events });
  await says(town, town.developer, nightly);
  // By now its card looks every nine minutes.
  await town.sleeps(180);
  await town.sleeps(10);

  town.isJob("nightly", failed);
  await town.passes(1);

  expect(failures(town)).toHaveLength(2);
  expect(failures(town)[0]).toMatch(/^❌ nightly failed/u);
});

test("a card that can't be drawn keeps its watch quiet for two minutes, and no longer", async () => {
  await using town = await townWithJobs();
  await town.watches("*", { events });
  await says(town, town.developer, nightly);
  town.playground.faults.answer("chat.update", "500");

  town.isJob("nightly", failed);
  await town.passes(1);
  const soon = failures(town);
  await town.passes(3);

  expect(soon).toEqual([]);
  expect(failures(town).filter((text) => !text.startsWith("↳"))).toEqual([
    expect.stringMatching(/^🔴 nightly failed/u),
  ]);
});

test("a watch tells what a card couldn't: the job was run once more by hand, and failed again", async () => {
  await using town = await townWithJobs();
  await town.watches("*", { events });
  await says(town, town.developer, nightly);
  town.isJob("nightly", failed);
  await town.passes(2);
  const before = failures(town).length;

  town.isJob("nightly", { metadata: { name: "nightly", uid: "another" }, status: { active: 1 } });
  await town.passes(2);
  town.isJob("nightly", { metadata: { name: "nightly", uid: "another" }, ...failed });
  await town.passes(2);

  expect(failures(town).slice(before)).toEqual([expect.stringMatching(/^🔴 nightly failed: exit code 2$/u)]);
  expect(town.told().at(-1)).toMatch(/^Since .+ · 2 times$/mu);
});

test("whoever asked to be told of the end in a direct message isn't told twice there", async () => {
  await using town = await townWithJobs();
  await town.watches("*", { events, place: { kind: "dm" } });
  await says(town, town.developer, `${nightly} --notify me`);

  town.isJob("nightly", failed);
  await town.passes(3);

  expect(failures(town, "@gantry")).toEqual(["❌ nightly failed: exit code 2 after 1 attempt"]);
});

test("whoever asked to be told of the end, and takes no direct messages, reads it in the thread of the card", async () => {
  await using town = await townWithJobs();
  town.playground.faults.answer("chat.postMessage", { error: "messages_tab_disabled" }, { channel: "U0DANA" });
  town.playground.faults.answer("conversations.open", { error: "messages_tab_disabled" });
  await says(town, town.developer, `${nightly} --notify me`);

  town.isJob("nightly", { status: { succeeded: 1, completionTime: "2026-11-26T10:02:00Z" } });
  await town.passes(3);

  const told = town.thread("ops").slice(1);
  expect(told).toEqual([expect.stringMatching(/^@dana[^]*nightly completed[^]*You asked to hear how it ends/u)]);
  await town.passes(60);
  expect(town.thread("ops").slice(1)).toEqual(told);
});

test("where no card can stand either, they read it beside their command", async () => {
  await using town = await townWithJobs();
  for (const channel of ["U0DANA", "ops"]) {
    town.playground.faults.answer("chat.postMessage", { error: "messages_tab_disabled" }, { channel });
  }
  town.playground.faults.answer("conversations.open", { error: "messages_tab_disabled" });
  await says(town, town.developer, `${nightly} --notify me`);

  town.isJob("nightly", { status: { succeeded: 1, completionTime: "2026-11-26T10:02:00Z" } });
  await town.passes(3);

  expect(whispers(town.developer)).toEqual([expect.stringMatching(/nightly completed/u)]);
});
