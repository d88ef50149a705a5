import { setTimeout as pause } from "node:timers/promises";
import type { Kysely } from "kysely";
import {
  readPage,
  removeDaysBefore,
  removeLines,
  writeLines,
  type LogLimits,
  type LogPage,
  type LogTables,
  type NewLine,
} from "./log-store.ts";

/** The log of all workloads: written in batches, read with what waits written first. */
export type LogWriter = {
  /** Never waits. A workload that was forgotten has no log any more. */
  readonly append: (workload: string, instance: string, line: string) => void;
  /** Resolves at once, or after the next write when so much waits that programs have to be slowed down. */
  readonly room: () => Promise<void>;
  readonly page: (page: LogPage) => Promise<{ instance: string; line: string }[]>;
  /** Removes the log of a workload, for good. */
  readonly forget: (workload: string) => Promise<void>;
  readonly close: () => Promise<void>;
};

export type LogWriterOptions = {
  readonly limits: LogLimits;
  readonly now: () => Date;
  readonly onError: (error: unknown) => void;
};

const FLUSH_MS = 50;
const MANY_BYTES = 64 * 1024;
const DAY_MS = 86_400_000;

export function openLogWriter(db: Kysely<LogTables>, options: LogWriterOptions): LogWriter {
  const { now } = options;
  const forgotten = new Set<string>();
  const batch = makeBatch(db, options);
  let isClosed = false;
  return {
    append(workload, instance, line) {
      if (!isClosed && !forgotten.has(workload)) batch.add({ workload, instance, line, day: dayOf(now()) });
    },
    room: () => batch.room(),
    async page(page) {
      await batch.flush();
      return await readPage(db, page);
    },
    async forget(workload) {
      forgotten.add(workload);
      await batch.flush();
      await removeLines(db, workload);
    },
    async close() {
      isClosed = true;
      await batch.flush();
      await db.destroy();
    },
  };
}

type Batch = {
  readonly add: (line: NewLine) => void;
  readonly room: () => Promise<void>;
  /** Writes what waits; one write after the other. */
  readonly flush: () => Promise<void>;
};

function makeBatch(db: Kysely<LogTables>, { limits, now, onError }: LogWriterOptions): Batch {
  let waiting: NewLine[] = [];
  let waitingBytes = 0;
  let timer: NodeJS.Timeout | undefined;
  let writing = Promise.resolve();
  let prunedOn = "";

  const isLarge = () => waitingBytes > MANY_BYTES;

  async function write(): Promise<void> {
    clearTimeout(timer);
    timer = undefined;
    const lines = waiting;
    waiting = [];
    waitingBytes = 0;
    const today = dayOf(now());
    if (today !== prunedOn) await removeDaysBefore(db, dayOf(new Date(now().getTime() - (limits.days - 1) * DAY_MS)));
    prunedOn = today;
    if (lines.length > 0) await writeLines(db, lines, limits);
  }

  /** The log of a program is not worth the engine: a failure is told, and the lines are lost. */
  function flush(): Promise<void> {
    writing = writing.then(write).catch(onError);
    return writing;
  }

  return {
    add(line) {
      waiting.push(line);
      waitingBytes += line.line.length;
      timer ??= setTimeout(() => void flush(), FLUSH_MS);
    },
    async room() {
      // Not written sooner, but waited for: a program that floods its log is slowed down instead of the engine.
      while (isLarge()) await pause(FLUSH_MS);
    },
    flush,
  };
}

/** The day of the log a moment belongs to, in UTC: 2026-11-21. */
export function dayOf(moment: Date): string {
  return moment.toISOString().slice(0, 10);
}

/** The `date` of a request (2026.11.21, also 2026.1.5) as the day of a log; today without it. */
export function requestedDay(date: string | undefined, now: Date): string {
  if (date === undefined) return dayOf(now);
  const [year = "", month = "", day = ""] = date.split(".");
  return `${year}-${month.padStart(2, "0")}-${day.padStart(2, "0")}`;
}
