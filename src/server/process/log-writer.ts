import type { Kysely } from "kysely";
import type { LogLimits } from "./log-bounds.ts";
import { makeBatch } from "./log-batch.ts";
import { makeRemoval } from "./log-removal.ts";
import { readPage, type LogPage } from "./log-store.ts";
import type { LogTables } from "./log-tables.ts";

/**
 * The log of all workloads: written in batches, read with what waits written first. A log that cannot be written is never
 * worth a workload or the engine: its lines are counted and dropped, and once it can be written again it says how many.
 */
export type LogWriter = {
  /** Never waits and never throws. A workload that was forgotten has no log any more. */
  readonly append: (workload: string, instance: string, line: string) => void;
  /** Undefined while there is room for more lines; else a promise that resolves when there is, in the order of asking. */
  readonly room: () => Promise<void> | undefined;
  readonly page: (page: LogPage) => Promise<{ instance: string; line: string }[]>;
  /** Removes the log of a workload, for good. Never rejects: what cannot be removed now is removed later. */
  readonly forget: (workload: string) => Promise<void>;
  /** Removes the logs of all other workloads, which an earlier engine did not get to. Never rejects. */
  readonly keepOnly: (workloads: Iterable<string>) => Promise<void>;
  readonly close: () => Promise<void>;
};

export type LogWriterOptions = {
  readonly limits: LogLimits;
  readonly now: () => Date;
  /** Called once when writing begins to fail, and once when it works again. */
  readonly onEvent: (message: string, data: object) => void;
};

export function openLogWriter(db: Kysely<LogTables>, options: LogWriterOptions): LogWriter {
  const { now } = options;
  const removed = makeRemoval(db, options.onEvent);
  const batch = makeBatch(db, { ...options, dayOf: () => dayOf(now()), onWritten: removed.retryFailed });
  let isClosed = false;
  return {
    append(workload, instance, line) {
      if (!isClosed && !removed.has(workload)) batch.add({ workload, instance, line, day: dayOf(now()) });
    },
    room: () => (isClosed ? undefined : batch.room()),
    async page(page) {
      await batch.flush();
      return await readPage(db, page);
    },
    async forget(workload) {
      removed.add(workload);
      await batch.forget(workload);
      await removed.retry();
    },
    async keepOnly(workloads) {
      await removed.removeOthers(new Set(workloads));
    },
    async close() {
      isClosed = true;
      await batch.close();
      await db.destroy();
    },
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
