import type { Worker } from "node:worker_threads";
import { TooExpensive } from "../grep.ts";
import type { Report, Step, Task } from "./task.ts";

type Run = {
  readonly task: Task;
  /** Number of lines, for the timeout message. */
  readonly lines: number;
  readonly stepLimitMs: number;
  readonly signal: AbortSignal;
};

/** A thread starts in about 0.1 s, but a busy machine needs much longer. */
const START_WITHIN_MS = 20_000;

/**
 * Runs one task. After a rejection the thread may still be busy and must be ended. Throws TooExpensive when a step exceeds
 * its limit.
 */
export async function runTask(thread: Worker, { task, lines, stepLimitMs, signal }: Run): Promise<Report> {
  const { promise, resolve, reject } = Promise.withResolvers<Report>();
  let timer = setTimeout(() => reject(new Error("a log thread did not start")), START_WITHIN_MS);
  const onMessage = (report: Report): void => {
    if (report.kind !== "step") return resolve(report);
    clearTimeout(timer);
    timer = setTimeout(() => reject(tooExpensive(report.step, lines, stepLimitMs)), stepLimitMs);
  };
  const onError = (error: Error): void => reject(isOutOfMemory(error) ? tooExpensive("matching", lines, 0) : error);
  const onExit = (): void => reject(new Error("a log thread ended early"));
  const onAbort = (): void => reject(signal.reason);
  thread.on("message", onMessage).on("error", onError).on("exit", onExit);
  signal.addEventListener("abort", onAbort);
  try {
    signal.throwIfAborted();
    thread.postMessage(task);
    return await promise;
  } finally {
    clearTimeout(timer);
    thread.off("message", onMessage).off("error", onError).off("exit", onExit);
    signal.removeEventListener("abort", onAbort);
  }
}

function isOutOfMemory(error: Error): boolean {
  return "code" in error && error.code === "ERR_WORKER_OUT_OF_MEMORY";
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
