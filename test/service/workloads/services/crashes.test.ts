import { expect, test } from "vitest";
import { stillClock } from "../../../support/test-clock.ts";
import { unwellOf } from "../../../../src/service/workloads/services/present-instances.ts";
import type { InstanceState } from "../../../../src/service/workloads/services/service-status.ts";
import type { Unit } from "../../../../src/service/workloads/runtime.ts";
import { makeRestartHistory } from "../../../../src/service/workloads/lifecycle/exit.ts";

const START = new Date("2026-11-20T09:00:00Z");

function makeWorld() {
  const clock = stillClock(START);
  return { ...makeRestartHistory(clock), after: (minutes: number) => clock.passMs(minutes * 60_000) };
}

test("the restarts of the last ten minutes count, with the time of the first and the reason of the last", async () => {
  const { add, recent, after } = makeWorld();
  add("web-0 exited with code 1");
  await after(4);
  add("web-1 was killed by SIGKILL");

  expect(recent()).toEqual({
    count: 2,
    first_at: "2026-11-20T09:00:00.000Z",
    last_at: "2026-11-20T09:04:00.000Z",
    last_reason: "web-1 was killed by SIGKILL",
  });
});

test("an old one is forgotten, and after ten quiet minutes there is none", async () => {
  const { add, recent, after } = makeWorld();
  add("web-0 exited with code 1");
  await after(4);
  add("web-0 exited with code 1");

  await after(6);
  expect(recent()).toMatchObject({ count: 1, first_at: "2026-11-20T09:04:00.000Z" });
  await after(4);
  expect(recent()).toEqual({ count: 0 });
});

test("a service of which all crashes needs no more memory than a thousand of them", () => {
  const { add, recent } = makeWorld();
  for (let crash = 0; crash < 2_500; crash += 1) add(`web-${crash} exited with code 1`);

  expect(recent()).toMatchObject({ count: 1_000, last_reason: "web-2499 exited with code 1" });
});

test("a requested start begins again at nothing", () => {
  const { add, recent, clear } = makeWorld();
  add("web-0 exited with code 1");
  clear();

  expect(recent()).toEqual({ count: 0 });
});

test.each([
  [
    "runs again and is paused",
    { state: "waiting", runs: true, waits: "web-0 is waiting: paused" },
    "web-0 is waiting: paused",
  ],
  ["waits for its next start", { state: "waiting", runs: false, waits: undefined }, "web-0 exited with code 1"],
  [
    "waits for its image",
    { state: "waiting", runs: false, waits: "web-0 is waiting: pulling" },
    "web-0 exited with code 1",
  ],
  ["is ready again", { state: "ready", runs: true, waits: undefined }, undefined],
] as const)(
  "of an instance that crashed and %s, the message says what counts now",
  (_, { state, runs, waits }, message) => {
    const crashed = { count: 1, last: { at: "2026-11-20T09:00:00Z", end: undefined, how: "web-0 exited with code 1" } };
    const instance = {
      state: (): InstanceState => state,
      crashes: () => crashed,
      waits: () => waits,
      units: () => (runs ? [{} as Unit] : []), // only counted
    };

    expect(unwellOf([instance]).message).toBe(message);
  },
);
