import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { sql } from "kysely";
import { afterEach, expect, test } from "vitest";
import { openSqlite } from "../../src/sqlite.ts";
import { openStore, type Store } from "../../src/store/store.ts";
import type { Tables } from "../../src/store/tables.ts";

const cleanUps: (() => Promise<void> | void)[] = [];
afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).toReversed()) await cleanUp();
});

function folder(): string {
  const dir = mkdtempSync(join(tmpdir(), "gantry-store-"));
  cleanUps.push(() => rmSync(dir, { recursive: true, force: true }));
  return dir;
}

async function open(dir = folder(), now = () => new Date("2026-11-21T10:00:00Z")): Promise<Store> {
  const store = await openStore(dir, now);
  cleanUps.push(store.close);
  return store;
}

const run = {
  id: "r1",
  deliveryId: "d1",
  verb: "restart",
  userId: "U1",
  channelId: "C1",
  responseUrl: "https://hooks.slack.com/1",
  at: new Date("2026-11-21T10:00:00Z"),
};
const later = new Date("2026-11-21T10:00:05Z");

test("a delivery is accepted once, and a second one leaves nothing behind", async () => {
  const store = await open();

  expect(await store.acceptWrite(run)).toBe(true);
  expect(await store.acceptWrite({ ...run, id: "r2" })).toBe(false);
  expect((await store.openRuns()).map(({ id }) => id)).toEqual(["r1"]);
});

test("of many deliveries of the same write at once, one wins", async () => {
  const store = await open();

  const accepted = await Promise.all(
    Array.from({ length: 20 }, (_, at) => store.acceptWrite({ ...run, id: `r${at}` })),
  );

  expect(accepted.filter(Boolean)).toHaveLength(1);
  expect(await store.openRuns()).toHaveLength(1);
});

test("delivery and run are stored together or not at all", async () => {
  const store = await open();
  await store.acceptWrite(run);

  // The run's id is taken, so the delivery must not be kept either.
  await expect(store.acceptWrite({ ...run, deliveryId: "d2" })).rejects.toThrow(/UNIQUE/u);

  expect(await store.acceptWrite({ ...run, id: "r2", deliveryId: "d2" })).toBe(true);
});

test("a run is claimed once, whoever asks", async () => {
  const store = await open();
  await store.acceptWrite(run);

  const claims = await Promise.all(Array.from({ length: 10 }, () => store.claimRun("r1", later)));

  expect(claims.filter(Boolean)).toHaveLength(1);
  expect(await store.findRun("r1")).toMatchObject({ state: "claimed", claimed_at: later.toISOString() });
  expect(await store.claimRun("nothing", later)).toBe(false);
});

test("how a run ended stands for good: it is not claimed or settled again", async () => {
  const store = await open();
  await store.acceptWrite(run);
  await store.aimRun("r1", { region: "beijing1", kind: "service", name: "web" });

  expect(await store.settleRun("r1", { state: "refused", at: later })).toBe(true);
  expect(await store.settleRun("r1", { state: "done", at: later })).toBe(false);
  expect(await store.claimRun("r1", later)).toBe(false);
  expect(await store.findRun("r1")).toEqual({
    id: "r1",
    delivery_id: "d1",
    verb: "restart",
    user_id: "U1",
    channel_id: "C1",
    response_url: "https://hooks.slack.com/1",
    region: "beijing1",
    kind: "service",
    name: "web",
    state: "refused",
    created_at: "2026-11-21T10:00:00.000Z",
    claimed_at: null,
    settled_at: later.toISOString(),
  });
  expect(await store.openRuns()).toEqual([]);
});

test("what was stored is there after it was closed and opened again, and a migration runs once", async () => {
  const dir = folder();
  const first = await open(dir);
  await first.acceptWrite(run);
  await first.close();

  const second = await open(dir);

  expect(await second.openRuns()).toHaveLength(1);
  expect(await second.acceptWrite({ ...run, id: "r2" })).toBe(false);
});

test("deliveries are forgotten after an hour, runs are not", async () => {
  let now = new Date("2026-11-21T10:00:00Z");
  const store = await open(folder(), () => now);
  await store.acceptWrite(run);

  now = new Date("2026-11-21T11:00:01Z");
  await store.settleRun("r1", { state: "done", at: now });

  expect(await store.findRun("r1")).toMatchObject({ state: "done" });
  await expect(store.acceptWrite({ ...run, id: "r2" })).rejects.toThrow(/UNIQUE.*delivery_id/u);
});

test("one folder is for one process", async () => {
  const dir = folder();
  const first = await open(dir);

  await expect(openStore(dir, () => new Date())).rejects.toThrow(/Another Gantry works with .*GANTRY_DATA/u);

  await first.close();
  await open(dir);
});

test("data of a newer program is refused, with what to do", async () => {
  const dir = folder();
  await (await open(dir)).close();
  const db = openSqlite<Tables>(join(dir, "gantry.sqlite"));
  await db.insertInto("migration").values({ number: 99, title: "of tomorrow", applied_at: "2027-01-01" }).execute();
  await db.destroy();

  await expect(openStore(dir, () => new Date())).rejects.toThrow(/newer Gantry \(schema 99.*Start that version/u);
});

test("a row that is none is a bug, not a surprise later", async () => {
  const dir = folder();
  const store = await open(dir);
  await store.acceptWrite(run);
  await store.close();
  const db = openSqlite<Tables>(join(dir, "gantry.sqlite"));
  await sql`update run set state = 'claimed', created_at = 'yesterday'`.execute(db);
  await db.destroy();

  const again = await open(dir);

  await expect(again.openRuns()).rejects.toThrow(/created_at/u);
});
