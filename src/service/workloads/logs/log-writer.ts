import type { Kysely } from "kysely";
import type { LogLine, UnitLabels } from "../runtime.ts";
import type { LogLimits } from "./log-bounds.ts";
import { makeBatch } from "./log-batch.ts";
import { makeRemoval } from "./log-removal.ts";
import { readCursor, readPage, type LogPage, type NewLine } from "./log-store.ts";
import type { LogTables } from "./log-tables.ts";

/**
 * The log of all workloads, written in batches; reads write pending lines first. A failing log never stops a workload
 * or the engine: lines are counted and dropped, and a note says how many once writing works again.
 */
export type LogWriter = {
  /** Adds a line of today. Never waits and never throws. Lines of a forgotten workload are ignored. */
  readonly append: (workload: string, instance: string, line: string) => void;
  /** Adds a line of a unit to the day it was written, and saves its cursor. Like `append` otherwise. */
  readonly record: (unit: UnitLabels, line: LogLine) => void;
  /** The cursor of the last stored line of this container, possibly of an earlier start. */
  readonly cursorOf: (unit: UnitLabels) => Promise<string | undefined>;
  /** Undefined while there is room for more lines; otherwise a promise, resolved in order of the calls. */
  readonly room: () => Promise<void> | undefined;
  readonly page: (page: LogPage) => Promise<{ instance: string; line: string }[]>;
  /** Removes the log of a workload permanently. Never rejects: failed removals are retried later. */
  readonly forget: (workload: string) => Promise<void>;
  /** Removes logs that an earlier engine didn't get to: those of all other workloads. Never rejects. */
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
  const add = (line: NewLine): void => {
    if (!isClosed && !removed.has(line.workload)) batch.add(line);
  };
  return {
    append: (workload, instance, line) => add({ workload, instance, line, day: dayOf(now()) }),
    record({ workload, instance, container }, { at, text, cursor }) {
      const read = cursor === undefined ? undefined : { container, cursor };
      add({ workload, instance, line: text, day: dayOf(at), ...(read && { read }) });
    },
    async cursorOf(unit) {
      await batch.flush();
      return await readCursor(db, unit);
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

/** The day of a moment in UTC: 2026-11-21. */
export function dayOf(moment: Date): string {
  return moment.toISOString().slice(0, 10);
}

/** The `date` of a request (2026.11.21, also 2026.1.5) as the day of a log; today without it. */
export function requestedDay(date: string | undefined, now: Date): string {
  if (date === undefined) return dayOf(now);
  const [year = "", month = "", day = ""] = date.split(".");
  return `${year}-${month.padStart(2, "0")}-${day.padStart(2, "0")}`;
}
