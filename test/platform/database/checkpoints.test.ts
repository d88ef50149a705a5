import { syncBuiltinESMExports } from "node:module";
import workerThreads from "node:worker_threads";
import { expect, onTestFinished, test, vi } from "vitest";
import { createCheckpoints } from "../../../src/platform/database/checkpoints.ts";
import { stillClock } from "../../support/test-clock.ts";

test("if the system has no thread left, writes go on, and later ones try again", async () => {
  const worker = vi.spyOn(workerThreads, "Worker").mockImplementation(function start() {
    throw new Error("ERR_WORKER_INIT_FAILED: EAGAIN");
  });
  syncBuiltinESMExports();
  onTestFinished(() => {
    worker.mockRestore();
    syncBuiltinESMExports();
  });
  const checkpoints = createCheckpoints("/nowhere/gantry.sqlite", stillClock());

  for (let write = 0; write < 300; write += 1) checkpoints.wrote();
  await checkpoints.close();

  expect(worker).toHaveBeenCalledTimes(2);
});
