import { createWorkQueue, type Work } from "./scheduler.ts";

export type Inflight = {
  /** Says that an interaction came in. Work steps back while they come in quickly. */
  readonly arrived: () => void;
  /** Does work after the ack; false, and nothing is done, when too much waits already. */
  readonly start: (work: Work) => boolean;
  /** Whether `start` would accept work now. */
  readonly hasRoom: () => boolean;
  /** Counts something that must be over before the bot may end. */
  readonly track: <Result>(work: Promise<Result>) => Promise<Result>;
  readonly isStopping: () => boolean;
  /** Resolves when nothing is in flight. */
  readonly idle: () => Promise<void>;
  /** Takes nothing new, waits, then aborts what is left and waits until it has said so. Never rejects. */
  readonly drain: () => Promise<DrainResult>;
};

type DrainResult = { readonly aborted: number; readonly left: number };

export type DrainLimits = {
  /** How long work may go on by itself after a stop was asked for, in milliseconds. */
  readonly graceMs: number;
  /** How long aborted work may take to tell its people. */
  readonly goodbyeMs: number;
};

/** Together below the 20 s in which an accepted command ends or its person is told. */
export const drainLimits: DrainLimits = { graceMs: 12_000, goodbyeMs: 6_000 };

export function createInflight(limits: DrainLimits, onError: (error: unknown) => void): Inflight {
  let tracked = 0;
  let isStopping = false;
  const quiet = createQuiet(() => count() === 0);
  const queue = createWorkQueue({ onError, onDone: quiet.look });
  const count = (): number => tracked + queue.size();
  return {
    arrived: queue.arrived,
    start: queue.add,
    hasRoom: queue.hasRoom,
    async track(work) {
      tracked += 1;
      try {
        return await work;
      } finally {
        tracked -= 1;
        quiet.look();
      }
    },
    isStopping: () => isStopping,
    idle: quiet.wait,
    async drain() {
      isStopping = true;
      await within(limits.graceMs, quiet.wait());
      const aborted = count();
      if (aborted > 0) {
        queue.abort();
        await within(limits.goodbyeMs, quiet.wait());
      }
      return { aborted, left: count() };
    },
  };
}

type Quiet = { readonly look: () => void; readonly wait: () => Promise<void> };

/** Resolves those who wait, as soon as somebody looks and it is quiet. */
function createQuiet(isQuiet: () => boolean): Quiet {
  const waiting = new Set<() => void>();
  const look = (): void => {
    if (!isQuiet()) return;
    for (const resolve of waiting) resolve();
    waiting.clear();
  };
  return {
    look,
    wait() {
      const { promise, resolve } = Promise.withResolvers<void>();
      waiting.add(resolve);
      // A later turn: what was acked a moment ago has started its work by then.
      setImmediate(look);
      return promise;
    },
  };
}

async function within(ms: number, work: Promise<void>): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, ms);
  await Promise.race([work, promise]);
  clearTimeout(timer);
}
