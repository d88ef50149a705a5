import { delayAfter, recoveredAfterMs, type BackOff } from "./back-off.ts";
import { neverStarted, type Child, type Exit } from "../../engines/process/instances/child.ts";
import { makePause } from "./pause.ts";

/** Keeps one program running: starts it, waits for its end, decides, and starts it again after a back-off. */
export type Kept = {
  /** Stops the program and never starts it again; resolves when it is gone. May be called twice. */
  readonly stop: () => Promise<void>;
  /** Forgets the failures, and ends a back-off now. */
  readonly retryNow: () => void;
  /** Failures in a row; 0 again once a process has stayed up for long enough. */
  readonly failures: () => number;
  /** The process that runs now. */
  readonly current: () => Child | undefined;
};

export type KeepRunning = {
  /** Resolves to undefined when `stopping` is aborted before the process starts. */
  readonly start: (stopping: AbortSignal) => Promise<Child | undefined>;
  readonly backOff: BackOff;
  /** A process was started. */
  readonly onStart: (child: Child) => void;
  /**
   * A process ended by itself: whether to start another one. `failures` counts this one; `delayMs` is how long it would
   * be waited for. Not asked about a process that was stopped.
   */
  readonly onExit: (exit: Exit, after: { failures: number; delayMs: number }) => Promise<"again" | "over">;
  /** A stopped process has ended. */
  readonly onStopped?: (exit: Exit) => Promise<void>;
  readonly onError: (error: unknown) => void;
};

/** One that never starts counts as one that failed at once. */
async function startOrFail(start: KeepRunning["start"], stopping: AbortSignal): Promise<Child | undefined> {
  try {
    return await start(stopping);
  } catch (error) {
    return neverStarted(error);
  }
}

async function stopped({ onStopped }: KeepRunning, exit: Exit): Promise<"over"> {
  await onStopped?.(exit);
  return "over";
}

async function repeat(once: () => Promise<"again" | "over">, stopping: AbortSignal): Promise<void> {
  while (!stopping.aborted && (await once()) === "again");
}

export function keepRunning(options: KeepRunning): Kept {
  const stopping = new AbortController();
  const pause = makePause();
  let child: Child | undefined;
  let startedAt = 0;
  let failures = 0;

  const hasRecovered = () => child !== undefined && performance.now() - startedAt >= recoveredAfterMs(options.backOff);

  async function runOnce(): Promise<"again" | "over"> {
    child = await startOrFail(options.start, stopping.signal);
    if (!child) return "over";
    startedAt = performance.now();
    if (stopping.signal.aborted) void child.stop();
    else options.onStart(child);
    const exit = await child.exited;
    failures = hasRecovered() ? 1 : failures + 1;
    child = undefined;
    if (stopping.signal.aborted) return await stopped(options, exit);
    const delayMs = delayAfter(failures, options.backOff);
    const next = await options.onExit(exit, { failures, delayMs });
    if (next === "again" && !stopping.signal.aborted) await pause.take(delayMs);
    return next;
  }

  const ended = repeat(runOnce, stopping.signal).catch(options.onError);
  async function stop(): Promise<void> {
    stopping.abort();
    pause.end();
    await child?.stop();
    await ended;
  }
  return {
    stop,
    retryNow() {
      failures = 0;
      pause.end();
    },
    failures: () => (hasRecovered() ? 0 : failures),
    current: () => child,
  };
}
