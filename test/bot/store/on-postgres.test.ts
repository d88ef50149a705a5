import { setImmediate as nextTurn } from "node:timers/promises";
import { pino } from "pino";
import { type Kysely, sql } from "kysely";
import { afterAll, describe, expect, test } from "vitest";
import { createSealer, newKey, readKeyring } from "../../../src/bot/accounts/seal.ts";
import { markRestored } from "../../../src/bot/compose/data/backup.ts";
import { openPostgres } from "../../../src/platform/database/postgres.ts";
import { migrations } from "../../../src/bot/store/schema/migrations.ts";
import { inspectStore } from "../../../src/bot/store/database/inspect.ts";
import { openStore, type OpenStore } from "../../../src/bot/store/open-store.ts";
import { emptyAfterMigrating } from "./support/emptied.ts";
import { type Steps, withSteps } from "./support/steps.ts";
import { StoreError } from "../../../src/bot/errors.ts";
import type { Tables } from "../../../src/bot/store/schema/tables.ts";
import { newDatabase, startPostgres } from "../../support/postgres.ts";
import { approvedChange, event, pendingChange, takeOne, deliveryOf } from "./contract/bench.ts";
import { contract } from "./contract/contract.ts";
import { olderDatabase, upgrades } from "./contract/upgrades.ts";

// The name of the skipped suite says why it was skipped.
const server = await startPostgres();
const reason = "missing" in server ? ` (${server.missing})` : "";
const { url, down, up, stop } = "missing" in server ? { url: "", ...noServer() } : server;
afterAll(stop);

function noServer() {
  const nothing = async () => {};
  return { down: nothing, up: nothing, stop: nothing };
}

const log = pino({ level: "silent" });
// A busy machine is no database that is away.
const limits = { poolSize: 5, statementTimeoutMs: 60_000, connectWithinMs: 60_000 };

/** A new database on the server, and a look into it from outside. */
async function fresh() {
  const address = await newDatabase(url);
  const db = openPostgres<Tables>({ url: address, ...limits }, () => {});
  return { where: { kind: "postgres" as const, url: address, ...limits }, db, remove: () => db.destroy() }; // a literal kind
}

describe.skipIf("missing" in server)(`on a real server${reason}`, () => {
  let shared: (Awaited<ReturnType<typeof fresh>> & { readonly empty: () => Promise<void> }) | undefined;
  afterAll(() => shared?.remove());
  contract("the store on PostgreSQL", async () => {
    if (shared === undefined) {
      const made = await fresh();
      shared = { ...made, empty: emptyAfterMigrating(made.db) };
    }
    await shared.empty();
    return { ...shared, remove: async () => {} };
  });

  test("two replicas that start together on an empty database migrate it once", async () => {
    const { where, db, remove } = await fresh();

    const stores = await Promise.all(
      Array.from({ length: 6 }, (_, at) => openStore({ ...where, replicaId: `r${at}`, log })),
    );

    const { rows } = await sql<{ number: number }>`select number from migration order by number`.execute(db);
    expect(rows.map(({ number }) => number)).toEqual(migrations.map((_, at) => at + 1));
    for (const store of stores) await store.close();
    await remove();
  });

  test("a database that became read-only: the doctor and a running Gantry see it, and that it is over", async () => {
    const { where, db, remove } = await fresh();
    const store = await openStore({ ...where, replicaId: "a", log });
    const name = sql.ref(new URL(where.url).pathname.slice(1));
    const told = async () => {
      // Of connections that are open, only new transactions of new ones see it.
      await sql`select pg_terminate_backend(pid) from pg_stat_activity
        where datname = current_database() and pid <> pg_backend_pid()`.execute(db);
      await expect.poll(() => store.callsOn({ teamId: "T1", username: "acme", day: "2026-11-28" })).toBe(0);
      const look = await inspectStore({ ...where, tls: "off" }, { username: undefined, day: "2026-11-28" });
      const own = (await store.inspect()).database.refusesWrites;
      return [(await store.trouble())?.why, own, look?.inspection.database.refusesWrites];
    };
    const before = await told();

    await sql`alter database ${name} set default_transaction_read_only = on`.execute(db);
    const during = await told();
    await sql`alter database ${name} reset default_transaction_read_only`.execute(db);
    const after = await told();

    const why = "it is read-only (25006)";
    expect({ before, during, after }).toEqual({
      before: [undefined, undefined, undefined],
      during: [why, why, why],
      after: [undefined, undefined, undefined],
    });
    await store.close();
    await remove();
  });

  test("a database that was restored in another way is marked while nothing runs, and then nothing is sent again", async () => {
    const { where, remove } = await fresh();
    const store = withSteps(await openStore({ ...where, replicaId: "before", log }));
    await store.addChange(approvedChange("AAA111"), event("requested"));
    const settings = { ...where, tls: "off" } as const; // a literal
    const takenAt = new Date("2026-11-26T03:00:00Z");

    await expect(markRestored(settings, takenAt)).rejects.toThrow(/A replica runs with this database. Stop/u);
    await store.close();
    expect(await markRestored(settings, takenAt)).toContain("Marked the database as restored");
    const stores = await Promise.all(["a", "b"].map((replicaId) => openStore({ ...where, replicaId, log })));

    const [after] = stores.map(withSteps);
    expect(await after?.findChange("AAA111")).toMatchObject({
      state: "unknown",
      ending: { outcome: { why: expect.stringContaining("backup of 2026-11-26 03:00 UTC") } },
    });
    expect(await after?.openChanges()).toEqual([]);
    const told = await after?.history({ teamId: "T1", limit: 9 });
    expect(told?.map(({ kind }) => kind)).toEqual(["unknown", "requested"]);
    for (const each of stores) await each.close();
    await remove();
  });

  test("a card that is stored while its channel gets another id is stored in the new one", async () => {
    const { where, db, remove } = await fresh();
    const store = withSteps(await openStore({ ...where, replicaId: "a", log }));
    await store.addChange(pendingChange("AAA111"), event("requested"));
    const due = await takeOne(store, "post");
    if (due === undefined) throw new Error("there is no card to draw");

    // As a move does: the lease, then the message.
    const saving = await db.transaction().execute(async (tx) => {
      await tx.updateTable("due").set({ token: null }).where("key", "=", "AAA111").execute();
      await tx.updateTable("post").set({ place: "C2" }).where("id", "=", "AAA111").execute();
      const begun = { saved: store.savePost(due, { card: { channelId: "C1", ts: "1.1" }, isOver: true }) };
      while (!(await isLocked(db))) await nextTurn();
      return begun;
    });

    // It has no other card, so this one is kept.
    expect(await saving.saved).toBe("adopted");
    expect(await store.postOf(due)).toMatchObject({ place: "C2", card: { channelId: "C2", ts: "1.1" } });
    await store.close();
    await remove();
  });

  test("a list that nobody watches any more is left while its round ends", async () => {
    const { where, db, remove } = await fresh();
    const store = withSteps(await openStore({ ...where, replicaId: "a", log }));
    const list = { team_id: "T1", account: "acme", region: "beijing1", kind: "service" as const }; // a literal kind
    const key = JSON.stringify(Object.values(list));
    const at = new Date().toISOString();
    await db
      .insertInto("observation")
      .values({ ...list, every_ms: 0, version: 0 })
      .execute();
    await db.insertInto("due").values({ kind: "round", key, team_id: "T1", at, created_at: at, attempts: 0 }).execute();

    // As a round's end does: the lease, then the list.
    const leaving = await db.transaction().execute(async (tx) => {
      await tx.updateTable("due").set({ token: null }).where("key", "=", key).execute();
      const begun = { synced: store.syncRounds("us") };
      while (!(await isLocked(db))) await nextTurn();
      await tx.updateTable("observation").set({ version: 1 }).execute();
      return begun;
    });

    await leaving.synced;
    expect(await db.selectFrom("observation").selectAll().execute()).toEqual([]);
    expect(await db.selectFrom("due").selectAll().execute()).not.toContainEqual(expect.objectContaining({ key }));
    await store.close();
    await remove();
  });

  test.each([
    ["at once", "10ms"],
    ["too late", "1h"],
  ])("a deadlock that the server looks for %s doesn't keep anybody from what they do, once", async (_, timeout) => {
    const { where, db, remove } = await fresh();
    const name = sql.ref(new URL(where.url).pathname.slice(1));
    await sql`alter database ${name} set deadlock_timeout = ${sql.lit(timeout)}`.execute(db);
    const store = withSteps(await openStore({ ...where, statementTimeoutMs: 2_000, replicaId: "a", log }));
    await store.addChange(pendingChange("AAA111"), event("requested"));
    const before = await store.findChange("AAA111");
    const other = await db.startTransaction().execute();
    // The server ends the transaction whose connection finds the deadlock: here the store's.
    await sql`set local deadlock_timeout = '1h'`.execute(other);
    await sql`lock table event in share mode`.execute(other);
    const first = await db.startTransaction().execute();
    await first.updateTable("due").set({ attempts: 0 }).execute();

    // It has the request's row, and waits for `first`, then for `other`, which waits for the request's row.
    const adding = store.addEvent({ ...event("health"), changeId: "AAA111" });
    while (!(await isLocked(db))) await nextTurn();
    const moving = other.updateTable("change").set({ notice: "by another" }).execute();
    while (!(await isLocked(db, 2))) await nextTurn();
    await first.commit().execute();
    await moving;
    await other.commit().execute();

    await adding;
    expect((await store.history({ teamId: "T1", limit: 9 })).map(({ kind }) => kind)).toEqual(["health", "requested"]);
    const version = (before?.version ?? 0) + 1;
    expect(await store.findChange("AAA111")).toMatchObject({ version, notice: "by another" });
    await store.close();
    await remove();
  });

  upgrades("an upgrade on PostgreSQL", fresh);

  test("an upgrade waits for a replica that has just begun to start", async () => {
    const { start, clock, schema, db, where } = await olderDatabase(await fresh(), { at: migrations.length });
    const sealer = createSealer(readKeyring(newKey()));
    const holding = await db.startTransaction().execute();
    await sql`lock table audit_chain in access exclusive mode`.execute(holding);
    const beginning = openStore({ ...where, replicaId: "beginning", leaseMs: 60_000, sealer, log });
    while (!(await isLocked(db))) await nextTurn();
    await db.deleteFrom("migration").where("number", "=", migrations.length).execute();

    const ended = start();
    await Promise.race([clock.sleeper(), ended]);
    clock.jumpMs(30_000);

    expect(await ended).toContain("a replica of an older version still uses it: beginning");
    expect(await schema()).toBe(migrations.length - 1);
    await holding.rollback().execute();
    await (await beginning).close();
  });

  test("data of a newer program is refused, with what to do", async () => {
    const { where, db, remove } = await fresh();
    await (await openStore({ ...where, replicaId: "a", log })).close();
    await db.insertInto("migration").values({ number: 99, title: "of tomorrow", applied_at: "2027" }).execute();

    const opened = openStore({ ...where, replicaId: "a", log });

    await expect(opened).rejects.toThrow(/newer Gantry \(schema 99.*Start that version.*DATABASE_URL/u);
    await remove();
  });

  test("the server goes down and comes back: a StoreError meanwhile, and no restart of Gantry", async () => {
    const { where, db, remove } = await fresh();
    const store = withSteps(await openStore({ ...where, replicaId: "a", log }));
    await store.addChange(approvedChange("AAA111"), event("requested"));
    await db.selectFrom("change").selectAll().execute();

    await down();
    const lost = await errorsOf(store);
    const trouble = await store.trouble();
    await up();

    expect(lost.every((error) => error instanceof StoreError)).toBe(true);
    expect(lost.map(String).join()).not.toContain(new URL(url).password);
    expect(trouble?.why).toMatch(/^it (?:can't be reached|is stopping or starting)/u);
    await expect.poll(() => store.trouble(), { timeout: 10_000 }).toBeUndefined();
    expect(await store.findChange("AAA111")).toMatchObject({ state: "approved" });
    // Its lease ends while the server is away for long, as on a busy machine; it is renewed all the time.
    await store.beat();
    expect((await store.claim("AAA111", event("claimed"))).kind).toBe("claimed");
    await store.close();
    await remove();
  });

  test("connections that the server ends, also between two statements, do not end the process", async () => {
    const { where, db, remove } = await fresh();
    const store = withSteps(await openStore({ ...where, replicaId: "a", log }));
    await Promise.all(Array.from({ length: 5 }, () => store.trouble()));

    await sql`select pg_terminate_backend(pid) from pg_stat_activity
      where application_name = 'gantry' and pid <> pg_backend_pid()`.execute(db);

    await expect.poll(() => store.trouble(), { timeout: 10_000 }).toBeUndefined();
    await store.close();
    await remove();
  });

  test("a database that is too slow is a StoreError after the time that is configured, and is used again", async () => {
    const { where, db, remove } = await fresh();
    const store = withSteps(await openStore({ ...where, statementTimeoutMs: 200, replicaId: "a", log }));
    await store.addChange(approvedChange("AAA111"), event("requested"));

    await db.transaction().execute(async (tx) => {
      await sql`lock table change in access exclusive mode`.execute(tx);
      const slow = await store.findChange("AAA111").catch((error: unknown) => error);
      expect(slow).toBeInstanceOf(StoreError);
      expect(String(slow)).toContain("didn't answer in time");
      expect(await store.claim("AAA111", event("claimed")).catch((error: unknown) => error)).toBeInstanceOf(StoreError);
    });

    expect((await store.claim("AAA111", event("claimed"))).kind).toBe("claimed");
    await store.close();
    await remove();
  });

  test("a replica that is frozen in a transaction does not keep the others from a row", async () => {
    const { where, remove } = await fresh();
    const store = withSteps(await openStore({ ...where, replicaId: "a", log }));
    await store.addChange(approvedChange("AAA111"), event("requested"));
    const frozen = openPostgres<Tables>({ ...where, statementTimeoutMs: 200 }, () => {});

    const held = await frozen.startTransaction().execute();
    await held.updateTable("change").set({ version: 7 }).execute();
    const claimed = await store.claim("AAA111", event("claimed"));

    expect(claimed).toMatchObject({ kind: "claimed", change: { version: 2 } });
    await expect(held.commit().execute()).rejects.toThrow(/terminat|not queryable|connection/iu);
    await held
      .rollback()
      .execute()
      .catch(() => "it was rolled back by the server");
    await frozen.destroy();
    await store.close();
    await remove();
  });

  test.each([
    ["a wrong password", (address: URL) => (address.password = "wrong-pass-1"), /rejected the user or password/u],
    [
      "a database that is not there",
      (address: URL) => (address.pathname = "/nowhere"),
      /database in DATABASE_URL doesn't exist/u,
    ],
    ["a port where nobody listens", (address: URL) => (address.port = "1"), /can't be reached \(ECONNREFUSED\)/u],
  ])("%s is said when Gantry starts, without the password", async (_, spoil, sentence) => {
    const address = new URL(url);
    spoil(address);

    const error = await failure({ kind: "postgres", url: address.href, ...limits, replicaId: "a", log });

    expect(error).toBeInstanceOf(StoreError);
    expect(error.message).toMatch(sentence);
    expect(error.message).not.toContain(address.password);
  });

  test("requested TLS that the server lacks is an error, both by settings and by URL alone", async () => {
    const { where, remove } = await fresh();
    const common = { ...where, replicaId: "a", log };

    const refused = await failure({ ...common, tls: { rejectUnauthorized: true } });
    const byAddress = await failure({ ...common, url: `${where.url}?sslmode=verify-full` });

    expect(refused.message).toContain("doesn't support TLS");
    expect(byAddress.message).toContain("doesn't support TLS");
    await remove();
  });
});

test.each(["postgres://u:p@ss:wo/rd@h/db", "mysql://user:pass-word@host/db", "host=db password=pass-word", ""])(
  "an address that is none is refused without being repeated: %s",
  async (address) => {
    const error = await failure({ kind: "postgres", url: address, ...limits, replicaId: "a", log });

    expect(error.message).toMatch(/^DATABASE_URL is no address of a PostgreSQL database\. Write it as/u);
    expect(error.message).not.toMatch(/ss:wo|pass-word/u);
  },
);

/** Whether as many wait for a lock. */
async function isLocked(db: Kysely<Tables>, waiting = 1): Promise<boolean> {
  const { rows } = await sql`select pid from pg_stat_activity
    where datname = current_database() and wait_event_type = 'Lock'`.execute(db);
  return rows.length === waiting;
}

async function failure(options: OpenStore): Promise<Error> {
  try {
    await (await openStore(options)).close();
  } catch (error) {
    if (error instanceof Error) return error;
  }
  throw new Error("it was opened");
}

function errorsOf(store: Steps): Promise<readonly unknown[]> {
  const calls = [
    () => store.beat(),
    () => store.accept(deliveryOf("d1")),
    () => store.findChange("AAA111"),
    () => store.claim("AAA111", event("claimed")),
    () => store.openChanges(),
    () => store.history({ teamId: "T1", limit: 1 }),
  ];
  return Promise.all(
    calls.map((call) =>
      call().then(
        () => "it answered",
        (error: unknown) => error,
      ),
    ),
  );
}
