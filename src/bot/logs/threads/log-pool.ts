import type { Redacted } from "../../../api/redacted.ts";
import { availableParallelism } from "node:os";
import { Worker } from "node:worker_threads";
import type { Clock } from "../../../platform/clock.ts";
import { boundRecords, type Excerpt, excerptOf, type ExcerptRequest } from "../excerpt.ts";
import { compileGrep, TooExpensive } from "../grep.ts";
import { UserError } from "../../errors.ts";
import { unawaited } from "../../../platform/waiting.ts";

export type LogPool = {
  /**
   * Throws UserError when the expression is invalid, when matching or redacting is too slow, or when the queue is full.
   */
  readonly excerpt: (request: ExcerptRequest, asked: Asked) => Promise<Excerpt>;
  /** Removes control characters and secrets from one instance's lines, and cuts long ones. Throws UserError when that takes too long. */
  readonly redact: (written: Written, asked: Asked) => Promise<Lines>;
  /** Ends all threads and rejects unfinished work. */
  readonly close: () => Promise<void>;
};

type Written = { readonly lines: readonly string[]; readonly secrets: readonly string[] };
type Lines = readonly Redacted[];
type Answer = Excerpt | Lines;

export type Asked = { readonly who: string; readonly signal: AbortSignal };

export type LogPoolOptions = {
  readonly clock: Pick<Clock, "after">;
  readonly threads?: number;
  readonly mostWaiting?: number;
};

/** Applies to redacting and to matching separately. */
const STEP_LIMIT_MS = 3_000;
const MOST_WAITING = 50;
/**
 * Limits in characters for a log, and for the secret values to redact in it. Within them, redacting takes a few
 * milliseconds at most, whatever the text: about as much as sending the log to a thread and back.
 */
const SHORT = { log: 8_192, secrets: 2_048 };

/**
 * Redacts log lines and matches expressions in worker threads, started on demand. A thread that takes too long is
 * ended, so no log or expression can block the process. A short log that nobody searches is redacted here.
 */
export function createLogPool(options: LogPoolOptions): LogPool {
  const { clock, mostWaiting = MOST_WAITING } = options;
  const threads = createThreads({ most: options.threads ?? Math.max(2, availableParallelism() - 1), mostWaiting });
  const run = (task: Task, lines: number, asked: Asked): Promise<Answer> =>
    threads.use(asked, (thread) => runTask(thread, { task, lines, clock, signal: asked.signal }));
  return {
    async excerpt(request, asked) {
      // Fails early with a precise message. Compiling takes milliseconds at this length.
      if (request.grep !== undefined) compileGrep(request.grep);
      const lines = boundRecords(request.lines);
      if (isShort(request)) {
        asked.signal.throwIfAborted();
        return excerptOf({ ...request, lines });
      }
      const task = { kind: "excerpt", request: { ...request, lines } } as const; // a literal kind
      return (await run(task, lines.length, asked)) as Excerpt; // what this kind of task gives
    },
    async redact({ lines, secrets }, asked) {
      const bound = boundRecords(lines.map((text) => ({ text }))).map(({ text }) => text);
      return (await run({ kind: "redact", lines: bound, secrets }, lines.length, asked)) as Lines; // what this kind of task gives
    },
    close: threads.close,
  };
}

/** Never with an expression: on any log, it may take too long. */
function isShort({ lines, secrets = [], grep }: ExcerptRequest): boolean {
  const texts = lines.map(({ text }) => text);
  return grep === undefined && holdAtMost(SHORT.log, texts) && holdAtMost(SHORT.secrets, secrets);
}

function holdAtMost(most: number, texts: readonly string[]): boolean {
  // An empty line costs time, too.
  return texts.reduce((sum, { length }) => sum + length + 1, 0) <= most;
}

/** Work for a worker. */
export type Task =
  | { readonly kind: "excerpt"; readonly request: ExcerptRequest }
  /** One instance's lines, to be stripped of control characters and secrets. */
  | { readonly kind: "redact"; readonly lines: readonly string[]; readonly secrets: readonly string[] };

/** A worker's messages: a step begins, which starts its time limit, or the task is over. */
export type Report =
  | { readonly kind: "step"; readonly step: Step }
  | { readonly kind: "done"; readonly result: Answer }
  | { readonly kind: "failed"; readonly message: string };

type Step = "redacting" | "matching";

type Run = {
  readonly task: Task;
  /** Number of lines, for the timeout message. */
  readonly lines: number;
  readonly clock: Pick<Clock, "after">;
  readonly signal: AbortSignal;
};

/** A thread starts in about 0.1 s, but a busy machine needs much longer. */
const START_WITHIN_MS = 20_000;

/**
 * Runs one task. After a rejection the thread may still be busy and must be ended. Throws TooExpensive when a step exceeds
 * its limit.
 */
async function runTask(thread: Worker, { task, lines, clock, signal }: Run): Promise<Answer> {
  const { promise, resolve, reject } = Promise.withResolvers<Answer>();
  let timer = clock.after(START_WITHIN_MS, () => reject(new Error("a log thread did not start")));
  const onMessage = (report: Report): void => {
    if (report.kind === "done") return resolve(report.result);
    if (report.kind === "failed") return reject(new Error(`a log thread failed: ${report.message}`));
    timer.cancel();
    timer = clock.after(STEP_LIMIT_MS, () => reject(tooExpensive(report.step, lines, STEP_LIMIT_MS)));
  };
  const onError = (error: Error): void => {
    const isOutOfMemory = "code" in error && error.code === "ERR_WORKER_OUT_OF_MEMORY";
    reject(isOutOfMemory ? tooExpensive("matching", lines, 0) : error);
  };
  const onExit = (): void => reject(new Error("a log thread ended early"));
  const onAbort = (): void => reject(signal.reason);
  thread.on("message", onMessage).on("error", onError).on("exit", onExit);
  signal.addEventListener("abort", onAbort);
  try {
    signal.throwIfAborted();
    thread.postMessage(task);
    return await promise;
  } finally {
    timer.cancel();
    thread.off("message", onMessage).off("error", onError).off("exit", onExit);
    signal.removeEventListener("abort", onAbort);
  }
}

function tooExpensive(step: Step, lines: number, limitMs: number): TooExpensive {
  const limit = limitMs === 0 ? "its memory limit" : `${limitMs / 1000} s`;
  const of = `${lines} ${lines === 1 ? "line" : "lines"}`;
  if (step === "matching") {
    return new TooExpensive(`This expression is too slow: searching ${of} takes more than ${limit}.`, {
      next: "Search for plain words, avoid large counts such as `{900}`, or read fewer lines.",
    });
  }
  return new TooExpensive(`Checking ${of} for secrets takes more than ${limit}, so none are shown.`, {
    next: "Read fewer lines.",
  });
}

type Work = (thread: Worker) => Promise<Answer>;
type Job = Asked & PromiseWithResolvers<Answer> & { readonly work: Work };

const entry = new URL("./worker.ts", import.meta.url);
/** Waiting items per person, so that one person can't fill the queue. */
const MOST_OF_ONE = 3;
/** In MiB. An expression builds its automaton while it matches. */
const LIMITS = { maxOldGenerationSizeMb: 256, maxYoungGenerationSizeMb: 32 };

/** A pool of at most `most` threads, started on demand, with a queue of at most `mostWaiting`. */
function createThreads({ most, mostWaiting }: { most: number; mostWaiting: number }) {
  const idle = new Set<Worker>();
  /** Keyed by person. */
  const busy = new Map<string, Worker>();
  const waiting = new Set<Job>();
  let isClosed = false;

  const startNext = (): void => {
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
    unawaited(run(job, thread), job.reject);
  };

  const run = async (job: Job, thread: Worker): Promise<void> => {
    // Only a busy thread keeps the process alive.
    thread.ref();
    try {
      job.resolve(await job.work(thread));
      thread.unref();
      if (!isClosed) idle.add(thread);
    } catch (error) {
      job.reject(error);
      await thread.terminate();
    } finally {
      busy.delete(job.who);
      startNext();
    }
  };

  return {
    /**
     * Runs work on a thread. One person's work runs one item at a time, so nobody can take all threads. A thread whose
     * work fails is ended. Throws UserError when the queue is full.
     */
    async use(asked: Asked, work: Work): Promise<Answer> {
      if (isClosed) throw closed();
      if (waiting.size >= mostWaiting) {
        throw new UserError("Too many logs are being read right now.", { next: "Try again in a few seconds." });
      }
      if ([...waiting].filter(({ who }) => who === asked.who).length >= MOST_OF_ONE) {
        throw new UserError("Several logs you asked for are still being read.", {
          next: "Wait for those answers, then try again.",
        });
      }
      const job: Job = { ...asked, ...Promise.withResolvers<Answer>(), work };
      const onAbort = (): void => {
        waiting.delete(job);
        job.reject(asked.signal.reason);
      };
      asked.signal.addEventListener("abort", onAbort);
      waiting.add(job);
      startNext();
      return job.promise.finally(() => asked.signal.removeEventListener("abort", onAbort));
    },
    close: async (): Promise<void> => {
      isClosed = true;
      for (const job of waiting) job.reject(closed());
      waiting.clear();
      await Promise.all([...idle, ...busy.values()].map((thread) => thread.terminate()));
    },
  };
}

function closed(): Error {
  return new Error("the log threads were closed");
}
