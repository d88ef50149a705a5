import { type Clock, clockFrom, machineClock, type Timer } from "../../src/platform/clock.ts";

/** When the world of each test begins: a Wednesday afternoon, far from midnight and from the hours of digests and quiet. */
export const BEGINNING = new Date("2026-12-02T13:00:00.000Z");

/** A clock that begins at a set moment, whatever this machine's says. */
export type TestClock = Clock & {
  readonly nowMs: () => number;
  /** How far it is ahead of this machine's: what a database has to add to its own. */
  readonly offsetMs: () => number;
};

/** Goes on as fast as the machine's, and can be moved: what is due by then is done soon after. */
export type MovableClock = TestClock & { readonly passMs: (ms: number) => void };

/** Stands still until it is moved. */
export type StillClock = TestClock & {
  /** Moves it from timer to timer. What follows from each has happened before the next, as far as no I/O is in between. */
  readonly passMs: (ms: number) => Promise<void>;
  /** Sets it forward, as after a pause of the machine: what is due by then runs once. */
  readonly jumpMs: (ms: number) => void;
  /** Resolves as soon as something waits for it, such as a sleep that follows I/O. */
  readonly sleeper: () => Promise<void>;
};

type Waiting = { readonly dueMs: number; readonly run: () => void; timer?: Timer };

export function testClock(beginning = BEGINNING): MovableClock {
  let offsetMs = beginning.getTime() - Date.now();
  let passedMs = 0;
  const elapsedMs = (): number => machineClock.elapsedMs() + passedMs;
  const nowMs = (): number => Date.now() + offsetMs;
  const waiting = new Set<Waiting>();
  const arm = (each: Waiting): void => {
    each.timer?.cancel();
    each.timer = machineClock.after(Math.max(0, each.dueMs - elapsedMs()), () => {
      waiting.delete(each);
      each.run();
    });
  };
  const after = (ms: number, run: () => void): Timer => {
    const each: Waiting = { dueMs: elapsedMs() + ms, run };
    waiting.add(each);
    arm(each);
    return {
      cancel() {
        each.timer?.cancel();
        waiting.delete(each);
      },
    };
  };
  return {
    ...clockFrom({ now: () => new Date(nowMs()), elapsedMs, after }),
    nowMs,
    offsetMs: () => offsetMs,
    passMs(ms) {
      offsetMs += ms;
      passedMs += ms;
      for (const each of waiting) arm(each);
    },
  };
}

export function stillClock(beginning = BEGINNING): StillClock {
  let passedMs = 0;
  const waiting = new Set<Waiting>();
  let onSleeper = (): void => undefined;
  const nowMs = (): number => beginning.getTime() + passedMs;
  const after = (ms: number, run: () => void): Timer => {
    const each = { dueMs: passedMs + Math.max(0, ms), run };
    waiting.add(each);
    onSleeper();
    return { cancel: () => void waiting.delete(each) };
  };
  const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
  return {
    ...clockFrom({ now: () => new Date(nowMs()), elapsedMs: () => passedMs, after }),
    nowMs,
    offsetMs: () => nowMs() - Date.now(),
    async passMs(ms) {
      const untilMs = passedMs + ms;
      await turn();
      for (;;) {
        const [next] = [...waiting].filter(({ dueMs }) => dueMs <= untilMs).toSorted((a, b) => a.dueMs - b.dueMs);
        if (next === undefined) break;
        waiting.delete(next);
        passedMs = next.dueMs;
        next.run();
        await turn();
      }
      passedMs = untilMs;
    },
    jumpMs(ms) {
      passedMs += ms;
      const due = [...waiting].filter(({ dueMs }) => dueMs <= passedMs).toSorted((a, b) => a.dueMs - b.dueMs);
      for (const each of due) {
        waiting.delete(each);
        each.run();
      }
    },
    async sleeper() {
      if (waiting.size > 0) return;
      const { promise, resolve } = Promise.withResolvers<void>();
      onSleeper = resolve;
      await promise;
    },
  };
}
