import type { Kysely } from "kysely";
import type { LogLimits } from "./log-bounds.ts";
import { makeLostLines } from "./log-lost.ts";
import { writeLines, type NewLine } from "./log-store.ts";
import { costOfLine, type LogTables } from "./log-tables.ts";
import { makeTurnstile } from "./turnstile.ts";

export type Batch = {
  readonly add: (line: NewLine) => void;
  /** As `LogWriter.room`. */
  readonly room: () => Promise<void> | undefined;
  /** Writes what waits; one write after the other. It never rejects: what cannot be written is counted and dropped. */
  readonly flush: () => Promise<void>;
  /** Drops what waits of a workload; resolves when no write has lines of it any more. */
  readonly forget: (workload: string) => Promise<void>;
  /** Writes what waits for the last time. */
  readonly close: () => Promise<void>;
};

export type BatchOptions = {
  readonly limits: LogLimits;
  readonly onEvent: (message: string, data: object) => void;
  readonly dayOf: () => string;
  readonly onWritten: () => Promise<void>;
};

const FLUSH_MS = 50;
/** When this much waits, programs are slowed down: together they write about 2.5 MB a second, rows included. */
const MANY_BYTES = 128 * 1024;
/** How often a log that could not be written is tried again when no line comes. */
const RETRY_MS = 1_000;

export function makeBatch(db: Kysely<LogTables>, options: BatchOptions): Batch {
  const { limits, dayOf, onWritten } = options;
  const lost = makeLostLines(options.onEvent);
  const waiting = makeWaiting(() => void flush());
  const turnstile = makeTurnstile(() => waiting.bytes() < MANY_BYTES);
  let writing = Promise.resolve();

  async function write(): Promise<void> {
    const lines = waiting.take();
    const all = [...lost.notes(dayOf()), ...lines];
    try {
      if (all.length > 0) await writeLines(db, all, limits);
      lost.told();
    } catch (error) {
      lost.add(lines, error);
      waiting.retry();
    }
    await onWritten();
    turnstile.turn();
  }

  function flush(): Promise<void> {
    writing = writing.then(write);
    return writing;
  }

  return {
    add: (line) => waiting.add(line),
    // Not written sooner, but waited for: a program that floods its log is slowed down instead of the engine.
    room: () => turnstile.pass(),
    flush,
    async forget(workload) {
      waiting.forget(workload);
      await writing;
      lost.forget(workload);
    },
    async close() {
      turnstile.open();
      await flush();
      waiting.take();
    },
  };
}

/** The lines that are not written yet, and what they cost. Some time after the first one they are due. */
function makeWaiting(onDue: () => void) {
  let lines: NewLine[] = [];
  let bytes = 0;
  let isDue = false;
  let timer: NodeJS.Timeout | undefined;
  const wait = (ms: number) => {
    clearTimeout(timer);
    timer = setTimeout(onDue, ms);
  };
  return {
    bytes: () => bytes,
    add(line: NewLine) {
      lines.push(line);
      bytes += costOfLine(line);
      if (!isDue) wait(FLUSH_MS);
      isDue = true;
    },
    /** They are due again, also when no more lines come. */
    retry() {
      if (!isDue) wait(RETRY_MS);
    },
    take(): NewLine[] {
      clearTimeout(timer);
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
