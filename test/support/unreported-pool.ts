import { fileURLToPath } from "node:url";
import { ForksPoolWorker, type PoolRunnerInitializer } from "vitest/node";

class Worker extends ForksPoolWorker {
  // With the name of a built-in pool, Vitest would use its own worker.
  override readonly name = "unreported";
  protected override readonly entrypoint = fileURLToPath(new URL("unreported-worker.ts", import.meta.url));
}

/** Vitest's pool of processes, without a report of each import: a fifth of what it costs to load the sources. Not for watch mode. */
export const unreportedPool: PoolRunnerInitializer = {
  name: "unreported",
  createPoolWorker: (options) => new Worker(options),
};
