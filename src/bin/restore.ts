// Puts a backup in the place of the database: `gantry restore FILE`.
import { parseArgs } from "node:util";
import { markRestored, restoreBackup } from "../bot/compose/data/backup.ts";
import { DataUsageError, runDataCommand } from "../bot/compose/data/command.ts";
import { readConfig } from "../bot/compose/config.ts";
import { alsoCalled, calledAs } from "./programs.ts";
import { machineClock } from "../platform/clock.ts";

const usage = `Usage: ${calledAs("restore")} FILE [--force]
       ${calledAs("restore")} --mark TIME
FILE      a file that ${alsoCalled("backup")} wrote
--force   also over existing data, which is kept beside it
--mark    PostgreSQL: after pg_restore, the time of the dump, like 2026-11-26T03:00:00Z
Refuses while Gantry runs. At the next start, what was open at the time of the backup ends as unknown, and nothing is sent again.
`;

await runDataCommand({ usage, envFile: process.env["GANTRY_ENV_FILE"] }, async () => {
  const { values, positionals } = parseArgs({
    args: process.argv.slice(2),
    allowPositionals: true,
    options: { force: { type: "boolean" }, mark: { type: "string" } },
  });
  const [file, extra] = positionals;
  const config = readConfig(process.env);
  if (values.mark !== undefined) {
    const takenAt = new Date(values.mark);
    if (file !== undefined || Number.isNaN(takenAt.getTime()) || !/T.*(?:Z|[+-]\d\d:\d\d)$/u.test(values.mark)) {
      throw new DataUsageError("--mark takes a time with a zone, like 2026-11-26T03:00:00Z, and no file.");
    }
    if (config.store.kind !== "postgres")
      throw new DataUsageError("--mark is for PostgreSQL. For SQLite, name the file.");
    return markRestored(config.store, takenAt);
  }
  if (file === undefined || extra !== undefined) throw new DataUsageError("Name one file to restore.");
  const restored = restoreBackup(config, { file, isForced: values.force === true, now: machineClock.now() });
  return `${restored} Then run ${alsoCalled("doctor")}, which checks the keys.`;
});
