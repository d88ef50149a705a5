import { type Kysely, sql } from "kysely";
import { expect, onTestFinished, test } from "vitest";
import type { Tables } from "../../../src/bot/store/schema/tables.ts";
import { openSqlite } from "../../../src/platform/database/sqlite.ts";
import { home, says } from "../../support/speak.ts";
import { world, type World } from "../../support/world.ts";

// The database answers, but stores nothing.

async function townOn(): Promise<{ town: World; run: (statement: string) => Promise<void> }> {
  let db: Kysely<Tables> | undefined;
  const openDatabase = (file: string): Kysely<Tables> => (db = openSqlite<Tables>(file, { mayLoseLast: true }));
  const town = await world({ openDatabase });
  onTestFinished(async () => {
    await town.close();
    await db?.destroy();
  });
  return { town, run: async (statement) => void (db && (await sql.raw(statement).execute(db))) };
}

/** What each place says of it. */
async function told(town: World): Promise<{ readyz: string; status: string; admin: string; home: string }> {
  // What they keep of the last look is over.
  town.passSeconds(11);
  await town.sweep().catch(() => undefined);
  const { developer, approver } = town;
  const response = await fetch(`${town.botUrl()}/readyz`);
  await developer.opensHome();
  await town.settled();
  return {
    readyz: `${response.status} ${await response.text()}`,
    status: await says(town, developer, "/gantry status"),
    admin: await says(town, approver, "/gantry status"),
    home: home(developer),
  };
}

test.each([
  ["read-only", "pragma query_only = on", "pragma query_only = off", "it is read-only"],
  ["full", "pragma max_page_count = 1", "pragma max_page_count = 1000000", "its disk is full"],
])(
  "a %s database: /readyz, status and Home say it with the same reason, and that it is over",
  async (_, broken, mended, why) => {
    const { town, run } = await townOn();
    // The people are known, and no page of the file is free.
    await told(town);
    await run("vacuum");

    await run(broken);
    const during = await told(town);
    await run(mended);
    const after = await told(town);

    expect(during.readyz).toMatch(/^503/u);
    expect(during.readyz).toContain(`The database can't be used: ${why}. Check the database and its disk`);
    expect(during.status).toContain("🔴 Database has a problem");
    expect(during.admin).toMatch(new RegExp(`🔴 SQLite [\\d.]+ stores no requests: ${why}`, "u"));
    expect(during.admin).toContain("→ Check the disk and the rights of GANTRY_DATA.");
    expect(during.admin).toContain("1 live replica:");
    expect(during.home).toContain(`⚠️ Gantry's database can't be used: ${why}.`);
    expect(during.home).toContain("Workloads");
    expect(after.readyz).toMatch(/^200/u);
    expect(after.status).toContain("🟢 Database works");
    expect(after.admin).toMatch(/🟢 SQLite [\d.]+ answers in/u);
    expect(after.home).not.toContain("database");
  },
);

test("many questions for /readyz at once cost the database one proof", async () => {
  let proofs = 0;
  await using town = await world({
    onStatement: (statement) => void (proofs += statement.startsWith('delete from "replica"') ? 1 : 0),
  });
  const before = proofs;

  await Promise.all(Array.from({ length: 20 }, () => fetch(`${town.botUrl()}/readyz`)));

  expect(proofs - before).toBeGreaterThan(0);
  // Or a few, on a machine that takes seconds for them.
  expect(proofs - before).toBeLessThan(20);
});
