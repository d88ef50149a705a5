import { describe, expect, test } from "vitest";
import { endOfRun, goneFrom, placeOf, previousRun } from "../../../src/bot/logs/runs.ts";

describe("the line with which our workload API says that a run ended", () => {
  test.each([
    ["[gantry] web-1 exited with code 137 (out of memory), restarting in 2 s", "exited with code 137 (out of memory)"],
    ["[gantry] instance broken-0 exited with code 3, restarting in 200 ms", "exited with code 3"],
    ["[gantry] the container sidecar of web-1 exited with code 1, restarting in 1 s", "exited with code 1"],
    ["[gantry] web-0 was killed by SIGKILL at 2026-11-21 23:59:10 UTC, restarting in 1 s", "was killed by SIGKILL"],
    ["[gantry] attempt 2 exited with code 3, retrying in 4 s", "exited with code 3"],
    ["[gantry] attempt 4 exited with code 3: the job failed and won't be retried", "exited with code 3"],
    ["[gantry] web-0 couldn't be started: no such image, restarting in 1 s", undefined],
    ["child exited with code 1", undefined],
    ["[gantry] no log was collected from 10:00 to 10:05", undefined],
  ])("%s", (line, expected) => {
    expect(endOfRun(line)).toBe(expected);
  });
});

const log = [
  { instance: "a", text: "a1" },
  { instance: "a", text: "[gantry] a exited with code 1, restarting in 1 s" },
  { instance: "a", text: "a2" },
  { instance: "b", text: "b1" },
  { instance: "a", text: "a3" },
  { instance: "a", text: "[gantry] a exited with code 2, restarting in 2 s" },
  { instance: "b", text: "b2" },
  { instance: "a", text: "a4" },
];

test("the run before is what its instance wrote between two ends", () => {
  expect(previousRun(log)).toEqual({ places: [2, 4, 5], instance: "a", how: "exited with code 2" });
});

test("the run before of an instance that never ended isn't known", () => {
  expect(previousRun(log, "b")).toBeUndefined();
  expect(previousRun(log.slice(6))).toBeUndefined();
});

test("a run whose beginning is on an older page begins with the page", () => {
  expect(previousRun(log.slice(2))?.places).toEqual([0, 2, 3]);
});

describe("the place of a moment", () => {
  const lines = ["first", "2026-11-20T14:00:00Z x", "  at y", "2026-11-20T14:05:00Z z"].map((text) => ({ text }));
  test.each([
    ["13:59:59", "older"],
    ["14:00:00", 1],
    ["14:00:01", 3],
    ["14:05:00", 3],
    ["14:06:00", 4],
  ])("%s", (clock, expected) => {
    expect(placeOf(lines, Date.parse(`2026-11-20T${clock}Z`))).toBe(expected);
  });

  test("isn't known when no line has a time", () => {
    expect(placeOf([{ text: "x" }], 0)).toBe("untimed");
  });
});

test("an instance is gone if the service no longer lists it; a line that names none never is", () => {
  const isGone = goneFrom({ name: "web", instance_names: ["web-0-g1"] });

  expect(["web-0", "web-0-g1", "web", ""].map(isGone)).toEqual([true, false, false, false]);
  expect(goneFrom({ name: "web", instance_names: [] })("web-0")).toBe(false);
});
