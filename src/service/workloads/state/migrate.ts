import { sql, type Kysely } from "kysely";
import { StartError } from "./file-errors.ts";

/** Migrates a file to the next version: statements, or a function where statements alone can't. */
export type Migration<Tables> = readonly string[] | ((tx: Kysely<Tables>) => Promise<void>);

/**
 * Migrates a SQLite file to the latest version; `PRAGMA user_version` holds the current one. Each migration is one
 * transaction. Throws for a file from a newer version, because this one would misread it.
 */
export async function migrate<Tables>(
  db: Kysely<Tables>,
  path: string,
  migrations: readonly Migration<Tables>[],
): Promise<void> {
  const { rows } = await sql<{ user_version: number }>`pragma user_version`.execute(db);
  const version = rows[0]?.user_version ?? 0;
  if (version > migrations.length) {
    throw new StartError(
      `${path} was written by a newer version of Gantry (schema ${version}; this version knows ${migrations.length}). ` +
        "Nothing was changed. Start the newer version, or set GANTRY_DATA to another folder.",
    );
  }
  for (const [index, migration] of migrations.entries()) {
    if (index < version) continue;
    await db.transaction().execute(async (tx) => {
      if (typeof migration === "function") await migration(tx);
      else for (const statement of migration) await sql.raw(statement).execute(tx);
      await sql.raw(`pragma user_version = ${index + 1}`).execute(tx);
    });
  }
}
