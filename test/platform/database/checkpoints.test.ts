import { EventEmitter } from "node:events";
import { syncBuiltinESMExports } from "node:module";
import workerThreads, { type Worker } from "node:worker_threads";
import { expect, onTestFinished, test, vi } from "vitest";
import { type Checkpoints, createCheckpoints } from "../../../src/platform/database/group-commit.ts";
import { stillClock } from "../../support/test-clock.ts";

/** Node.js starts these threads instead of its own. */
function threadsAre(start: () => Worker) {
  const worker = vi.spyOn(workerThreads, "Worker").mockImplementation(function begin() {
    return start();
  });
  syncBuiltinESMExports();
  onTestFinished(() => {
    worker.mockRestore();
    syncBuiltinESMExports();
  });
  return worker;
}

function writes(count: number, { wrote }: Checkpoints): void {
  for (let write = 0; write < count; write += 1) wrote();
}

test("if the system has no thread left, writes go on, and later ones try again", async () => {
  const worker = threadsAre(() => {
    throw new Error("ERR_WORKER_INIT_FAILED: EAGAIN");
  });
  const checkpoints = createCheckpoints("/nowhere/gantry.sqlite", stillClock());

  writes(300, checkpoints);
  await checkpoints.close();

  expect(worker).toHaveBeenCalledTimes(2);
});

/** Begins a checkpoint when it is asked to, and ends it when a test says so. */
class SlowThread extends EventEmitter {
  begun = 0;
  postMessage(): void {
    this.begun += 1;
  }
  finish(): void {
    this.emit("message", "done");
  }
  terminate(): Promise<number> {
    this.emit("exit", 0);
    return Promise.resolve(0);
  }
  unref(): void {}
}

test("one checkpoint runs at a time, and an idle thread ends until there is work again", async () => {
  const clock = stillClock();
  const threads: SlowThread[] = [];
  threadsAre(() => {
    const thread = new SlowThread();
    threads.push(thread);
    return thread as unknown as Worker; // has all that is used of one
  });
  const checkpoints = createCheckpoints("/nowhere/gantry.sqlite", clock);
  const begun = () => threads.map((thread) => thread.begun);

  writes(127, checkpoints);
  expect(begun()).toEqual([]);
  writes(1, checkpoints);
  expect(begun()).toEqual([1]);
  writes(200, checkpoints);
  expect(begun()).toEqual([1]);
  threads[0]?.finish();
  writes(1, checkpoints);
  expect(begun()).toEqual([2]);

  threads[0]?.finish();
  await clock.passMs(29_000);
  writes(128, checkpoints);
  expect(begun()).toEqual([3]);
  threads[0]?.finish();
  await clock.passMs(30_000);
  writes(128, checkpoints);
  expect(begun()).toEqual([3, 1]);
  await checkpoints.close();
});
