import { expect, test } from "vitest";
import { exitClause, exitPhrase, lastStateOf } from "../../../../src/service/workloads/lifecycle/exit.ts";

test.each([
  [{ code: 1 }, "exited with code 1", "exit code 1"],
  [{ code: 137, isOutOfMemory: true }, "exited with code 137 (out of memory)", "exit code 137 (out of memory)"],
  [{ code: null, signal: "SIGKILL" }, "was killed by SIGKILL", "killed by SIGKILL"],
  [{ code: null }, "was killed by a signal", "killed by a signal"],
  [{ code: null, isRemoved: true }, "was removed outside Gantry", "removed outside Gantry"],
  [{ code: null, startError: "EMFILE" }, "couldn't be started: EMFILE", "couldn't be started: EMFILE"],
] as const)("the end %j is said in words", (exit, clause, phrase) => {
  expect([exitClause(exit), exitPhrase(exit)]).toEqual([clause, phrase]);
});

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
