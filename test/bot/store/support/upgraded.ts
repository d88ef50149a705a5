import { sql } from "kysely";
import { pino } from "pino";
import { onTestFinished } from "vitest";
import type { Sealer } from "../../../../src/bot/accounts/seal.ts";
import { openStore } from "../../../../src/bot/store/open-store.ts";
import { migrations } from "../../../../src/bot/store/schema/migrations.ts";
import type { Tables } from "../../../../src/bot/store/schema/tables.ts";
import { dueKinds, type DueKindName } from "../../../../src/bot/workflow/due-kinds.ts";
import { openSqlite } from "../../../../src/platform/database/sqlite.ts";
import { testClock } from "../../../support/test-clock.ts";

const BEFORE = "2026-01-01T00:00:00.000Z";

/** A database from before a migration, with these rows, opened by this version. */
export async function upgradedFrom(migration: string, rows: readonly string[], sealer?: Sealer) {
  const at = migrations.findIndex(({ title }) => title === migration);
  if (at < 0) throw new Error(`there is no migration ${migration}`);
  const db = openSqlite<Tables>(":memory:");
  onTestFinished(() => db.destroy());
  await sql`create table migration (number integer primary key, title text not null, applied_at text not null)`.execute(
    db,
  );
  for (const [index, { title, up }] of migrations.slice(0, at).entries()) {
    await up({ db, flavour: "sqlite" });
    await db
      .insertInto("migration")
      .values({ number: index + 1, title, applied_at: BEFORE })
      .execute();
  }
  for (const row of rows) await sql.raw(row).execute(db);
  const clock = testClock(new Date());
  const log = pino({ level: "silent" });
  const place = { kind: "shared", db, flavour: "sqlite" } as const; // literals
  const store = await openStore({ ...place, replicaId: "a", log, clock, ...(sealer && { sealer }) });
  const take = (kind: DueKindName) => store.takeDue({ kind, leaseMs: dueKinds[kind].leaseMs, most: 9 });
  /** Messages that are due, by their keys. */
  const duePosts = async () => {
    const posts = await Promise.all((await take("post")).map((due) => store.postOf(due)));
    return Object.fromEntries(posts.map((post) => [post?.key, post]));
  };
  return { store, take, duePosts, pass: clock.passMs };
}
