import { sweep } from "./sweep.ts";
import type { Shell } from "./shell.ts";

export type Sweeper = { readonly start: () => void; readonly stop: () => Promise<void> };

/** Often enough that a card of a replica that died is redrawn while people look at it; a sweep is a handful of queries. */
const EVERY_MS = 2_000;

/** Sweeps now and then. A database that is away is said once, and once when it is back. */
export function createSweeper(shell: Shell, everyMs = EVERY_MS): Sweeper {
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<void> = Promise.resolve();
  let isStopped = true;
  let isAway = false;
  const once = async (): Promise<void> => {
    try {
      await sweep(shell);
      if (isAway) shell.log.info("the database is back");
      isAway = false;
    } catch (err) {
      if (!isAway) shell.log.error({ err }, "the database does not answer: writes are refused until it does");
      isAway = true;
    }
  };
  const onceAndAgain = async (): Promise<void> => {
    await once();
    if (!isStopped) next();
  };
  const next = (): void => {
    timer = setTimeout(() => {
      running = onceAndAgain();
    }, everyMs);
  };
  return {
    start() {
      isStopped = false;
      next();
    },
    async stop() {
      isStopped = true;
      clearTimeout(timer);
      await running;
    },
  };
}
