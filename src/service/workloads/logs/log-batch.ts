import type { Kysely } from "kysely";
import type { Clock, Timer } from "../../../platform/clock.ts";
import { isDiskFull } from "../state/data-folder.ts";
import type { LogLimits } from "./log-bounds.ts";
import { writeLines } from "./log-store.ts";
import { costOfLine, type LogTables, type NewLine } from "./log-tables.ts";
import { unawaited } from "../../../platform/waiting.ts";

type BatchOptions = {
  readonly limits: LogLimits;
  readonly clock: Pick<Clock, "after">;
  readonly onEvent: (message: string, data: object) => void;
  readonly dayOf: () => string;
  readonly onWritten: () => Promise<void>;
};

const FLUSH_MS = 50;
/** Above this many pending bytes, programs are slowed down, to about 2.5 MB a second in total, rows included. */
const MANY_BYTES = 128 * 1024;
/** Retry interval after a failed write when no new line arrives. */
const RETRY_MS = 1_000;

export function makeBatch(db: Kysely<LogTables>, options: BatchOptions) {
  const { limits, dayOf, onWritten } = options;
  const lost = makeLostLines(options.onEvent);
  const waiting = makeWaiting(options.clock, () =>
    unawaited(flush(), (error) => options.onEvent("background work failed", { error })),
  );
  const turnstile = makeTurnstile(() => waiting.bytes() < MANY_BYTES);
  let writing = Promise.resolve();

  async function write(): Promise<void> {
    const lines = waiting.take();
    try {
      await writeLines(db, [...lost.notes(dayOf()), ...lines], limits);
      lost.reported();
    } catch (error) {
      // Any of them may hold up all lines behind it.
      lost.add(lines, error);
      waiting.retry();
    }
    try {
      await onWritten();
    } finally {
      turnstile.turn();
    }
  }

  function flush(): Promise<void> {
    const written = writing.then(write);
    // What fails once must not keep all later lines from being written.
    writing = written.catch(() => undefined);
    return written;
  }

  return {
    add: (line: NewLine) => waiting.add(line),
    /** See `LogWriter.room`. */
    // Not written sooner, but waited for: a program that floods its log is slowed down instead of the engine.
    room: () => turnstile.pass(),
    /** Writes pending lines, one batch at a time. Never rejects: lines that can't be written are counted and dropped. */
    flush,
    /** Drops a workload's pending lines; resolves when no write includes any of them. */
    async forget(workload: string) {
      waiting.forget(workload);
      await writing;
      lost.forget(workload);
    },
    /** Writes pending lines for the last time. */
    async close() {
      turnstile.open();
      await flush();
      waiting.take();
    },
  };
}

/** Pending lines and their cost. Due some time after the first one. */
function makeWaiting(clock: Pick<Clock, "after">, onDue: () => void) {
  let lines: NewLine[] = [];
  let bytes = 0;
  let isDue = false;
  let timer: Timer | undefined;
  const wait = (ms: number) => {
    timer?.cancel();
    timer = clock.after(ms, onDue);
  };
  return {
    bytes: () => bytes,
    add(line: NewLine) {
      lines.push(line);
      bytes += costOfLine(line);
      if (!isDue) wait(FLUSH_MS);
      isDue = true;
    },
    /** Due again even if no more lines arrive. */
    retry() {
      if (!isDue) wait(RETRY_MS);
    },
    take(): NewLine[] {
      timer?.cancel();
      isDue = false;
      const taken = lines;
      lines = [];
      bytes = 0;
      return taken;
    },
    forget(workload: string) {
      lines = lines.filter((line) => line.workload !== workload);
      bytes = lines.reduce((sum, line) => sum + costOfLine(line), 0);
    },
  };
}

type Gap = { readonly workload: string; readonly instance: string; readonly count: number };

/**
 * Counts the lines that could not be stored, for a note in the log they are missing from. `onEvent` is called once when
 * lines start to be lost, and once when storing works again.
 */
function makeLostLines(onEvent: (message: string, data: object) => void) {
  const gaps = new Map<string, Gap>();
  let why: string | undefined;
  let total = 0;
  return {
    /** `error` is the reason they weren't stored. */
    add(lines: readonly NewLine[], error: unknown) {
      if (why === undefined) onEvent("can't store log lines", { error });
      why = isDiskFull(error) ? "the disk is full" : "writing the log failed";
      total += lines.length;
      for (const { workload, instance } of lines) {
        const key = `${workload} ${instance}`;
        gaps.set(key, { workload, instance, count: (gaps.get(key)?.count ?? 0) + 1 });
      }
    },
    /** One line for each log with a gap. */
    notes: (day: string) =>
      [...gaps.values()].map(({ workload, instance, count }) => {
        const lines = count === 1 ? "1 line was" : `${count} lines were`;
        return { workload, instance, day, line: `[gantry] ${lines} not stored: ${why ?? ""}` };
      }),
    /** Call when the notes are stored. */
    reported() {
      if (why === undefined) return;
      onEvent("storing log lines again", { lost: total });
      gaps.clear();
      total = 0;
      why = undefined;
    },
    forget(workload: string) {
      for (const [key, gap] of gaps) if (gap.workload === workload) gaps.delete(key);
    },
  };
}

/** Lets callers through in order while there is room. */
function makeTurnstile(hasRoom: () => boolean) {
  let waiters: (() => void)[] = [];
  let isOpen = false;

  function turn(): void {
    if (waiters.length === 0 || !hasRoom()) return;
    waiters.shift()?.();
    // Wait until the released caller has taken its room.
    setImmediate(turn);
  }

  return {
    /** Undefined when the caller may continue immediately; otherwise resolves when it may. */
    pass(): Promise<void> | undefined {
      if (isOpen || (waiters.length === 0 && hasRoom())) return undefined;
      return new Promise((resolve) => waiters.push(resolve));
    },
    /** Call when there may be room again. */
    turn,
    /** Lets everyone through from now on. */
    open() {
      isOpen = true;
      for (const resolve of waiters) resolve();
      waiters = [];
    },
  };
}
