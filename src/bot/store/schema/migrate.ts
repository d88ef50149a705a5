import { sql } from "kysely";
import { migrations } from "./migrations.ts";
import type { Db, Session } from "../database/session.ts";

/** How far this program knows the schema. */
export const schemaVersion = migrations.length;

/** Any number that no other program uses for its own lock in the same database. */
const LOCK_KEY = 4_718_205_361;

/**
 * Brings the schema up to this program's version, all of it in one transaction: each migration runs once, also when two
 * replicas start together (the second one waits on PostgreSQL; a SQLite file has one process). Throws when the database
 * was written by a newer program: an older one would misread it.
 */
export async function migrate({ db, flavour, clock }: Pick<Session, "db" | "flavour" | "clock">): Promise<void> {
  await db.transaction().execute(async (tx) => {
    if (flavour === "postgres") await sql`select pg_advisory_xact_lock(${sql.lit(LOCK_KEY)})`.execute(tx);
    await sql`create table if not exists migration (number integer primary key, title text not null, applied_at text not null)`.execute(
      tx,
    );
    const version = await versionOf(tx);
    if (version > schemaVersion) throw new Error(tooNew(version, flavour));
    for (const [index, { title, up }] of migrations.entries()) {
      const number = index + 1;
      if (number <= version) continue;
      await up({ db: tx, flavour });
      await tx.insertInto("migration").values({ number, title, applied_at: clock() }).execute();
    }
  });
}

/** The number of the last migration. Throws in a database without any. */
export async function versionOf(db: Db): Promise<number> {
  const { version } = await db
    .selectFrom("migration")
    .select((select) => select.fn.coalesce(select.fn.max("number"), sql<number>`0`).as("version"))
    .executeTakeFirstOrThrow();
  return version;
}

function tooNew(version: number, flavour: Session["flavour"]): string {
  const other = flavour === "sqlite" ? "set GANTRY_DATA to another folder" : "let DATABASE_URL name another database";
  return (
    `The data was written by a newer Gantry (schema ${version}, this program knows ${schemaVersion}). ` +
    `Start that version, or ${other}.`
  );
}
