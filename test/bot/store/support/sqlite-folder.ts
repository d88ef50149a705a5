import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Kysely } from "kysely";
import { pino } from "pino";
import { afterEach } from "vitest";
import type { Sealer } from "../../../../src/bot/accounts/seal.ts";
import { openSqlite, type SqliteOptions } from "../../../../src/platform/database/sqlite.ts";
import { type OpenStore, openStore } from "../../../../src/bot/store/open-store.ts";
import { type Steps, withSteps } from "./steps.ts";
import type { Tables } from "../../../../src/bot/store/schema/tables.ts";

/** Run after each test, the last one first. */
export const cleanUps: (() => Promise<void> | void)[] = [];
afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).toReversed()) await cleanUp();
});

/** A folder that does not exist yet. */
export function folder(): string {
  const dir = join(mkdtempSync(join(tmpdir(), "gantry-store-")), "made", "for-it");
  cleanUps.push(() => rmSync(join(dir, "../.."), { recursive: true, force: true }));
  return dir;
}

let replicas = 0;
/** A store over the file in the folder, as a replica of its own. */
export async function open(
  dataDir = folder(),
  sealer?: Sealer,
  more: Pick<SqliteOptions, "onDisk"> & Partial<Pick<OpenStore, "log" | "clock">> = {},
): Promise<Steps> {
  replicas += 1;
  const common = { replicaId: `r${replicas}`, log: pino({ level: "silent" }), ...more, ...(sealer && { sealer }) };
  const store = withSteps(await openStore({ kind: "sqlite", dataDir, ...common }));
  cleanUps.push(store.close);
  return store;
}

/** The file of a folder, past the store. */
export function look(dir: string): Kysely<Tables> {
  const db = openSqlite<Tables>(join(dir, "gantry.sqlite"));
  cleanUps.push(() => db.destroy());
  return db;
}

/** The id of the replica that was opened last. */
export function lastReplica(): string {
  return `r${replicas}`;
}
