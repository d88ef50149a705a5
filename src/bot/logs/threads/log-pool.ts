import { availableParallelism } from "node:os";
import { boundRecords, type Excerpt, type ExcerptRequest } from "../excerpt.ts";
import { compileGrep } from "../grep.ts";
import { runTask } from "./run-task.ts";
import type { Report, Task } from "./task.ts";
import { type Asked, createThreads } from "./threads.ts";

export type LogPool = {
  /**
   * Throws UserError when the expression is invalid, when matching or redacting is too slow, or when the queue is full.
   */
  readonly excerpt: (request: ExcerptRequest, asked: Asked) => Promise<Excerpt>;
  /** Removes control characters and secrets from one instance's lines. Throws UserError when that takes too long. */
  readonly redact: (written: Written, asked: Asked) => Promise<readonly string[]>;
  /** Ends all threads and rejects unfinished work. */
  readonly close: () => Promise<void>;
};

export type Written = { readonly lines: readonly string[]; readonly secrets: readonly string[] };

export type LogPoolOptions = {
  readonly threads?: number;
  /** Applies to redacting and to matching separately. */
  readonly stepLimitMs?: number;
  readonly mostWaiting?: number;
};

const STEP_LIMIT_MS = 3_000;
const MOST_WAITING = 50;

/**
 * Redacts log lines and matches expressions in worker threads, started on demand. A thread that takes too long is
 * ended, so no log or expression can block the process.
 */
export function createLogPool(options: LogPoolOptions = {}): LogPool {
  const { stepLimitMs = STEP_LIMIT_MS, mostWaiting = MOST_WAITING } = options;
  const threads = createThreads({ most: options.threads ?? Math.max(2, availableParallelism() - 1), mostWaiting });
  const run = (task: Task, lines: number, asked: Asked): Promise<Report> =>
    threads.use(asked, (thread) => runTask(thread, { task, lines, stepLimitMs, signal: asked.signal }));
  return {
    async excerpt(request, asked) {
      // Fails early with a precise message. Compiling takes milliseconds at this length.
      if (request.grep !== undefined) compileGrep(request.grep);
      const lines = boundRecords(request.lines);
      const report = await run({ kind: "excerpt", request: { ...request, lines } }, lines.length, asked);
      if (report.kind !== "excerpt") throw unexpected(report);
      return report.excerpt;
    },
    async redact({ lines, secrets }, asked) {
      const bound = boundRecords(lines.map((text) => ({ text }))).map(({ text }) => text);
      const report = await run({ kind: "redact", lines: bound, secrets }, lines.length, asked);
      if (report.kind !== "redacted") throw unexpected(report);
      return report.lines;
    },
    close: threads.close,
  };
}

function unexpected(report: Report): Error {
  return new Error(
    `a log thread ${report.kind === "failed" ? `failed: ${report.message}` : `answered ${report.kind}`}`,
  );
}
