import { setImmediate as turn } from "node:timers/promises";
import { expect, test } from "vitest";
import { pauseAfter } from "../../../src/bot/workflow/run/follow.ts";
import { spoken } from "../../support/channel-town.ts";
import { openPolicy } from "../../support/open-policy.ts";
import { operationOf } from "../../support/operation-of.ts";
import { card, says } from "../../support/speak.ts";
import { type World, world } from "../../support/world.ts";

type Town = World & {
  readonly nowIs: (status: object) => void;
  /** Somebody deleted the job. */
  readonly isGone: () => void;
  readonly looks: () => number;
};

const startTime = "2026-11-21T02:00:00Z";
const metadata = { name: "nightly", uid: "j1", creationTimestamp: startTime };
const failed = (count: number, message: string): object => ({
  startTime,
  failed: count,
  conditions: [{ type: "Failed", status: "True", message }],
});

/** A town whose workload API answers what the test says about the one job. */
async function townWithJob(): Promise<Town> {
  let status: object = {};
  let isCreated = false;
  let looks = 0;
  const answer = (request: Request): Response => {
    if (new URL(request.url).pathname.endsWith("/healthz")) {
      return Response.json({ engine: { name: "process", title: "Test", regions: [], images: ["gantry/batch"] } });
    }
    const op = operationOf(request);
    if (op === "createJob") isCreated = true;
    if (op === "getJob" && isCreated) looks += 1;
    if (op === "getJobInstanceLogs") return Response.json([{ log: "connecting" }, { log: "the disk is full" }]);
    if (op === "getJob" && !isCreated) return Response.json({ error: "not found" }, { status: 404 });
    return Response.json({ metadata, instance_names: ["nightly-4"], status });
  };
  const town = await world({ policy: openPolicy, apiFetch: async (request) => answer(request), wait: () => turn() });
  return { ...town, nowIs: (now) => void (status = now), isGone: () => void (isCreated = false), looks: () => looks };
}

test("the card of a job follows it: running, retrying, and failed with its last lines", async () => {
  await using town = await townWithJob();
  town.nowIs({ startTime, active: 1 });

  await says(town, town.developer, "/gantry create job nightly --image gantry/batch");
  expect(card(town.developer)).toMatch(/^🔄 nightly is running\n/u);

  town.nowIs({ startTime, active: 1, failed: 2 });
  town.passMinutes(1);
  await town.sweep();
  expect(card(town.developer)).toMatch(/^🟡 nightly is retrying after 2 failed attempts\n/u);

  town.nowIs(failed(4, "exit code 2"));
  town.passMinutes(1);
  await town.sweep();
  const shown = card(town.developer);
  expect(shown).toMatch(/^❌ nightly failed: exit code 2 after 4 attempts\n/u);
  const [head, ...replies] = town.thread("ops");
  expect(head).toBe(shown);
  expect(shown).toContain("the disk is full");
  expect(replies).toEqual(["🔴 nightly failed: exit code 2 after 4 attempts · @dana"]);
  const [event] = await town.store().history({ teamId: "T0PLAYGR", limit: 1 });
  expect(event).toMatchObject({ kind: "health", result: "nightly failed: exit code 2 after 4 attempts" });
});

test("a job is followed by the next bot too, and its card says how long it took", async () => {
  await using town = await townWithJob();
  town.nowIs({ startTime, active: 1 });
  await says(town, town.developer, "/gantry create job nightly --image gantry/batch");

  await town.crashBot();
  town.nowIs({ startTime, completionTime: "2026-11-21T02:02:00Z", succeeded: 1 });
  town.passMinutes(5);
  await town.sweep();

  expect(card(town.developer)).toMatch(/^✅ nightly completed in 2 min\n/u);
  const looks = town.looks();
  town.passMinutes(60);
  await town.sweep();
  expect(town.looks()).toBe(looks);
});

/** Creates the job, lets it run for so long, and deletes it again: its card. */
async function aRun(town: Town, minutes: number): Promise<void> {
  const completionTime = new Date(Date.parse(startTime) + minutes * 60_000).toISOString();
  town.nowIs({ startTime, completionTime, succeeded: 1 });
  await says(town, town.developer, "/gantry create job nightly --image gantry/batch");
  town.isGone();
}

test("a card says when its job started, how long such jobs take, and when it ended", async () => {
  await using town = await townWithJob();
  town.nowIs({ startTime, active: 1 });
  await says(town, town.developer, "/gantry create job nightly --image gantry/batch");
  const first = card(town.developer);
  town.isGone();
  town.passMinutes(1);
  await town.sweep();

  await aRun(town, 2);
  const second = card(town.developer);
  for (const minutes of [4, 30]) await aRun(town, minutes);
  town.nowIs({ startTime, active: 1 });
  await says(town, town.developer, "/gantry create job other --image gantry/batch");
  town.isGone();
  await says(town, town.developer, "/gantry create job odd --image gantry/other");

  expect(first).toContain("Started 2026-11-21 02:00 UTC");
  expect(first).not.toMatch(/usually|last time/u);
  expect(second).toMatch(/completed in 2 min\nStarted 2026-11-21 02:00 UTC · ended 2026-11-21 02:02 UTC ·/u);
  const [other, odd] = spoken(town.developer).slice(-2);
  expect(other).toMatch(/other is running\nStarted 2026-11-21 02:00 UTC · usually takes 4 min ·/u);
  expect(odd).not.toMatch(/usually|last time/u);
});

const asked = "/gantry create job nightly --image gantry/batch --notify me";

/** What the developer was told in their own messages. */
const told = (town: Town): readonly string[] => town.developer.sees("@gantry").map(({ text }) => text);

test("who asked to be told gets one message of their own when the job ends", async () => {
  await using town = await townWithJob();
  town.nowIs({ startTime, active: 1 });
  await says(town, town.developer, asked);
  await town.sweep();
  const before = told(town);

  town.nowIs(failed(1, "exit code 2"));
  for (let sweeps = 0; sweeps < 2; sweeps += 1) {
    town.passMinutes(1);
    await town.sweep();
  }

  expect(before).toEqual([]);
  expect(told(town)).toHaveLength(1);
  expect(told(town)[0]).toMatch(/^❌ nightly failed: exit code 2 after 1 attempt\n[^]*You asked to hear how it ends/u);
  expect(town.thread("ops").slice(1).join("\n")).not.toContain("@dana");
});

test("a bot that is killed before it tells the end leaves that to the next one", async () => {
  await using town = await townWithJob();
  town.nowIs({ startTime, active: 1 });
  await says(town, town.developer, asked);
  await town.crashBot();
  town.nowIs({ startTime, completionTime: "2026-11-21T02:02:00Z", succeeded: 1 });
  town.passMinutes(1);
  await town.sweep();
  await town.crashBot();
  town.passMinutes(1);
  await town.sweep();

  expect(told(town)).toHaveLength(1);
  expect(told(town)[0]).toMatch(/^✅ nightly completed in 2 min/u);
});

test("between two looks at a job the sweep leaves it alone", async () => {
  await using town = await townWithJob();
  town.nowIs({ startTime, active: 1 });
  await says(town, town.developer, "/gantry create job nightly --image gantry/batch");
  town.passMinutes(10);
  await town.sweep();
  const looks = town.looks();

  for (let sweeps = 0; sweeps < 2; sweeps += 1) await town.sweep();
  expect(town.looks()).toBe(looks);

  town.passMinutes(1);
  await town.sweep();
  expect(town.looks()).toBe(looks + 1);
});

test("a job that never ends isn't watched for ever", async () => {
  await using town = await townWithJob();
  town.nowIs({ startTime, active: 1 });
  await says(town, town.developer, "/gantry create job nightly --image gantry/batch");

  town.passMinutes(24 * 60 + 1);
  await town.sweep();

  expect(card(town.developer)).toMatch(/^🟡 nightly is still running after 24 h\nI stopped watching/u);
});

test("the pauses between looks grow, and a day holds about 120 of them", () => {
  const looks: number[] = [];
  for (let age = 0; age < 24 * 60 * 60_000; age += pauseAfter(age)) looks.push(age);

  expect(looks.slice(0, 4)).toEqual([0, 2_000, 4_000, 6_000]);
  expect(pauseAfter(10 * 60_000)).toBe(60_000);
  expect(looks.length).toBeGreaterThan(100);
  expect(looks.length).toBeLessThan(140);
});
