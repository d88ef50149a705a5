import { setTimeout as sleep } from "node:timers/promises";

/** Signs of life of a cluster, by which a wait tells a slow machine from a stop. */
export type Pulse = {
  /** Sweeps that replicas have begun, and starts that failed: each was a chance to carry on with what is waited for. */
  readonly chances: () => number;
  /** When anything came from a replica last, by `performance.now`. */
  readonly movedAtMs: () => number;
  /** The replicas and what happened last, for the report of a failure. */
  readonly describe: () => string;
};

/** How long something may take; it ends when it had every chance, never by elapsed time alone. */
export type Patience = {
  /** Why it ended; undefined while it lasts. */
  readonly ended: () => string | undefined;
};

const POLL_EVERY_MS = 25;
/** On a quiet machine much longer than a lease, the time limits behind it and a drawing that was left behind take. */
const LEAST_MS = 90_000;
/** Two minutes of one replica on a quiet machine; on a busy one sweeps come later, as everything else does. */
const LEAST_CHANCES = 300;
/** Nothing at all came from any replica for so long: not a busy machine. */
const STILL_MS = 5 * 60_000;

export function patience({ chances, movedAtMs }: Pulse): Patience {
  const since = performance.now();
  const before = chances();
  return {
    ended() {
      const nowMs = performance.now();
      const elapsedS = Math.round((nowMs - since) / 1000);
      const had = chances() - before;
      if (nowMs - Math.max(since, movedAtMs()) > STILL_MS) return `nothing moved for ${STILL_MS / 60_000} minutes`;
      if (nowMs - since < LEAST_MS || had < LEAST_CHANCES) return undefined;
      return `not within ${had} sweeps of the replicas (${elapsedS} s)`;
    },
  };
}

/** Polls until it is so. Throws with the state of the cluster when the replicas had every chance. */
export async function waitFor(pulse: Pulse, isSo: () => boolean | Promise<boolean>, what: string): Promise<void> {
  const { ended } = patience(pulse);
  while (!(await isSo())) {
    const why = ended();
    if (why !== undefined) throw new Error(`${what}: ${why}; ${pulse.describe()}`);
    await sleep(POLL_EVERY_MS);
  }
}

/** Polls for some seconds; whether it is so by then. For what people do not wait for any longer. */
export async function isSoon(isSo: () => boolean | Promise<boolean>, withinMs: number): Promise<boolean> {
  const deadline = performance.now() + withinMs;
  for (;;) {
    if (await isSo()) return true;
    if (performance.now() > deadline) return false;
    await sleep(POLL_EVERY_MS);
  }
}
