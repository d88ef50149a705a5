// Copies the database to a file, while Gantry runs: `gantry backup FILE`.
import { parseArgs } from "node:util";
import { takeBackup } from "../bot/compose/data/backup.ts";
import { DataUsageError, runDataCommand } from "../bot/compose/data/command.ts";
import { readConfig } from "../bot/compose/config.ts";
import { calledAs } from "./programs.ts";
import { machineClock } from "../platform/clock.ts";

const usage = `Usage: ${calledAs("backup")} FILE
Copies the SQLite database in GANTRY_DATA to a new file that only you can read, while Gantry runs or not.
Sealed values stay sealed: the keys aren't in it. For PostgreSQL use pg_dump: docs/backup.md
`;

await runDataCommand({ usage, envFile: process.env["GANTRY_ENV_FILE"] }, async () => {
  const { positionals } = parseArgs({ args: process.argv.slice(2), allowPositionals: true, options: {} });
  const [file, extra] = positionals;
  if (file === undefined || extra !== undefined) throw new DataUsageError("Name one file to write.");
  return takeBackup(readConfig(process.env), { file, now: machineClock.now() });
});
