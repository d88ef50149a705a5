import { existsSync, mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Kysely, sql } from "kysely";
import { pino } from "pino";
import { afterEach, expect, test } from "vitest";
import { newKey, readKeyring } from "../../src/accounts/keyring.ts";
import { createSealer, type Sealer } from "../../src/accounts/seal.ts";
import { openSqlite } from "../../src/sqlite.ts";
import { clockOf } from "../../src/store/clock.ts";
import { migrate } from "../../src/store/migrate.ts";
import { migrations } from "../../src/store/migrations.ts";
import { openStore } from "../../src/store/open-store.ts";
import { StoreError } from "../../src/errors.ts";
import type { Store } from "../../src/store/store.ts";
import type { Tables } from "../../src/store/tables.ts";
import { approvedChange, event, ofId, pendingChange } from "./contract/bench.ts";

const cleanUps: (() => Promise<void> | void)[] = [];
afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).toReversed()) await cleanUp();
});

function folder(): string {
  const dir = join(mkdtempSync(join(tmpdir(), "gantry-store-")), "made", "for-it");
  cleanUps.push(() => rmSync(join(dir, "../.."), { recursive: true, force: true }));
  return dir;
}

let replicas = 0;
async function open(dataDir = folder(), sealer?: Sealer): Promise<Store> {
  replicas += 1;
  const common = { replicaId: `r${replicas}`, log: pino({ level: "silent" }), ...(sealer && { sealer }) };
  const store = await openStore({ kind: "sqlite", dataDir, ...common });
  cleanUps.push(store.close);
  return store;
}

function look(dir: string) {
  const db = openSqlite<Tables>(join(dir, "gantry.sqlite"));
  cleanUps.push(() => db.destroy());
  return db;
}

test("the folder is made, for this user alone, and what was stored is there the next time", async () => {
  const dir = folder();
  const first = await open(dir);
  await first.addChange(approvedChange("AAA111"), event("requested"));
  await first.accept({ id: "d1", sealed: "s" });
  await first.close();

  const second = await open(dir);

  expect(statSync(dir).mode & 0o777).toBe(0o700);
  expect(existsSync(join(dir, "gantry.sqlite"))).toBe(true);
  expect(await second.findChange("AAA111")).toMatchObject({ state: "approved" });
  expect(await second.accept({ id: "d1", sealed: "s" })).toBe(false);
});

test("words that an older Gantry stored unsealed are read, and new ones are sealed and read beside them", async () => {
  const dir = folder();
  const who = { userId: "U2", name: "Bob" };
  const older = await open(dir);
  const change = pendingChange("AAA111", { reason: "older reason", diff: ["older diff"] });
  await older.addChange(change, event("requested", { result: "older result" }));
  await older.reject("AAA111", { who, reason: "older no" }, event("rejected", { result: "older no" }));
  await older.close();

  const sealer = createSealer(readKeyring(newKey()));
  const newer = await open(dir, sealer);
  const next = pendingChange("BBB222", { reason: "newer reason", diff: ["newer diff"] });
  await newer.addChange(next, event("requested", { result: "newer result" }));
  await newer.reject("BBB222", { who, reason: "newer no" }, event("rejected", { result: "newer no" }));
  const results = (await newer.history({ teamId: "T1", limit: 9 })).map(({ result }) => result);

  expect(await newer.findChange("AAA111")).toMatchObject({
    reason: "older reason",
    diff: ["older diff"],
    ending: { kind: "rejected", reason: "older no" },
  });
  expect(await newer.findChange("BBB222")).toMatchObject({
    reason: "newer reason",
    diff: ["newer diff"],
    ending: { kind: "rejected", reason: "newer no" },
  });
  expect(results).toEqual(["newer no", "newer result", "older no", "older result"]);
  await newer.close();
  const raw = JSON.stringify(await look(dir).selectFrom("change").selectAll().execute());
  expect(raw).toContain("older reason");
  expect(raw).not.toMatch(/newer (?:reason|diff|no)/u);
});

test("words whose key is gone read as that, and the rest of the row is there", async () => {
  const dir = folder();
  const before = await open(dir, createSealer(readKeyring(newKey())));
  await before.addChange({ ...approvedChange("AAA111"), reason: "because" }, event("requested"));
  await before.close();

  const after = await open(dir, createSealer(readKeyring(newKey())));

  const lost = "(can't be read: the key that sealed this is gone)";
  expect(await after.findChange("AAA111")).toMatchObject({ state: "approved", reason: lost, diff: [lost] });
  expect(await after.history({ teamId: "T1", limit: 1 })).toMatchObject([{ kind: "requested", result: lost }]);
});

test("what a process left behind that was killed is the next one's at once: a folder has one process", async () => {
  const dir = folder();
  const first = await open(dir);
  await first.addChange(approvedChange("AAA111"), event("requested"));
  await first.accept({ id: "d1", sealed: "s" });
  await first.close();
  // Its row would still say that it lives, had it not been stopped in order.
  const db = look(dir);
  await db
    .insertInto("replica")
    .values({ id: `r${replicas}`, alive_until: "2999-01-01T00:00:00.000Z" })
    .execute();

  const second = await open(dir);

  expect(ofId(await second.openChanges())).toEqual(["AAA111"]);
  expect(await second.takeDeliveries()).toMatchObject([{ id: "d1" }]);
});

test("one folder is for one process", async () => {
  const dir = folder();
  const first = await open(dir);

  await expect(open(dir)).rejects.toThrow(/Another Gantry works with .*GANTRY_DATA/u);

  await first.close();
  await open(dir);
});

test("data of a newer program is refused, with what to do, and the folder is free again", async () => {
  const dir = folder();
  await (await open(dir)).close();
  const db = look(dir);
  await db.insertInto("migration").values({ number: 99, title: "of tomorrow", applied_at: "2027-01-01" }).execute();

  await expect(open(dir)).rejects.toThrow(/newer Gantry \(schema 99.*Start that version.*GANTRY_DATA/u);

  await db.deleteFrom("migration").where("number", "=", 99).execute();
  await open(dir);
});

test("data of the version before is brought up to date, and what was delivered then is still known", async () => {
  const dir = folder();
  const db = look(dir);
  await sql`create table migration (number integer primary key, title text not null, applied_at text not null)`.execute(
    db,
  );
  await migrations[0]?.up({ db, flavour: "sqlite" });
  await db.insertInto("migration").values({ number: 1, title: "of then", applied_at: "2026" }).execute();
  await sql`insert into delivery values ('d1', '2026-11-21T10:00:00.000Z')`.execute(db);
  await sql`insert into run values ('r1', 'd1', 'scale', 'U1', 'C1', 'https://example.invalid', null, null, null,
    'claimed', '2026-11-21T10:00:00.000Z', null, null)`.execute(db);

  const store = await open(dir);

  expect(await store.accept({ id: "d1", sealed: "s" })).toBe(false);
  expect(await store.takeDeliveries()).toEqual([]);
  await expect(sql`select * from run`.execute(db)).rejects.toThrow(/no such table/u);
});

test("data from before channels could be bound keeps what it has, and channels can be bound", async () => {
  const dir = folder();
  const before = await open(dir);
  await before.addChange(approvedChange("AAA111"), event("requested"));
  await before.close();
  const db = look(dir);
  for (const table of ["binding", "person_setting"]) await sql`drop table ${sql.ref(table)}`.execute(db);
  await withoutRivals(db);
  await db.deleteFrom("migration").where("number", ">", 2).execute();

  const after = await open(dir);

  const terms = { region: "us", isLocked: false, boundBy: { userId: "U1", name: "Ann Lee" } };
  expect(await after.bind({ teamId: "T1", channelId: "C1" }, terms, event("bound"))).toBe(true);
  expect(await after.findChange("AAA111")).toMatchObject({ state: "approved" });
});

test("data in which two Undos of one change were made at once is brought up to date", async () => {
  const dir = folder();
  const before = await open(dir);
  await before.addChange(approvedChange("AAA111"), event("requested"));
  await before.addChange(approvedChange("BBB222", { undoOf: "AAA111" }), event("requested"));
  await before.addChange(approvedChange("CCC333"), event("requested"));
  await before.close();
  const db = look(dir);
  await sql`update change set undo_of = 'AAA111' where id = 'CCC333'`.execute(db);
  await withoutRivals(db);
  await db.deleteFrom("migration").where("number", ">", 3).execute();

  const after = await open(dir);

  expect(ofId(await after.openChanges()).toSorted()).toEqual(["AAA111", "BBB222", "CCC333"]);
  const third = approvedChange("DDD444", { undoOf: "AAA111" });
  expect((await after.addChange(third, event("requested"))).id).toMatch(/BBB222|CCC333/u);
});

/** As the table was before the migration that adds them. */
async function withoutRivals(db: Kysely<Tables>): Promise<void> {
  for (const index of ["change_undo_key", "change_wait_key"]) await sql`drop index ${sql.ref(index)}`.execute(db);
  for (const column of ["undo_key", "wait_key", "notice"]) {
    await sql`alter table change drop column ${sql.ref(column)}`.execute(db);
  }
}

test("a migration that fails leaves nothing behind", async () => {
  const db = openSqlite<Tables>(":memory:");
  cleanUps.push(() => db.destroy());
  const session = { db, flavour: "sqlite" as const, clock: clockOf("sqlite", () => 0) }; // a literal flavour
  await sql`create table vote (in_the_way text)`.execute(db);

  await expect(migrate(session)).rejects.toThrow(/vote already exists/u);
  await sql`drop table vote`.execute(db);
  await migrate(session);

  const applied = await db.selectFrom("migration").select("number").execute();
  expect(applied.map(({ number }) => number)).toEqual(migrations.map((_, at) => at + 1));
});

test("a file that another program holds is a StoreError soon, and fine afterwards", async () => {
  const dir = folder();
  const store = await open(dir);
  const other = look(dir);
  await sql`begin immediate`.execute(other);

  const error = await store.accept({ id: "d1", sealed: "s" }).catch((caught: unknown) => caught);

  expect(error).toBeInstanceOf(StoreError);
  expect(String(error)).toContain("another program holds it locked");
  await sql`rollback`.execute(other);
  expect(await store.accept({ id: "d1", sealed: "s" })).toBe(true);
});

test("what is looked for every few seconds is found by an index, however much history there is", async () => {
  const dir = folder();
  await open(dir);
  const plan = async (where: string) => {
    const { rows } = await sql<{
      detail: string;
    }>`explain query plan select id from change where ${sql.raw(where)}`.execute(look(dir));
    return rows.map(({ detail }) => detail).join();
  };

  expect(
    await plan(`(state = 'approved' or state = 'claimed'
    or (state = 'unknown' and settled_at is null) or (state = 'done' and health is null)) and owner = 'x'`),
  ).toContain("change_open");
  expect(await plan("stale = 1 and nowhere = 0 and (drawing_until is null or drawing_until < 'x')")).toContain(
    "change_undrawn",
  );
  expect(await plan("state = 'pending' and expires_at <= 'x'")).toContain("change_pending");
  expect(
    await plan("undo_key = 'x' and state not in ('rejected', 'cancelled', 'expired', 'drifted', 'failed')"),
  ).toContain("change_undo_key");
  expect(await plan("wait_key = 'x' and state = 'pending' and wait_key is not null")).toContain("change_wait_key");
  expect(await plan("state = 'approved' and approved_at <= 'x'")).toContain("change_open");
});
