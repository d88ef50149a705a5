import { availableParallelism } from "node:os";
import { boundRecords, type Excerpt } from "../logs/excerpt.ts";
import type { ExcerptRequest } from "../logs/excerpt-request.ts";
import { compileGrep } from "../logs/grep.ts";
import { runTask } from "./run-task.ts";
import type { Report, Task } from "./task.ts";
import { type Asked, createThreads } from "./threads.ts";

export type LogPool = {
  /** Throws UserError when the expression is wrong or too expensive, when the lines are, and when too many wait. */
  readonly excerpt: (request: ExcerptRequest, asked: Asked) => Promise<Excerpt>;
  /** Lines of one writer without control characters and secrets. Throws UserError when that takes too long. */
  readonly redact: (written: Written, asked: Asked) => Promise<readonly string[]>;
  /** Ends all threads; what is under way is rejected. */
  readonly close: () => Promise<void>;
};

export type Written = { readonly lines: readonly string[]; readonly secrets: readonly string[] };

export type LogPoolOptions = {
  readonly threads?: number;
  /** For redacting and for matching, each. */
  readonly stepLimitMs?: number;
  readonly mostWaiting?: number;
};

const STEP_LIMIT_MS = 3_000;
const MOST_WAITING = 50;

/**
 * Redacts log lines and matches expressions in threads, which start when they are needed. One that takes too long is
 * ended: the process goes on answering whatever a log or an expression holds.
 */
export function createLogPool(options: LogPoolOptions = {}): LogPool {
  const { stepLimitMs = STEP_LIMIT_MS, mostWaiting = MOST_WAITING } = options;
  const threads = createThreads({ most: options.threads ?? Math.max(2, availableParallelism() - 1), mostWaiting });
  const run = (task: Task, lines: number, asked: Asked): Promise<Report> =>
    threads.use(asked, (thread) => runTask(thread, { task, lines, stepLimitMs, signal: asked.signal }));
  return {
    async excerpt(request, asked) {
      // What is wrong with it is told as such. Compiling takes milliseconds for any expression of this length.
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
