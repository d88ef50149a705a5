import { expect, test } from "vitest";
import { exitClause, exitPhrase } from "../../../../src/service/workloads/lifecycle/exit.ts";

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
