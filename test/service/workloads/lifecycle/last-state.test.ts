import { expect, test } from "vitest";
import { lastStateOf } from "../../../../src/service/workloads/lifecycle/exit.ts";

const at = "2026-11-22T03:00:00.000Z";

test.each([
  [{ code: 3 }, { reason: "Error", exit_code: 3 }],
  [{ code: 0 }, { reason: "Completed", exit_code: 0 }],
  [{ code: 137, isOutOfMemory: true } as const, { reason: "OOMKilled", exit_code: 137 }],
  [
    { code: null, signal: "SIGTERM" },
    { reason: "Error", exit_code: 143 },
  ],
  [{ code: null, signal: "SIGNOBODYKNOWS" }, { reason: "Error" }],
  [{ code: null, startError: "no such program" }, { reason: "StartError" }],
])("a unit that ended with %j has the last state %j", (exit, expected) => {
  expect(lastStateOf(exit, at)).toEqual({ ...expected, finished_at: at });
});
