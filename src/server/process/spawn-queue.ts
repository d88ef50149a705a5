import type { Child } from "./child.ts";

/**
 * Starts processes a few at a time. A burst of hundreds would keep the processors, and with them every answer, busy for
 * half a minute; and a service that is stopped and started again must not have both generations alive at once.
 */
export type SpawnQueue = {
  /** Runs `start` when it is its turn. Resolves to undefined, without a start, when `signal` is aborted before that. */
  readonly run: (start: () => Promise<Child>, signal: AbortSignal) => Promise<Child | undefined>;
};

export type SpawnLimits = {
  /** How many processes may be on their way up at the same time. */
  readonly atOnce: number;
  /** How many processes may be alive, those that are being stopped included. */
  readonly alive: number;
};

/** A process that has said nothing for this long no longer counts as one on its way up. */
const STARTUP_MS = 250;

export function makeSpawnQueue(limits: SpawnLimits): SpawnQueue {
  const places = makePlaces(limits);
  return {
    async run(start, signal) {
      if (signal.aborted || !(await places.turn(signal))) return undefined;
      try {
        const child = await start();
        void Promise.race([child.spoke, child.exited, after(STARTUP_MS)]).then(places.isUp);
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
  /** Resolves to true when a process may start, in the order of the calls; to false when `signal` is aborted before. */
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

function after(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms).unref());
}
