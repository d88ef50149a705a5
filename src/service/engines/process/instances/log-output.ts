import type { Readable } from "node:stream";
import type { Clock } from "../../../../platform/clock.ts";
import { endOfPiece, lineText, type LogReader, MAX_LINE_BYTES } from "../../../workloads/runtime.ts";

/** How long to wait for the rest of the output after the exit, in milliseconds. */
const WAITS = {
  /** A descendant may still hold the pipe. After this much silence, the output is complete. */
  silence: 500,
  /** Limit for a descendant that keeps writing. */
  longest: 2_000,
  /** Limit while lines from before the exit wait to be stored: the last ones say why the program ended. */
  longestBacklog: 30_000,
};
/** A pipe holds at most this much. */
const PIPE_BYTES = 512 * 1024;
const POLL_MS = 50;

/** The bytes read, the number of streams whose lines are being stored, and the time of the last line. */
type Progress = { bytes: number; storing: number; lastAt: number };

/**
 * Passes a process's output on, line by line. While `write` waits nothing is read, so the pipe blocks the process. A pipe
 * can't be read again, so its lines have no cursor.
 */
export function recordOutput(streams: readonly (Readable | null)[], write: LogReader["write"], clock: Clock) {
  const progress: Progress = { bytes: 0, storing: 0, lastAt: clock.elapsedMs() };

  async function append(lines: Iterable<string>): Promise<void> {
    progress.storing += 1;
    for (const line of lines) {
      await write({ at: clock.now(), text: line });
      progress.lastAt = clock.elapsedMs();
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
    /**
     * Call after the exit. Resolves when all output was written, or when a pipe held open stays silent. While `isHurried`,
     * it waits only briefly for the rest of the pipe.
     */
    async ended(isHurried: () => boolean): Promise<void> {
      const isOver = waiting(progress, isHurried, clock);
      while (!isOver()) {
        const came = await Promise.race([read, clock.sleep(POLL_MS)]);
        if (came === "all") return;
      }
    },
  };
}

/** After the program's exit: whether to stop waiting for the rest of its pipe. */
function waiting(progress: Progress, isHurried: () => boolean, clock: Clock): () => boolean {
  const exitedAt = clock.elapsedMs();
  const mostBytes = progress.bytes + PIPE_BYTES;
  progress.lastAt = exitedAt;
  return () => {
    const now = clock.elapsedMs();
    const quietMs = progress.storing > 0 ? 0 : now - progress.lastAt;
    if (quietMs >= WAITS.silence || now >= exitedAt + WAITS.longestBacklog) return true;
    const isBacklog = quietMs < POLL_MS && progress.bytes <= mostBytes && !isHurried();
    return now >= exitedAt + WAITS.longest && !isBacklog;
  };
}

const NEWLINE = 10;
const CARRIAGE_RETURN = 13;

/** Cuts the output of a program into lines, which end with `\n` or `\r\n`. */
export function splitLines() {
  let rest = Buffer.alloc(0);
  let continued = false;

  function take(piece: Buffer, complete: boolean): string {
    const text = lineText(piece, continued);
    continued = !complete;
    return complete ? text.replace(/\r$/, "") : text;
  }

  function* cutLong(): Iterable<string> {
    while (rest.length > MAX_LINE_BYTES && !isFullLine(rest)) {
      const cut = endOfPiece(rest);
      yield take(rest.subarray(0, cut), false);
      rest = rest.subarray(cut);
    }
  }

  return {
    /** Yields the lines this chunk completes, lazily because a chunk can hold many. Consume all of them. */
    *push(chunk: Buffer): Iterable<string> {
      let from = 0;
      for (let at = chunk.indexOf(NEWLINE); at !== -1; at = chunk.indexOf(NEWLINE, from)) {
        rest = Buffer.concat([rest, chunk.subarray(from, at)]);
        yield* cutLong();
        yield take(rest, true);
        rest = Buffer.alloc(0);
        from = at + 1;
      }
      rest = Buffer.concat([rest, chunk.subarray(from)]);
      yield* cutLong();
    },
    /** The last line, when the output ended without a line end. */
    end() {
      const last = rest.length > 0 ? [take(rest, true)] : [];
      rest = Buffer.alloc(0);
      return last;
    },
  };
}

/** As long as a line may be, and what can be the first half of `\r\n`. */
function isFullLine(bytes: Buffer): boolean {
  return bytes.length === MAX_LINE_BYTES + 1 && bytes.at(-1) === CARRIAGE_RETURN;
}
