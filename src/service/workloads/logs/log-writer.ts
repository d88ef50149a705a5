import type { Kysely } from "kysely";
import { boundedMap } from "../../../platform/bounded-map.ts";
import { type Clock, machineClock } from "../../../platform/clock.ts";
import { Refusal } from "../../engine.ts";
import { type LogLine, nameInLog, type UnitLabels } from "../runtime.ts";
import { type LogLimits, DEFAULT_LOG_LIMITS } from "./log-bounds.ts";
import { makeBatch } from "./log-batch.ts";
import {
  readCursor,
  removeCursor,
  type Source,
  hasInstance,
  instancesOf,
  type NewLine,
  createLogTables,
  type LogTables,
} from "./log-tables.ts";
import { DamagedLog, readWholePage, type LogPage, loggedWorkloads, removeLines } from "./log-store.ts";
import { isDamaged, withFileNamed } from "../state/data-folder.ts";
import { basename } from "node:path";
import { openSqlite } from "../../../platform/database/sqlite.ts";

export type LogWriter = ReturnType<typeof openLogWriter>;

type LogWriterOptions = {
  readonly limits: LogLimits;
  readonly clock: Clock;
  /** The name of the file, for people. */
  readonly file?: string;
  /** Called once when writing begins to fail, and once when it works again. */
  readonly onEvent: (message: string, data: object) => void;
};

/**
 * The log of all workloads, written in batches; reads write pending lines first. A failing log never stops a workload
 * or the engine: lines are counted and dropped, and a note says how many once writing works again.
 */
export function openLogWriter(db: Kysely<LogTables>, options: LogWriterOptions) {
  const { clock, onEvent, file } = options;
  const removed = makeRemoval(db, onEvent);
  const batch = makeBatch(db, { ...options, dayOf: () => dayOf(clock.now()), onWritten: removed.retryFailed });
  let isClosed = false;
  let isToldOfDamage = false;

  /** Lines of a forgotten workload are ignored. */
  function add(line: NewLine): void {
    if (!isClosed && !removed.has(line.workload)) batch.add(line);
  }

  function refuse(error: unknown): never {
    if (!(error instanceof DamagedLog) && !isDamaged(error)) throw error;
    if (!isToldOfDamage) onEvent("the log file is damaged", { error });
    isToldOfDamage = true;
    throw new Refusal(503, damaged(file), { cause: error });
  }

  return {
    /** Adds a line of today. Never waits and never throws. */
    append: (workload: string, instance: string, line: string) =>
      add({ workload, instance, line, day: dayOf(clock.now()) }),
    /** Adds a line of a unit to the day it was written, and saves its cursor. Like `append` otherwise. */
    record(unit: UnitLabels, { at, text, cursor }: LogLine) {
      const { workload } = unit;
      const instance = nameInLog(unit);
      const read = cursor === undefined ? undefined : { ...sourceOf(unit), cursor };
      add({ workload, instance, line: text, day: dayOf(at), ...(read && { read }) });
    },
    /** The cursor of the last stored line of this container, possibly of an earlier start. */
    async cursorOf(unit: UnitLabels) {
      await batch.flush();
      return await readCursor(db, sourceOf(unit));
    },
    /** Rejects with a `Refusal` 503 if the file is damaged. */
    async page(page: LogPage) {
      await batch.flush();
      return await readWholePage(db, page).catch(refuse);
    },
    /** Whether any line of this instance is stored. Rejects like `page`. */
    async hasInstance(workload: string, instance: string) {
      await batch.flush();
      return await hasInstance(db, { workload, instance }).catch(refuse);
    },
    /** The newest instances of which lines are stored, in the order of their first lines. Rejects like `page`. */
    async instances(workload: string) {
      await batch.flush();
      return await instancesOf(db, workload).catch(refuse);
    },
    /** Forgets the cursor of a unit whose lines are stored, and which can't be read again. Never rejects. */
    async endUnit(unit: UnitLabels) {
      // Only costs a row: the next start of the same name doesn't use it.
      await removeCursor(db, sourceOf(unit)).catch(() => undefined);
    },
    /** Writes the lines added so far. Never rejects. */
    flush: batch.flush,
    /** Undefined while there is room for more lines; otherwise a promise, resolved in order of the calls. */
    room: () => (isClosed ? undefined : batch.room()),
    /** Removes the log of a workload permanently. Never rejects: failed removals are retried later. */
    async forget(workload: string) {
      removed.add(workload);
      await batch.forget(workload);
      await removed.retry();
    },
    /** Removes logs that an earlier engine didn't get to: those of all other workloads. Never rejects. */
    keepOnly: (workloads: Iterable<string>) => removed.removeOthers(new Set(workloads)),
    async close() {
      isClosed = true;
      await batch.close();
      await db.destroy();
    },
  };
}

const damaged = (file: string | undefined): string =>
  `The log can't be read: its file${file === undefined ? "" : ` ${file}`} is damaged. Workloads run on. Ask your Gantry admin to stop the workload API, ` +
  "move the file away or restore it from a backup, and start it again.";

/** Two generations of an instance may run at the same time. */
function sourceOf({ workload, instance, container, generation }: UnitLabels): Source {
  return { workload, source: `${instance}/${container}/${generation}` };
}

/** The day of a moment in UTC: 2026-11-21. */
export function dayOf(moment: Date): string {
  return moment.toISOString().slice(0, 10);
}

/** The `date` of a request (2026.11.21, also 2026.1.5) as the day of a log; today without it. */
export function requestedDay(date: string | undefined, now: Date): string {
  return date?.replaceAll(/\.(\d)\b/gu, "-0$1").replaceAll(".", "-") ?? dayOf(now);
}

/** Must exceed the number of workloads that end at the same time, because their last lines can arrive after removal. */
const REMEMBERED = 10_000;

/** Removes logs of workloads. Never throws: failed removals, as on a full disk, are retried later. */
function makeRemoval(db: Kysely<LogTables>, onEvent: LogWriterOptions["onEvent"]) {
  const forgotten = boundedMap<string, true>(REMEMBERED);
  const unremoved = new Set<string>();

  let hasFailed = false;

  async function retry(): Promise<void> {
    const workloads = [...unremoved];
    try {
      await removeLines(db, workloads);
      for (const workload of workloads) unremoved.delete(workload);
      hasFailed = false;
    } catch (error) {
      if (hasFailed) return;
      hasFailed = true;
      onEvent("couldn't remove logs of deleted workloads; retrying later", { error });
    }
  }

  return {
    /** Removes all added logs that still exist. */
    retry,
    /** The same, but only after a failure. */
    retryFailed: async () => (hasFailed ? await retry() : undefined),
    /** True if this workload's log was or will be removed. */
    has: (workload: string) => forgotten.has(workload),
    add(workload: string) {
      forgotten.set(workload, true);
      unremoved.add(workload);
    },
    async removeOthers(known: ReadonlySet<string>) {
      const logged = await loggedWorkloads(db).catch(() => []); // the next start finds them
      for (const workload of logged) if (!known.has(workload)) unremoved.add(workload);
      await retry();
    },
  };
}

type LogStoreOptions = {
  readonly limits?: LogLimits | undefined;
  readonly clock?: Clock;
  readonly onEvent: (message: string, data: object) => void;
};

/** Opens the logs in a file and brings their tables up to date. Throws a `StartError` with a sentence when it can't be used. */
export async function openLogStore(path: string, options: LogStoreOptions): Promise<LogWriter> {
  const { limits = DEFAULT_LOG_LIMITS, clock = machineClock, onEvent } = options;
  return await withFileNamed(path, async () => {
    const db = openSqlite<LogTables>(path, { mayLoseLast: true });
    await createLogTables(db, path);
    return openLogWriter(db, { limits, clock, onEvent, file: basename(path) });
  });
}
