import { setTimeout as pause } from "node:timers/promises";
import type { Readable } from "node:stream";
import { splitLines } from "./log-lines.ts";
import type { LogReader } from "../../../workloads/runtime.ts";

/** The output of one process on its way to the log. */
type Output = {
  /**
   * Call after the exit. Resolves when all output was written, or when a pipe held open stays silent. While `isHurried`,
   * it waits only briefly for the rest of the pipe.
   */
  readonly ended: (isHurried: () => boolean) => Promise<void>;
};

/** How long to wait for the rest of the output after the exit, in milliseconds. */
type OutputWaits = {
  /** A descendant may still hold the pipe. After this much silence, the output is complete. */
  readonly silence: number;
  /** Limit for a descendant that keeps writing. */
  readonly longest: number;
  /** Limit while lines from before the exit wait to be stored: the last ones say why the program ended. */
  readonly longestBacklog: number;
};

const DEFAULT_WAITS: OutputWaits = { silence: 500, longest: 2_000, longestBacklog: 30_000 };
/** A pipe holds at most this much. */
const PIPE_BYTES = 512 * 1024;
const POLL_MS = 50;

/** The bytes read, the number of streams whose lines are being stored, and the time of the last line. */
type Progress = { bytes: number; storing: number; lastAt: number };

type OutputOptions = { readonly now: () => Date; readonly waits?: OutputWaits };

/**
 * Passes a process's output on, line by line. While `write` waits nothing is read, so the pipe blocks the process. A pipe
 * can't be read again, so its lines have no cursor.
 */
export function recordOutput(
  streams: readonly (Readable | null)[],
  write: LogReader["write"],
  { now, waits = DEFAULT_WAITS }: OutputOptions,
): Output {
  const progress: Progress = { bytes: 0, storing: 0, lastAt: performance.now() };

  async function append(lines: Iterable<string>): Promise<void> {
    progress.storing += 1;
    for (const line of lines) {
      await write({ at: now(), text: line });
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
      // The pipe was destroyed with output in it. The lines before are in the log.
    }
    await append(splitter.end());
  }

  const open = streams.filter((stream) => stream !== null);
  const read = Promise.all(open.map(record)).then(() => "all" as const);
  return {
    async ended(isHurried) {
      const isOver = waiting(progress, isHurried, waits);
      while (!isOver()) {
        const came = await Promise.race([read, pause(POLL_MS, undefined, { ref: false })]);
        if (came === "all") return;
      }
    },
  };
}

/** After the program's exit: whether to stop waiting for the rest of its pipe. */
function waiting(progress: Progress, isHurried: () => boolean, waits: OutputWaits): () => boolean {
  const exitedAt = performance.now();
  const mostBytes = progress.bytes + PIPE_BYTES;
  progress.lastAt = exitedAt;
  return () => {
    const now = performance.now();
    const quietMs = progress.storing > 0 ? 0 : now - progress.lastAt;
    if (quietMs >= waits.silence || now >= exitedAt + waits.longestBacklog) return true;
    const isBacklog = quietMs < POLL_MS && progress.bytes <= mostBytes && !isHurried();
    return now >= exitedAt + waits.longest && !isBacklog;
  };
}
