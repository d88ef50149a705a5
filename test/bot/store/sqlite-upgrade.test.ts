import { mkdirSync } from "node:fs";
import { sql } from "kysely";
import { pino } from "pino";
import { expect, test } from "vitest";
import { newKey, readKeyring, createSealer } from "../../../src/bot/accounts/seal.ts";
import { openSqlite } from "../../../src/platform/database/sqlite.ts";
import { clockOf } from "../../../src/bot/store/database/session.ts";
import { textSealer } from "../../../src/bot/store/database/text-sealer.ts";
import { migrate, migrations } from "../../../src/bot/store/schema/migrations.ts";
import { openStore } from "../../../src/bot/store/open-store.ts";
import type { Tables } from "../../../src/bot/store/schema/tables.ts";
import { approvedChange, event, ofId, pendingChange, deliveryOf, takeOne } from "./contract/bench.ts";
import { someOf } from "../../support/full-run.ts";
import { cleanUps, folder, look, open } from "./support/sqlite-folder.ts";
import { olderSchema } from "./support/older-schema.ts";
import { withSteps } from "./support/steps.ts";
import { upgradedFrom } from "./support/upgraded.ts";

test("unsealed text from an older Gantry is readable, and so is new, sealed text", async () => {
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

test("text whose key is gone reads as a placeholder, and the rest of the row is there", async () => {
  const dir = folder();
  const before = await open(dir, createSealer(readKeyring(newKey())));
  await before.addChange({ ...approvedChange("AAA111"), reason: "because" }, event("requested"));
  await before.close();

  const after = await open(dir, createSealer(readKeyring(newKey())));

  const lost = "(can't be read: the key that sealed this is gone)";
  expect(await after.findChange("AAA111")).toMatchObject({ state: "approved", reason: lost, diff: [lost] });
  expect(await after.history({ teamId: "T1", limit: 1 })).toMatchObject([{ kind: "requested", result: lost }]);
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
  await migrations[0]?.up({ db, flavour: "sqlite", textSealer: textSealer(undefined) });
  await db.insertInto("migration").values({ number: 1, title: "of then", applied_at: "2026" }).execute();
  await sql`insert into delivery values ('d1', '2026-11-21T10:00:00.000Z')`.execute(db);
  await sql`insert into run values ('r1', 'd1', 'scale', 'U1', 'C1', 'https://example.invalid', null, null, null,
    'claimed', '2026-11-21T10:00:00.000Z', null, null)`.execute(db);

  const store = await open(dir);

  expect(await store.accept(deliveryOf("d1"))).toBeUndefined();
  expect(await takeOne(store, "delivery")).toBeUndefined();
  await expect(sql`select * from run`.execute(db)).rejects.toThrow(/no such table/u);
});

/** A scale that was approved, as an older Gantry stored it. */
function olderChange(id: string, undoOf?: string): string {
  return `insert into change (id, delivery_id, state, version, team_id, requester_id, requester_name, channel_id, verb, op, workload_kind,
    workload_region, workload_name, risk, diff, digest, sealed, account_owner, account_username, rule, break_glass, undo_of, is_undone,
    created_at, approved_at, posts, drawn_version, told_seq, stale, nowhere)
    values ('${id}', 'delivery-${id}', 'approved', 1, 'T1', 'U1', 'Ann Lee', 'C1', 'scale', 'updateService', 'service',
    'us', 'web-${id}', 'routine', '["instances 6 → 2"]', 'digest-1', 'sealed-1', '{"kind":"workspace"}', 'acme', 'two eyes', 0,
    ${undoOf === undefined ? "null" : `'${undoOf}'`}, 0, '2026-01-01T00:00:00.000Z', '2026-01-01T00:00:00.000Z', 0, 0, 0, 1, 0)`;
}

test("data from before channels could be bound keeps what it has, and channels can be bound", async () => {
  const { store } = await upgradedFrom("bindings of channels, settings of people", [olderChange("AAA111")]);

  const terms = { region: "us", isLocked: false, boundBy: { userId: "U1", name: "Ann Lee" } };
  expect(await store.bind({ teamId: "T1", channelId: "C1" }, terms, event("bound"))).toBe(true);
  expect(await store.find({ id: "AAA111" })).toMatchObject({ state: "approved" });
});

test("data with two Undos of one change is migrated", async () => {
  const undos = [olderChange("BBB222", "AAA111"), olderChange("CCC333", "AAA111")];
  const { store } = await upgradedFrom("one undo for each change, one card for equal requests", [
    olderChange("AAA111"),
    ...undos,
  ]);

  expect(ofId(await withSteps(store).openChanges()).toSorted()).toEqual(["AAA111", "BBB222", "CCC333"]);
  const third = approvedChange("DDD444", { undoOf: "AAA111" });
  expect(await store.insertChange(third, event("requested"))).toMatchObject({
    change: { id: expect.stringMatching(/BBB222|CCC333/u) },
  });
});

test("requests from before one could be about several workloads are read, and new ones can be", async () => {
  const { store } = await upgradedFrom("several workloads in one request", [olderChange("AAA111")]);

  expect((await store.find({ id: "AAA111" }))?.parts).toBeUndefined();
  const parts = [approvedChange(""), approvedChange("")];
  await store.insertChange(approvedChange("BBB222", { parts }), event("requested"));
  expect((await store.find({ id: "BBB222" }))?.parts).toHaveLength(2);
  expect(ofId(await withSteps(store).openChanges())).toEqual(["AAA111"]);
});

// The newest first: in a plain `npm test` it is always among them.
test.each(someOf(migrations.map(({ title }, at) => ({ schema: at + 1, title })).toReversed(), 1, 5))(
  "a database of schema $schema ($title) is brought up to date, also when two replicas start at once",
  async ({ schema }) => {
    const db = openSqlite<Tables>(":memory:");
    cleanUps.push(() => db.destroy());
    const flavour = "sqlite" as const; // a literal flavour
    await olderSchema(db, flavour, schema);
    const sealer = createSealer(readKeyring(newKey()));
    const log = pino({ level: "silent" });
    const start = (replicaId: string) => openStore({ kind: "shared", db, flavour, replicaId, log, sealer });

    const [one, other] = await Promise.all([start("one"), start("other")]);

    await one.addEvent(event("bound"));
    await Promise.all([one.sealHistory(), other.sealHistory()]);
    const applied = await db.selectFrom("migration").select("number").orderBy("number").execute();
    expect(applied.map(({ number }) => number)).toEqual(migrations.map((_, at) => at + 1));
    expect(await other.history({ teamId: "T1", limit: 9 })).toMatchObject([{ kind: "bound" }]);
    await one.close();
    await other.close();
  },
);

test("a replica that didn't say that it stopped keeps no newer version from a folder, which has one process", async () => {
  const dir = folder();
  mkdirSync(dir, { recursive: true });
  const db = look(dir);
  await olderSchema(db, "sqlite", migrations.length - 1);
  await db.insertInto("replica").values({ id: "killed", alive_until: "2999-01-01T00:00:00.000Z" }).execute();

  await open(dir);

  const applied = await db.selectFrom("migration").select("number").execute();
  expect(applied).toHaveLength(migrations.length);
});

test("a migration that fails leaves nothing behind", async () => {
  const db = openSqlite<Tables>(":memory:");
  cleanUps.push(() => db.destroy());
  const flavour = "sqlite" as const; // a literal flavour
  const session = { db, flavour, clock: clockOf(flavour, () => 0), textSealer: textSealer(undefined) };
  await sql`create table vote (in_the_way text)`.execute(db);

  await expect(migrate(session)).rejects.toThrow(/vote already exists/u);
  await sql`drop table vote`.execute(db);
  await migrate(session);

  const applied = await db.selectFrom("migration").select("number").execute();
  expect(applied.map(({ number }) => number)).toEqual(migrations.map((_, at) => at + 1));
});
