import { within } from "../../../platform/waiting.ts";

export type DrainLimits = {
  /** How long work may go on after the bot was asked to stop, in milliseconds. */
  readonly graceMs: number;
  /** How long aborted work may take to tell its people. */
  readonly goodbyeMs: number;
};

export type DrainResult = { readonly aborted: number; readonly left: number };

/** Together below the 20 s in which an accepted command ends or its person is told. */
export const drainLimits: DrainLimits = { graceMs: 12_000, goodbyeMs: 6_000 };

type Jobs = {
  /** Jobs that wait or run. */
  readonly size: () => number;
  readonly abort: () => void;
};

type Drain = {
  readonly track: <Result>(work: Promise<Result>) => Promise<Result>;
  readonly isStopping: () => boolean;
  readonly idle: () => Promise<void>;
  readonly drain: () => Promise<DrainResult>;
  /** To be called after the end of each job. */
  readonly look: () => void;
};

/** Counts what has to end before the bot does, and ends it. */
export function createDrain(limits: DrainLimits, jobs: Jobs): Drain {
  let tracked = 0;
  let isStopping = false;
  const size = (): number => tracked + jobs.size();
  const { look, idle } = createIdle(() => size() === 0);
  return {
    track(work) {
      tracked += 1;
      // The promise of `finally`: a failure that nobody awaits must not pass for handled.
      return work.finally(() => {
        tracked -= 1;
        look();
      });
    },
    isStopping: () => isStopping,
    idle,
    async drain() {
      isStopping = true;
      await within(limits.graceMs, idle(), () => undefined);
      const aborted = size();
      if (aborted > 0) {
        jobs.abort();
        await within(limits.goodbyeMs, idle(), () => undefined);
      }
      return { aborted, left: size() };
    },
    look,
  };
}

/** `idle` resolves at the first `look` at which the bot is idle. */
function createIdle(isIdle: () => boolean): Pick<Drain, "look" | "idle"> {
  const waiting = new Set<() => void>();
  const look = (): void => {
    if (!isIdle()) return;
    for (const resolve of waiting) resolve();
    waiting.clear();
  };
  return {
    look,
    idle() {
      const { promise, resolve } = Promise.withResolvers<void>();
      waiting.add(resolve);
      // In a later turn: by then, a delivery that was just acked has added its job.
      setImmediate(look);
      return promise;
    },
  };
}
