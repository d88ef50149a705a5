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

/** A timer is a limit when it is this long or longer; a shorter one is a pause of the bot. */
const SHORTEST_LIMIT_MS = 250;
/** A limit ends when the clock is moved, or after so many times its length: a busy machine must not reach one. */
const PATIENCE = 20;

export function testClock(beginning = BEGINNING): MovableClock {
  return movableClock(beginning, PATIENCE);
}

/** For stories on a real daemon or cluster, whose logs and objects have the machine's time, and for limits on computing. */
export function realTimeClock(): MovableClock {
  return movableClock(new Date(), 1);
}

/** Limits last `limitFactor` times their length. */
function movableClock(beginning: Date, limitFactor: number): MovableClock {
  let offsetMs = beginning.getTime() - Date.now();
  let passedMs = 0;
  const elapsedMs = (): number => machineClock.elapsedMs() + passedMs;
  const nowMs = (): number => Date.now() + offsetMs;
  /** Each sets its timer again when the clock was moved. */
  const waiting = new Set<() => void>();
  const timer = (ms: number, run: () => void, patience: number): Timer => {
    const before = { realMs: machineClock.elapsedMs(), passedMs };
    let set: Timer | undefined;
    const arm = (): void => {
      set?.cancel();
      const leftMs = (ms - (passedMs - before.passedMs)) * patience - (machineClock.elapsedMs() - before.realMs);
      set = machineClock.after(Math.max(0, leftMs), () => {
        waiting.delete(arm);
        run();
      });
    };
    const cancel = (): void => {
      set?.cancel();
      waiting.delete(arm);
    };
    waiting.add(arm);
    arm();
    return { cancel };
  };
  const base = { now: () => new Date(nowMs()), elapsedMs };
  const { sleep } = clockFrom({ ...base, after: (ms, run) => timer(ms, run, 1) });
  const limits = clockFrom({ ...base, after: (ms, run) => timer(ms, run, ms < SHORTEST_LIMIT_MS ? 1 : limitFactor) });
  return {
    ...limits,
    sleep,
    nowMs,
    offsetMs: () => offsetMs,
    passMs(ms) {
      offsetMs += ms;
      passedMs += ms;
      for (const arm of waiting) arm();
    },
  };
}

type Waiting = { readonly dueMs: number; readonly run: () => void };

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
