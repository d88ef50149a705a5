// The commands for stored data: `gantry backup`, `restore`, `data` and `keys`.
import { takeBackup, markRestored, restoreBackup } from "../bot/compose/data/backup.ts";
import { erasePersonNow, exportPerson, listKeys, resealNow } from "../bot/compose/data/person.ts";
import { readConfig } from "../bot/compose/config.ts";
import { addKey } from "../bot/compose/keys.ts";
import { machineClock } from "../platform/clock.ts";
import { runCommand, typed, UsageError } from "./command.ts";
import { alsoCalled, calledAs } from "./programs.ts";

/** Copies the database to a file, while Gantry runs. */
export function backup(): Promise<void> {
  const usage = `Usage: ${calledAs("backup")} FILE
Copies the SQLite database in GANTRY_DATA to a new file that only you can read, while Gantry runs or not.
Sealed values stay sealed: the keys aren't in it. For PostgreSQL use pg_dump: docs/backup.md
`;
  return runCommand({ usage }, () => {
    const [file, extra] = typed({}).positionals;
    if (file === undefined || extra !== undefined) throw new UsageError("Name one file to write.");
    return takeBackup(readConfig(process.env), { file, now: machineClock.now() });
  });
}

/** Replaces the database by a backup. */
export function restore(): Promise<void> {
  const usage = `Usage: ${calledAs("restore")} FILE [--force]
       ${calledAs("restore")} --mark TIME
FILE      a file that ${alsoCalled("backup")} wrote
--force   also over existing data, which is kept beside it
--mark    PostgreSQL: after pg_restore, the time of the dump, like 2026-11-26T03:00:00Z
Refuses while Gantry runs. At the next start, what was open at the time of the backup ends as unknown, and nothing is sent again.
`;
  return runCommand({ usage }, () => {
    const { values, positionals } = typed({ force: { type: "boolean" }, mark: { type: "string" } });
    const [file, extra] = positionals;
    const config = readConfig(process.env);
    if (values.mark !== undefined) {
      const takenAt = new Date(values.mark);
      if (file !== undefined || Number.isNaN(takenAt.getTime()) || !/T.*(?:Z|[+-]\d\d:\d\d)$/u.test(values.mark)) {
        throw new UsageError("--mark takes a time with a zone, like 2026-11-26T03:00:00Z, and no file.");
      }
      if (config.store.kind !== "postgres")
        throw new UsageError("--mark is for PostgreSQL. For SQLite, name the file.");
      return markRestored(config.store, takenAt);
    }
    if (file === undefined || extra !== undefined) throw new UsageError("Name one file to restore.");
    const restored = restoreBackup(config, { file, isForced: values.force === true, now: machineClock.now() });
    return `${restored} Then run ${alsoCalled("doctor")}, which checks the keys.`;
  });
}

/** Exports or erases the stored data of a person. */
export function data(): Promise<void> {
  const usage = `Usage: ${calledAs("data")} export U0123ABCD
       ${calledAs("data")} erase U0123ABCD --yes
export   prints everything that is kept of a person as JSON, without tokens
erase    replaces their names and what they typed, and their ID by a pseudonym. It can't be undone.
Works while Gantry runs. docs/backup.md says what isn't reached.
`;
  return runCommand({ usage }, () => {
    const { values, positionals } = typed({ yes: { type: "boolean" } });
    const [what, user, extra] = positionals;
    if ((what !== "export" && what !== "erase") || extra !== undefined) throw new UsageError("Use export or erase.");
    if (user === undefined || !/^[UW][A-Z0-9]{2,}$/u.test(user)) {
      throw new UsageError("Name a person by their Slack ID, like U0123ABCD: Copy member ID in their profile.");
    }
    const config = readConfig(process.env);
    if (what === "export") return exportPerson(config, user);
    if (values.yes !== true) throw new UsageError("It can't be undone: add --yes. Nothing was erased.");
    return erasePersonNow(config, user);
  });
}

/** Shows and changes the keys that seal stored values. */
export function keys(): Promise<void> {
  const usage = `Usage: ${calledAs("keys")} list|add|reseal
list     shows how many stored values each key sealed
add      puts a new key in front of the key file; restart Gantry afterwards
reseal   seals everything with the first key, while Gantry runs
`;
  return runCommand({ usage }, () => {
    const [what, extra] = typed({}).positionals;
    if (extra !== undefined) throw new UsageError(`Unexpected argument “${extra}”.`);
    const config = readConfig(process.env);
    if (what === "list") return listKeys(config);
    if (what === "reseal") return resealNow(config);
    if (what === "add") return addKey(config, `${calledAs("keys")} reseal`);
    throw new UsageError("Use list, add or reseal.");
  });
}
