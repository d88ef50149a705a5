import { sql } from "kysely";
import { pino } from "pino";
import { expect, test } from "vitest";
import { openSqlite } from "../../../src/platform/database/sqlite.ts";
import { openStore } from "../../../src/bot/store/open-store.ts";
import type { Tables } from "../../../src/bot/store/schema/tables.ts";

test("a time in which nothing happened is one look at the index of times", async () => {
  const seen: string[] = [];
  const db = openSqlite<Tables>(":memory:", { onStatement: (text) => void seen.push(text) });
  const log = pino({ level: "silent" });
  const store = await openStore({ kind: "shared", db, flavour: "sqlite", replicaId: "a", log });
  const at = "2026-01-01T00:00:00.000Z";
  await db.insertInto("event").values({ at, kind: "voted", team_id: "T1", break_glass: 0, result: "" }).execute();
  seen.length = 0;

  expect(await store.history({ teamId: "T1", limit: 10, since: new Date("2026-02-01T00:00:00Z") })).toEqual([]);

  const [first = "", ...rest] = seen;
  expect(rest).toEqual([]);
  const plan = await sql<{ detail: string }>`explain query plan ${sql.raw(first.replaceAll("?", "'1'"))}`.execute(db);
  expect(plan.rows.map(({ detail }) => detail)).toContain(
    "SEARCH event USING COVERING INDEX event_team_at (team_id=? AND at>?)",
  );
  await store.close();
  await db.destroy();
});
