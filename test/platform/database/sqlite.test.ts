import { type Kysely, sql } from "kysely";
import { afterEach, beforeEach, expect, test } from "vitest";
import { openSqlite } from "../../../src/platform/database/sqlite.ts";

type Tables = { readonly fruit: { readonly name: string } };

let db: Kysely<Tables>;
const seen: string[] = [];

beforeEach(async () => {
  seen.length = 0;
  db = openSqlite<Tables>(":memory:", { onStatement: (text) => void seen.push(text) });
  await sql`create table fruit (name text)`.execute(db);
  await db.insertInto("fruit").values({ name: "apple" }).execute();
});

afterEach(() => db.destroy());

const all = () => db.selectFrom("fruit").selectAll().execute();

test("the same statement returns the rows of the moment", async () => {
  expect(await all()).toEqual([{ name: "apple" }]);
  await db.insertInto("fruit").values({ name: "pear" }).execute();
  expect(await all()).toEqual([{ name: "apple" }, { name: "pear" }]);
});

test("a statement has the new columns after a change of the schema", async () => {
  await all();
  await sql`alter table fruit add column colour text`.execute(db);
  expect(await all()).toEqual([{ name: "apple", colour: null }]);
  await sql`drop table fruit`.execute(db);
  await sql`create table fruit (weight integer)`.execute(db);
  await sql`insert into fruit (weight) values (3)`.execute(db);
  expect(await all()).toEqual([{ weight: 3 }]);
});

test("a statement that failed works again", async () => {
  await sql`create unique index fruit_name on fruit (name)`.execute(db);
  const add = (name: string) => db.insertInto("fruit").values({ name }).execute();
  await expect(add("apple")).rejects.toThrow(/UNIQUE/u);
  await add("pear");
  expect(await all()).toHaveLength(2);
});

test("more texts than are kept all work", async () => {
  for (let at = 0; at < 600; at += 1) {
    expect((await sql<{ at: number }>`select ${sql.lit(at)} as at`.execute(db)).rows).toEqual([{ at }]);
  }
  expect(await all()).toHaveLength(1);
});

test("the observer sees every statement with its transaction", async () => {
  seen.length = 0;
  await db.transaction().execute((tx) => tx.insertInto("fruit").values({ name: "pear" }).execute());
  expect(seen).toEqual(["begin", 'insert into "fruit" ("name") values (?)', "commit"]);
});
