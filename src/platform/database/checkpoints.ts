import { Worker } from "node:worker_threads";
import type { Clock } from "../clock.ts";
import { unawaited } from "../waiting.ts";

export type Checkpoints = {
  /** Something was written to the database. */
  readonly wrote: () => void;
  /** Resolves when the thread has closed the database. */
  readonly close: () => Promise<void>;
};

/** Writes between two checkpoints: about as many pages as the thousand after which SQLite begins one itself. */
const WRITES = 128;
/** Without anything to do, the thread ends. */
const IDLE_MS = 30_000;

/** As text: a file in TypeScript would load its compiler once more. */
const THREAD = `
const { parentPort, workerData } = require("node:worker_threads");
const { DatabaseSync } = require("node:sqlite");
const database = new DatabaseSync(workerData);
parentPort.on("message", () => {
  database.exec("PRAGMA wal_checkpoint(PASSIVE)");
  parentPort.postMessage("done");
});
`;
/** In MiB. */
const LIMITS = { maxOldGenerationSizeMb: 16, maxYoungGenerationSizeMb: 2 };

/**
 * Moves what was written from the WAL into the database, in a thread that begins once there is enough: a checkpoint waits
 * twice for the disk, and in the commit that begins it, all of the bot would wait. PASSIVE keeps no writer waiting. What
 * fails here is done by a later commit on its own: see `openSqlite`.
 */
export function createCheckpoints(path: string, clock: Pick<Clock, "after">): Checkpoints {
  let thread: Worker | undefined;
  let writes = 0;
  let isRunning = false;
  const begin = (): Worker => {
    // Without what this process was told to load.
    const begun = new Worker(THREAD, { eval: true, workerData: path, execArgv: [], resourceLimits: LIMITS });
    const endWhenIdle = () => clock.after(IDLE_MS, () => unawaited(begun.terminate()));
    let idle = endWhenIdle();
    const forget = (): void => {
      idle.cancel();
      if (thread === begun) thread = undefined;
      isRunning = false;
    };
    begun.on("message", () => {
      isRunning = false;
      idle.cancel();
      idle = endWhenIdle();
    });
    begun.on("error", forget).on("exit", forget).unref();
    return begun;
  };
  return {
    wrote() {
      writes += 1;
      if (writes < WRITES || isRunning) return;
      writes = 0;
      isRunning = true;
      thread ??= begin();
      thread.postMessage("checkpoint");
    },
    async close() {
      await thread?.terminate();
    },
  };
}
