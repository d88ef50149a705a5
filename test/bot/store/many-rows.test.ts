import { type Kysely, sql } from "kysely";
import { afterEach, beforeEach, expect, test } from "vitest";
import { openSqlite } from "../../../src/platform/database/sqlite.ts";
import type { Tables } from "../../../src/bot/store/schema/tables.ts";
import { notFullRun } from "../../support/full-run.ts";
import { approvedChange, benchOver, done, event, pendingChange } from "./contract/bench.ts";

// SQLite takes 32,766 values in a statement.
const MANY = 33_000;

const { replica, db, begin, end } = benchOver(async () => {
  const memory = openSqlite<Tables>(":memory:");
  return { where: { kind: "shared", db: memory, flavour: "sqlite" }, db: memory, remove: () => memory.destroy() };
});
beforeEach(begin);
afterEach(end);

test("however many requests are past their time, all of them go, with what they hold", async () => {
  const a = await replica("a", { keepHistoryMs: 30 * 86_400_000 });
  await a.addChange(approvedChange("OLD"), event("requested"));
  await a.claim("OLD", event("claimed"));
  await a.settle("OLD", done, event("done"));
  await copyChange(db(), "OLD", MANY);
  await a.addChange(pendingChange("OPEN"), event("requested"));

  a.later(31 * 86_400_000);
  await a.prune();

  expect((await db().selectFrom("change").select("id").execute()).map(({ id }) => id)).toEqual(["OPEN"]);
});

const skip = notFullRun !== undefined;

test("however many requests have to be carried on, a replica finds all of them", { skip }, async () => {
  const a = await replica("a");
  await a.addChange(approvedChange("OPEN"), event("requested"));
  await copyChange(db(), "OPEN", MANY);

  const taken = await a.takeDue({ kind: "change", leaseMs: 1_000, most: 2 * MANY });

  expect(taken).toHaveLength(MANY);
});

/** The same row under other ids. */
async function copyChange(to: Kysely<Tables>, id: string, copies: number): Promise<void> {
  const row = await to.selectFrom("change").selectAll().where("id", "=", id).executeTakeFirstOrThrow();
  const others = Object.keys(row).filter((name) => name !== "id" && name !== "delivery_id");
  const columns = sql.join(others.map((name) => sql.ref(name)));
  await sql`with recursive n(i) as (select 1 union all select i + 1 from n where i < ${sql.lit(copies)})
    insert into change (id, delivery_id, ${columns})
    select 'COPY' || i, 'delivery-COPY' || i, ${columns} from change, n where id = ${id}`.execute(to);
  await sql`insert into due (kind, key, team_id, at, attempts, created_at)
    select 'change', id, team_id, created_at, 0, created_at from change where id like 'COPY%'`.execute(to);
}
