import { Worker } from "node:worker_threads";
import { UserError } from "../../errors.ts";
import { unawaited } from "../../../platform/waiting.ts";

export type Threads = {
  /**
   * Runs work on a thread. One person's work runs one item at a time, so nobody can take all threads. A thread whose
   * work fails is ended. Throws UserError when the queue is full.
   */
  readonly use: <Result>(asked: Asked, work: (thread: Worker) => Promise<Result>) => Promise<Result>;
  readonly close: () => Promise<void>;
};

export type Asked = { readonly who: string; readonly signal: AbortSignal };

type Job = Asked & {
  readonly start: (thread: Worker) => Promise<void>;
  readonly reject: (reason: unknown) => void;
};

const entry = new URL("./worker.ts", import.meta.url);
/** Waiting items per person, so that one person can't fill the queue. */
const MOST_OF_ONE = 3;
/** In MiB. An expression builds its automaton while it matches. */
const LIMITS = { maxOldGenerationSizeMb: 256, maxYoungGenerationSizeMb: 32 };

type Pool = {
  readonly most: number;
  readonly idle: Set<Worker>;
  /** Keyed by person. */
  readonly busy: Map<string, Worker>;
  readonly waiting: Set<Job>;
  isClosed: boolean;
};

/** A pool of at most `most` threads, started on demand, with a queue of at most `mostWaiting`. */
export function createThreads({ most, mostWaiting }: { most: number; mostWaiting: number }): Threads {
  const pool: Pool = { most, idle: new Set(), busy: new Map(), waiting: new Set(), isClosed: false };
  return {
    async use(asked, work) {
      if (pool.isClosed) throw closed();
      if (pool.waiting.size >= mostWaiting) {
        throw new UserError("Too many logs are being read right now.", { next: "Try again in a few seconds." });
      }
      if ([...pool.waiting].filter(({ who }) => who === asked.who).length >= MOST_OF_ONE) {
        throw new UserError("Several logs you asked for are still being read.", {
          next: "Wait for those answers, then try again.",
        });
      }
      const { promise, resolve, reject } = Promise.withResolvers<Awaited<ReturnType<typeof work>>>();
      const job: Job = { ...asked, reject, start: async (thread) => resolve(await work(thread)) };
      const onAbort = (): void => {
        pool.waiting.delete(job);
        reject(asked.signal.reason);
      };
      asked.signal.addEventListener("abort", onAbort);
      pool.waiting.add(job);
      startNext(pool);
      return promise.finally(() => asked.signal.removeEventListener("abort", onAbort));
    },
    async close() {
      pool.isClosed = true;
      for (const { reject } of pool.waiting) reject(closed());
      pool.waiting.clear();
      await Promise.all([...pool.idle, ...pool.busy.values()].map((thread) => thread.terminate()));
    },
  };
}

function startNext(pool: Pool): void {
  const { most, idle, busy, waiting, isClosed } = pool;
  if (isClosed || busy.size >= most) return;
  const job = [...waiting].find(({ who }) => !busy.has(who));
  if (job === undefined) return;
  waiting.delete(job);
  const [thread = new Worker(entry, { resourceLimits: LIMITS })] = idle;
  if (!idle.has(thread)) {
    // A thread that ends while idle is forgotten.
    const forget = (): void => void idle.delete(thread);
    thread.on("error", forget).on("exit", forget);
  }
  idle.delete(thread);
  busy.set(job.who, thread);
  unawaited(run(pool, job, thread), job.reject);
}

async function run(pool: Pool, job: Job, thread: Worker): Promise<void> {
  // Only a busy thread keeps the process alive.
  thread.ref();
  try {
    await job.start(thread);
    thread.unref();
    if (!pool.isClosed) pool.idle.add(thread);
  } catch (error) {
    job.reject(error);
    await thread.terminate();
  } finally {
    pool.busy.delete(job.who);
    startNext(pool);
  }
}

function closed(): Error {
  return new Error("the log threads were closed");
}
