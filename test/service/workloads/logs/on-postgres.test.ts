import { sql } from "kysely";
import { afterAll, describe, expect, test } from "vitest";
import {
  type LogTables,
  createPostgresLogTables,
  LOG_SCHEMA,
} from "../../../../src/service/workloads/logs/log-tables.ts";
import { openLogStore } from "../../../../src/service/workloads/logs/open-log-store.ts";
import { openPostgres } from "../../../../src/platform/database/postgres.ts";
import { newDatabase, startPostgres } from "../../../support/postgres.ts";
import { until } from "../../../support/until.ts";
import { contract } from "./contract/contract.ts";
import { logsOver } from "./open-logs.ts";

// The name of the skipped suite says why it was skipped.
const server = await startPostgres();
const reason = "missing" in server ? ` (${server.missing})` : "";
const nothing = async () => {};
const { url, down, up, stop } = "missing" in server ? { url: "", down: nothing, up: nothing, stop: nothing } : server;
// A busy machine is no database that is away.
const limits = { poolSize: 3, statementTimeoutMs: 60_000, connectWithinMs: 60_000 };
const opened: { destroy: () => Promise<void> }[] = [];
afterAll(async () => {
  for (const db of opened) await db.destroy().catch(() => undefined);
  await stop();
});
/** The address of a new, empty database. */
const fresh = () => newDatabase(url);

const line = (cursor: string) => ({
  workload: "w",
  source: "pod/app",
  instance: "web-0",
  at: new Date("2026-11-20T12:00:00Z"),
  text: `line ${cursor}`,
  cursor,
});
const page = { workload: "w", day: "2026-11-20", from: 0, size: 100 };

describe.skipIf("missing" in server)(`on a real server${reason}`, () => {
  contract("the logs on PostgreSQL", async (logLimits) => {
    const db = openPostgres<LogTables>({ url: await fresh(), ...limits }, () => {}).withSchema(LOG_SCHEMA);
    opened.push(db);
    await createPostgresLogTables(db);
    return logsOver({ db, flavour: "postgres" }, logLimits);
  });

  test("four replicas that start together and read the same lines store each of them once", async () => {
    const place = { kind: "postgres", url: await fresh() } as const;
    const replicas = await Promise.all(Array.from({ length: 4 }, () => openLogStore(place, { onEvent: () => {} })));

    for (let number = 0; number < 200; number += 1) {
      for (const logs of replicas) logs.collect(line(String(number).padStart(4, "0")));
      if (number % 50 === 0) await Promise.all(replicas.map((logs) => logs.page(page)));
    }
    await Promise.all(replicas.map((logs) => logs.page(page)));

    const lines = (await replicas[0]?.page({ ...page, size: 1_000 })) ?? [];
    expect(lines.map((each) => each.line)).toEqual(
      Array.from({ length: 200 }, (_, number) => `line ${String(number).padStart(4, "0")}`),
    );
    for (const logs of replicas) await logs.close();
  });

  test("while the server is down a page is a 503 with the reason, and no collected line is lost", async () => {
    const events: string[] = [];
    const place = { kind: "postgres", url: await fresh() } as const;
    const logs = await openLogStore(place, { onEvent: (message) => events.push(message) });
    logs.collect(line("1"));
    await logs.page(page);

    await down();
    logs.collect(line("2"));
    const during = await logs.page(page).catch((error: unknown) => error);
    logs.collect(line("3"));
    await up();

    expect(during).toMatchObject({
      status: 503,
      message: expect.stringMatching(/^The log can't be read: .*can't be/u),
    });
    expect(String(during)).not.toContain(new URL(url).password);
    await until(async () => (await logs.page(page).catch(() => [])).length === 3);
    expect((await logs.page(page)).map((each) => each.line)).toEqual(["line 1", "line 2", "line 3"]);
    expect(events).toContain("storing log lines again");
    await logs.close();
  });

  test.each([
    [
      "a wrong password",
      (address: URL) => (address.password = "wrong-pass-1"),
      /user or password in SERVICE_DATABASE_URL/u,
    ],
    ["a port where nobody listens", (address: URL) => (address.port = "1"), /can't be reached \(ECONNREFUSED\)/u],
  ])("%s is said at the start, without the password", async (_, spoil, sentence) => {
    const address = new URL(url);
    spoil(address);

    const error = await openLogStore({ kind: "postgres", url: address.href }, { onEvent: () => {} }).catch(String);

    expect(error).toMatch(sentence);
    expect(error).not.toContain(address.password);
  });

  test("logs of a newer version are left alone", async () => {
    const place = { kind: "postgres", url: await fresh() } as const;
    await (await openLogStore(place, { onEvent: () => {} })).close();
    const db = openPostgres<LogTables>({ ...place, ...limits }, () => {});
    await sql`update gantry_logs.version set number = 99`.execute(db);

    const error = await openLogStore(place, { onEvent: () => {} }).catch(String);

    expect(error).toMatch(/newer version of Gantry \(schema 99.*Nothing was changed/u);
    await db.destroy();
  });
});
