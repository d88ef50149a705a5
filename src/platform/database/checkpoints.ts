import { Worker } from "node:worker_threads";
import type { Clock } from "../clock.ts";
import { unawaited } from "../waiting.ts";

export type Checkpoints = ReturnType<typeof createCheckpoints>;

/** Writes between two checkpoints: about as many pages as the thousand after which SQLite begins one itself. */
const WRITES = 128;
/** The thread ends after so long without work. */
const IDLE_MS = 30_000;

/** JavaScript in a string: for a TypeScript file, the thread would load the compiler again. */
const THREAD = `
const { parentPort, workerData } = require("node:worker_threads");
const { DatabaseSync } = require("node:sqlite");
const database = new DatabaseSync(workerData);
parentPort.on("message", () => {
  database.exec("PRAGMA wal_checkpoint(PASSIVE)");
  parentPort.postMessage("done");
});
`;

/**
 * Checkpoints the WAL in a thread, started after enough writes: a checkpoint syncs twice, and inside a commit it would
 * block the whole bot. PASSIVE doesn't block writers. If one fails here, a later commit makes it: see `openSqlite`.
 */
export function createCheckpoints(path: string, clock: Pick<Clock, "after">) {
  let thread: Worker | undefined;
  let writes = 0;
  let isRunning = false;
  const begin = (): Worker => {
    // Without the --import options of this process.
    const begun = new Worker(THREAD, { eval: true, workerData: path, execArgv: [] });
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
    /** To be called after each write. */
    wrote: () => {
      writes += 1;
      if (writes < WRITES || isRunning) return;
      writes = 0;
      try {
        thread ??= begin();
        thread.postMessage("checkpoint");
        isRunning = true;
      } catch {
        // The system has no thread left. The write itself succeeded, so it must not fail here.
      }
    },
    /** Resolves when the thread has closed the database. */
    async close() {
      await thread?.terminate();
    },
  };
}
