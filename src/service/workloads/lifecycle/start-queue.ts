import { setTimeout as pause } from "node:timers/promises";
import type { Child } from "../../engines/process/instances/child.ts";

/**
 * Starts a few processes at a time. A burst of hundreds would block every answer for half a minute, and a restarted
 * service must not have both generations alive at once.
 */
export type SpawnQueue = {
  /** Runs `start` in turn. Resolves to undefined without starting when `signal` is aborted first. */
  readonly run: (start: () => Promise<Child>, signal: AbortSignal) => Promise<Child | undefined>;
};

export type SpawnLimits = {
  /** Maximum number of processes starting at the same time. */
  readonly atOnce: number;
  /** Maximum number of live processes, including those being stopped. */
  readonly alive: number;
};

/** After this long without output, a process no longer counts as starting. */
const STARTUP_MS = 250;

export function makeSpawnQueue(limits: SpawnLimits): SpawnQueue {
  const places = makePlaces(limits);
  return {
    async run(start, signal) {
      if (signal.aborted || !(await places.turn(signal))) return undefined;
      try {
        const child = await start();
        void Promise.race([child.spoke, child.exited, pause(STARTUP_MS, undefined, { ref: false })]).then(places.isUp);
        void child.exited.then(places.isGone);
        return child;
      } catch (error) {
        places.isUp();
        places.isGone();
        throw error;
      }
    },
  };
}

type Places = {
  /** Resolves in order of the calls: true when a process may start, false when `signal` is aborted first. */
  readonly turn: (signal: AbortSignal) => Promise<boolean>;
  readonly isUp: () => void;
  readonly isGone: () => void;
};

function makePlaces(limits: SpawnLimits): Places {
  const waiting = new Set<() => void>();
  let starting = 0;
  let alive = 0;

  function next(): void {
    for (const begin of waiting) {
      if (starting >= limits.atOnce || alive >= limits.alive) return;
      waiting.delete(begin);
      starting += 1;
      alive += 1;
      begin();
    }
  }

  return {
    async turn(signal) {
      const { promise, resolve } = Promise.withResolvers<boolean>();
      const begin = (): void => resolve(true);
      const leave = (): void => {
        if (waiting.delete(begin)) resolve(false);
      };
      waiting.add(begin);
      signal.addEventListener("abort", leave, { once: true });
      next();
      return await promise.finally(() => signal.removeEventListener("abort", leave));
    },
    isUp() {
      starting -= 1;
      next();
    },
    isGone() {
      alive -= 1;
      next();
    },
  };
}
