import { setImmediate as turn } from "node:timers/promises";
import { expect, test } from "vitest";
import { pauseAfter } from "../../../src/bot/workflow/follow.ts";
import { openPolicy } from "../../support/open-policy.ts";
import { operationOf } from "../../support/operation-of.ts";
import { card, says } from "../../support/speak.ts";
import { type World, world } from "../../support/world.ts";

type Town = World & { readonly nowIs: (status: object) => void; readonly looks: () => number };

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
    const op = operationOf(request);
    if (op === "createJob") isCreated = true;
    if (op === "getJob" && isCreated) looks += 1;
    if (op === "getJobInstanceLogs") return Response.json([{ log: "connecting" }, { log: "the disk is full" }]);
    if (op === "getJob" && !isCreated) return Response.json({ error: "not found" }, { status: 404 });
    return Response.json({ metadata, instance_names: ["nightly-4"], status });
  };
  const town = await world({ policy: openPolicy, apiFetch: async (request) => answer(request), wait: () => turn() });
  return { ...town, nowIs: (now) => void (status = now), looks: () => looks };
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
  expect(replies.join("\n")).toContain("the disk is full");
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

test("between two looks at a job the sweep leaves it alone", async () => {
  await using town = await townWithJob();
  town.nowIs({ startTime, active: 1 });
  await says(town, town.developer, "/gantry create job nightly --image gantry/batch");
  town.passMinutes(10);
  await town.sweep();
  const looks = town.looks();

  for (let sweeps = 0; sweeps < 5; sweeps += 1) await town.sweep();
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
