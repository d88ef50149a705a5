import { Refusal } from "../../engine.ts";
import type { Unit } from "../runtime.ts";
import type { Clock } from "../../../platform/clock.ts";
import { unawaited, within } from "../../../platform/waiting.ts";

export type SerialQueue = ReturnType<typeof makeSerialQueue>;

export function makeSerialQueue() {
  const tails = new Map<string, Promise<unknown>>();
  return {
    /**
     * Runs work of one key in the order of the calls; different keys run at the same time. Work that still waits when
     * `signal` aborts is never run: the call rejects with a `Refusal` 503.
     */
    async run<T>(key: string, work: () => Promise<T>, signal?: AbortSignal): Promise<T> {
      const before = tails.get(key) ?? Promise.resolve();
      const begin = async () => {
        if (signal?.aborted) {
          const sentence = "the request was cancelled before its turn. Nothing was changed.";
          throw new Refusal(503, sentence, { cause: signal.reason });
        }
        return await work();
      };
      const mine = before.then(begin, begin);
      tails.set(key, mine);
      try {
        return await mine;
      } finally {
        if (tails.get(key) === mine) tails.delete(key);
      }
    },
    /** Resolves when all work accepted so far is done. */
    async idle() {
      await Promise.allSettled(tails.values());
    },
  };
}

export type StartQueue = ReturnType<typeof makeStartQueue>;

type StartLimits = {
  /** Maximum number of units starting at the same time. */
  readonly atOnce: number;
  /** Maximum number of live units, including those being stopped. */
  readonly alive: number;
};

/** After this long without output, a unit no longer counts as starting. */
const STARTUP_MS = 250;

/**
 * Starts a few units at a time. A burst of hundreds would block every answer for half a minute, and no more of them may be
 * alive at once than the quota of the host allows, whatever is still being stopped.
 */
export function makeStartQueue(limits: StartLimits, clock: Pick<Clock, "after">) {
  const slots = makeSlots(limits);
  return {
    /** Runs `start` in turn. Resolves to undefined without starting when `signal` is aborted first. */
    async run(start: () => Promise<Unit>, signal: AbortSignal): Promise<Unit | undefined> {
      if (signal.aborted || !(await slots.turn(signal))) return undefined;
      try {
        const unit = await start();
        const isUp = within(STARTUP_MS, Promise.race([unit.spoke, unit.exited]), () => undefined, clock);
        unawaited(isUp.finally(slots.isUp));
        unawaited(unit.exited.finally(slots.isGone));
        return unit;
      } catch (error) {
        slots.isUp();
        slots.isGone();
        throw error;
      }
    },
    /** Counts a unit that runs already. */
    count(unit: Unit) {
      slots.add();
      unawaited(unit.exited.finally(slots.isGone));
    },
  };
}

function makeSlots(limits: StartLimits) {
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
    /** Resolves in order of the calls: true when a unit may start, false when `signal` is aborted first. */
    async turn(signal: AbortSignal): Promise<boolean> {
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
    /** One more is alive without having had a turn. */
    add() {
      alive += 1;
    },
    isUp: () => {
      starting -= 1;
      next();
    },
    isGone: () => {
      alive -= 1;
      next();
    },
  };
}
