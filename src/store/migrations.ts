import { type Kysely, sql } from "kysely";
import type { Tables } from "./tables.ts";

type Db = Kysely<Tables>;
type Migration = { readonly title: string; readonly up: (db: Db) => Promise<void> };

/** In order; a number is the place in this list, counted from 1. What stands here was run somewhere: only append. */
const migrations: readonly Migration[] = [
  {
    title: "deliveries and runs",
    async up(db) {
      await db.schema
        .createTable("delivery")
        .addColumn("id", "text", (column) => column.primaryKey())
        .addColumn("received_at", "text", (column) => column.notNull())
        .execute();
      await db.schema.createIndex("delivery_received_at").on("delivery").column("received_at").execute();
      await db.schema
        .createTable("run")
        .addColumn("id", "text", (column) => column.primaryKey())
        .addColumn("delivery_id", "text", (column) => column.notNull().unique())
        .addColumn("verb", "text", (column) => column.notNull())
        .addColumn("user_id", "text", (column) => column.notNull())
        .addColumn("channel_id", "text", (column) => column.notNull())
        .addColumn("response_url", "text", (column) => column.notNull())
        .addColumn("region", "text")
        .addColumn("kind", "text")
        .addColumn("name", "text")
        .addColumn("state", "text", (column) => column.notNull())
        .addColumn("created_at", "text", (column) => column.notNull())
        .addColumn("claimed_at", "text")
        .addColumn("settled_at", "text")
        .execute();
      await db.schema.createIndex("run_state").on("run").column("state").execute();
    },
  },
];

/** How far this program knows the schema. */
export const schemaVersion = migrations.length;

/**
 * Brings the schema up to this program's version; each migration runs once, in a transaction with its mark. Throws when
 * the database was written by a newer program: an older one would misread it.
 */
export async function migrate(db: Db, now: () => Date): Promise<void> {
  await sql`create table if not exists migration (number integer primary key, title text not null, applied_at text not null)`.execute(
    db,
  );
  const { version } = await db
    .selectFrom("migration")
    .select((select) => select.fn.coalesce(select.fn.max("number"), sql<number>`0`).as("version"))
    .executeTakeFirstOrThrow();
  if (version > schemaVersion) {
    throw new Error(
      `The data was written by a newer Gantry (schema ${version}, this program knows ${schemaVersion}). ` +
        "Start that version, or set GANTRY_DATA to another folder.",
    );
  }
  for (const [index, { title, up }] of migrations.entries()) {
    const number = index + 1;
    if (number <= version) continue;
    await db.transaction().execute(async (transaction) => {
      await up(transaction);
      await transaction.insertInto("migration").values({ number, title, applied_at: now().toISOString() }).execute();
    });
  }
}
