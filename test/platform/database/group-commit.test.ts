import { copyFileSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { setImmediate as nextTurn } from "node:timers/promises";
import { type Kysely, sql } from "kysely";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { databaseTroubleOf } from "../../../src/platform/database/database-trouble.ts";
import { aheadOf, openSqlite, type SqliteOptions } from "../../../src/platform/database/sqlite.ts";
import { syncedFile } from "../../../src/platform/database/group-commit.ts";

type Tables = { readonly fruit: { readonly name: string } };

let folder: string;
let db: Kysely<Tables> | undefined;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "gantry-commit-"));
});

afterEach(async () => {
  await db?.destroy();
  db = undefined;
  rmSync(folder, { recursive: true, force: true });
});

type Disk = NonNullable<SqliteOptions["onDisk"]>;

/** A disk that writes when it is told to. */
function slowDisk() {
  const waits: PromiseWithResolvers<void>[] = [];
  const onDisk: Disk = () => {
    const wait = Promise.withResolvers<void>();
    waits.push(wait);
    return wait.promise;
  };
  return { waits, onDisk };
}

/** A table of fruit in a file, on this disk from now on. */
async function fruit(onDisk: Disk) {
  const file = join(folder, "fruit.sqlite");
  const before = new DatabaseSync(file);
  before.exec("create table fruit (name text unique)");
  before.close();
  const opened = openSqlite<Tables>(file, { onDisk });
  db = opened;
  const done: string[] = [];
  const add = (name: string): Promise<unknown> =>
    opened
      .insertInto("fruit")
      .values({ name })
      .execute()
      .then(() => done.push(name));
  const names = async () => (await opened.selectFrom("fruit").select("name").execute()).map(({ name }) => name);
  return { db: opened, add, done, names };
}

test("a row counts as written once it is on disk, and reads don't wait for it", async () => {
  const { waits, onDisk } = slowDisk();
  const { add, done, names } = await fruit(onDisk);

  const adding = add("apple");
  const seen = await names();
  await nextTurn();
  const doneBefore = [...done];
  waits[0]?.resolve();
  await adding;

  expect(seen).toEqual(["apple"]);
  expect(doneBefore).toEqual([]);
  expect(waits).toHaveLength(1);
});

test("a transaction that writes for long lets others have their turns in between", async () => {
  const { db: opened } = await fruit(() => Promise.resolve());
  const others = { turns: 0, isOver: false };
  const waiting = (async () => {
    for (; !others.isOver; others.turns += 1) await nextTurn();
  })();

  const turns = await opened.transaction().execute(async (tx) => {
    const before = others.turns;
    for (let row = 0; row < 50_000 && others.turns - before < 3; row += 1)
      await tx
        .insertInto("fruit")
        .values({ name: `apple ${row}` })
        .execute();
    return others.turns - before;
  });
  others.isOver = true;
  await waiting;

  expect(turns).toBe(3);
});

test("rows that are written while one waits for the disk wait together, and not for the wait before", async () => {
  const { waits, onDisk } = slowDisk();
  const { add, done } = await fruit(onDisk);

  const first = add("apple");
  await nextTurn();
  const others = [add("pear"), add("plum"), add("fig")];
  await nextTurn();
  waits[0]?.resolve();
  await first;
  await nextTurn();
  const doneBefore = [...done];
  waits[1]?.resolve();
  await Promise.all(others);

  expect(doneBefore).toEqual(["apple"]);
  expect(waits).toHaveLength(2);
});

test("a write ahead doesn't wait for the disk, and the next one that waits comes after it", async () => {
  const { waits, onDisk } = slowDisk();
  const { db: opened, add, done, names } = await fruit(onDisk);

  await aheadOf(opened)
    .transaction()
    .execute((tx) => tx.insertInto("fruit").values({ name: "apple" }).execute());
  const begun = waits.length;
  const adding = add("pear");
  const seen = await names();
  await nextTurn();
  const doneBefore = [...done];
  waits[0]?.resolve();
  await adding;

  expect(begun).toBe(0);
  expect(seen).toEqual(["apple", "pear"]);
  expect(doneBefore).toEqual([]);
});

/** What a copy of the database without its WAL holds. */
function inDatabaseAlone(): readonly string[] {
  const copy = join(folder, "copy.sqlite");
  copyFileSync(join(folder, "fruit.sqlite"), copy);
  const database = new DatabaseSync(copy, { readOnly: true });
  const names = database.prepare("select name from fruit").all();
  database.close();
  return names.map(({ name }) => String(name));
}

test("a thread checkpoints the WAL long before a commit has to", async () => {
  const { add } = await fruit(() => Promise.resolve());

  for (let number = 0; number < 200; number += 1) await add(`apple ${number}`);

  await vi.waitFor(() => expect(inDatabaseAlone()).toContain("apple 100"), { timeout: 20_000 });
});

test("a busy database is one file once it is closed", async () => {
  const { db: opened, add } = await fruit(() => Promise.resolve());
  for (let number = 0; number < 200; number += 1) await add(`apple ${number}`);

  await opened.destroy();
  db = undefined;

  expect(readdirSync(folder)).toEqual(["fruit.sqlite"]);
  expect(inDatabaseAlone()).toHaveLength(200);
});

test("of transactions at the same time, one that fails takes back its own rows only", async () => {
  const { db: opened, add, names } = await fruit(() => Promise.resolve());
  const addTwo = (one: string, other: string) =>
    opened.transaction().execute(async (tx) => {
      await tx.insertInto("fruit").values({ name: one }).execute();
      await tx.insertInto("fruit").values({ name: other }).execute();
    });

  const results = await Promise.allSettled([addTwo("apple", "pear"), addTwo("fig", "apple"), add("plum")]);

  expect(results.map(({ status }) => status)).toEqual(["fulfilled", "rejected", "fulfilled"]);
  expect((await names()).toSorted()).toEqual(["apple", "pear", "plum"]);
});

test("an insert that finds its row there already waits until that row is on disk", async () => {
  const { waits, onDisk } = slowDisk();
  const { db: opened, add, done } = await fruit(onDisk);
  const adding = add("apple");
  const again = sql`insert into fruit (name) values ('apple') on conflict do nothing`
    .execute(opened)
    .then(() => done.push("again"));

  await nextTurn();
  const doneBefore = [...done];
  waits[0]?.resolve();
  await nextTurn();
  waits[1]?.resolve();
  await Promise.all([adding, again]);

  expect(doneBefore).toEqual([]);
});

test("a disk that fails is named as the reason, and the next row is tried on it again", async () => {
  const { waits, onDisk } = slowDisk();
  const { add } = await fruit(onDisk);
  const failing = add("apple").catch((error: unknown) => error);
  await nextTurn();
  waits[0]?.reject(new Error("EIO"));

  const error = await failing;
  const next = add("pear");
  await nextTurn();
  waits[1]?.resolve();
  await next;

  expect(error instanceof Error && databaseTroubleOf(error, "GANTRY_DATA")).toBe("it can't read or write its disk");
});

test("a close waits for the disk", async () => {
  const { waits, onDisk } = slowDisk();
  const path = join(folder, "file");
  writeFileSync(path, "");
  const file = syncedFile(path, onDisk);
  let isClosed = false;

  const syncing = file.sync();
  const closing = file.close().then(() => (isClosed = true));
  await nextTurn();
  const wasClosed = isClosed;
  waits[0]?.resolve();
  await Promise.all([syncing, closing]);

  expect(wasClosed).toBe(false);
});
