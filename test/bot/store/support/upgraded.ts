import { sql } from "kysely";
import { pino } from "pino";
import { onTestFinished } from "vitest";
import type { Sealer } from "../../../../src/bot/accounts/seal.ts";
import { openStore } from "../../../../src/bot/store/open-store.ts";
import { clockOf } from "../../../../src/bot/store/database/session.ts";
import { migrate } from "../../../../src/bot/store/schema/migrations.ts";
import { textSealer } from "../../../../src/bot/store/database/text-sealer.ts";
import type { Tables } from "../../../../src/bot/store/schema/tables.ts";
import { dueKinds, type DueKindName } from "../../../../src/bot/workflow/due-kinds.ts";
import { openSqlite } from "../../../../src/platform/database/sqlite.ts";
import { testClock } from "../../../support/test-clock.ts";
import { olderSchema, schemaBefore } from "./older-schema.ts";

/** A database from before a migration, with these rows, opened by this version. */
export async function upgradedFrom(migration: string, rows: readonly string[], sealer?: Sealer) {
  const db = openSqlite<Tables>(":memory:");
  onTestFinished(() => db.destroy());
  await olderSchema(db, "sqlite", schemaBefore(migration));
  for (const row of rows) await sql.raw(row).execute(db);
  // Whoever lives by one of the rows is gone, as in a folder.
  await migrate(
    { db, flavour: "sqlite", clock: clockOf("sqlite", () => 0), textSealer: textSealer(sealer) },
    { isOnlyProcess: true },
  );
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
