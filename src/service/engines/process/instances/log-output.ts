import { setTimeout as pause } from "node:timers/promises";
import type { Readable } from "node:stream";
import { splitLines } from "./log-lines.ts";
import type { LogWriter } from "../../../workloads/logs/log-writer.ts";

/** The output of one process on its way to the log. */
export type Output = {
  /**
   * Call after the exit. Resolves when all output is in the log, or when a pipe held open stays silent. While `isHurried`,
   * it waits only briefly for what the pipe still holds.
   */
  readonly ended: (isHurried: () => boolean) => Promise<void>;
};

/** A descendant may still hold the pipe of a process that exited. After this much silence, output is complete. */
const SILENCE_MS = 500;
/** Limit for a descendant that keeps writing. */
const LONGEST_MS = 2_000;
/** But many short lines take longer to be stored, and the last ones say why the program ended. So much may be in the pipe. */
const PIPE_BYTES = 512 * 1024;
const LONGEST_BACKLOG_MS = 30_000;
const POLL_MS = 50;

/** How far the output is: how much was read, how many streams are being stored, and when the last line was. */
type Progress = { bytes: number; storing: number; lastAt: number };

/** Copies a process's output to its log. While the log is full nothing is read, so the pipe blocks the process. */
export function recordOutput(
  streams: readonly (Readable | null)[],
  { workload, instance }: { readonly workload: string; readonly instance: string },
  logs: Pick<LogWriter, "append" | "room">,
): Output {
  const progress: Progress = { bytes: 0, storing: 0, lastAt: performance.now() };

  async function append(lines: Iterable<string>): Promise<void> {
    progress.storing += 1;
    for (const line of lines) {
      await logs.room();
      logs.append(workload, instance, line);
      progress.lastAt = performance.now();
    }
    progress.storing -= 1;
  }

  async function record(stream: Readable): Promise<void> {
    // Also covers errors after reading has ended.
    stream.on("error", () => undefined);
    const splitter = splitLines();
    try {
      for await (const piece of stream) {
        const chunk = piece as Buffer; // a stream without an encoding
        progress.bytes += chunk.length;
        await append(splitter.push(chunk));
      }
    } catch {
      // The pipe was destroyed with output in it: what came until then is in the log.
    }
    await append(splitter.end());
  }

  const open = streams.filter((stream) => stream !== null);
  const read = Promise.all(open.map(record)).then(() => "all" as const);
  return {
    async ended(isHurried) {
      const isOver = waiting(progress, isHurried);
      while (!isOver()) {
        const came = await Promise.race([read, pause(POLL_MS, undefined, { ref: false })]);
        if (came === "all") return;
      }
    },
  };
}

/** After the program's exit: whether to stop waiting for what is left in its pipe. */
function waiting(progress: Progress, isHurried: () => boolean): () => boolean {
  const exitedAt = performance.now();
  const mostBytes = progress.bytes + PIPE_BYTES;
  progress.lastAt = exitedAt;
  return () => {
    const now = performance.now();
    const quietMs = progress.storing > 0 ? 0 : now - progress.lastAt;
    if (quietMs >= SILENCE_MS || now >= exitedAt + LONGEST_BACKLOG_MS) return true;
    const isBacklog = quietMs < POLL_MS && progress.bytes <= mostBytes && !isHurried();
    return now >= exitedAt + LONGEST_MS && !isBacklog;
  };
}
