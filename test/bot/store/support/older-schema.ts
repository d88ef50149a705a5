import { type Kysely, sql } from "kysely";
import type { Flavour } from "../../../../src/bot/store/database/session.ts";
import { migrations } from "../../../../src/bot/store/schema/migrations.ts";
import { textSealer } from "../../../../src/bot/store/database/text-sealer.ts";
import type { Tables } from "../../../../src/bot/store/schema/tables.ts";

/** The number of the schema before a migration. */
export function schemaBefore(migration: string): number {
  const at = migrations.findIndex(({ title }) => title === migration);
  if (at < 0) throw new Error(`there is no migration ${migration}`);
  return at;
}

/** Gives an empty database the schema that an earlier version left. */
export async function olderSchema(db: Kysely<Tables>, flavour: Flavour, schema: number): Promise<void> {
  await sql`create table migration (number integer primary key, title text not null, applied_at text not null)`.execute(
    db,
  );
  for (const [index, { title, up }] of migrations.slice(0, schema).entries()) {
    await up({ db, flavour, textSealer: textSealer(undefined) });
    await db
      .insertInto("migration")
      .values({ number: index + 1, title, applied_at: "2026-01-01T00:00:00.000Z" })
      .execute();
  }
}
