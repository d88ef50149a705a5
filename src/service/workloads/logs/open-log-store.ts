import { basename } from "node:path";
import { type Clock, machineClock } from "../../../platform/clock.ts";
import { openSqlite } from "../../../platform/database/sqlite.ts";
import { withFileNamed } from "../state/file-errors.ts";
import { DEFAULT_LOG_LIMITS, type LogLimits } from "./log-bounds.ts";
import { createLogTables, type LogTables } from "./log-tables.ts";
import { type LogWriter, openLogWriter } from "./log-writer.ts";

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
    return openLogWriter({ db, file: basename(path) }, { limits, clock, onEvent });
  });
}
