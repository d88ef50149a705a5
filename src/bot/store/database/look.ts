import { join } from "node:path";
import { existsSync } from "node:fs";
import type { Kysely } from "kysely";
import { openPostgres } from "../../../platform/database/postgres.ts";
import { openSqliteReadOnly } from "../../../platform/database/sqlite.ts";
import type { Inspection } from "../../health/facts.ts";
import { clockOf } from "./clock.ts";
import { storeErrorOf } from "./store-error.ts";
import { inspect } from "./inspect.ts";
import type { StorePlace } from "../open-store.ts";
import type { Tables } from "../schema/tables.ts";

export type Looked = {
  readonly inspection: Inspection;
  /** API calls by this account in this UTC day, of all replicas. */
  readonly calls: number;
};

export type LookPlace = Exclude<StorePlace, { readonly kind: "shared" }>;

/** The database file in a data folder. */
export function databaseFile(dataDir: string): string {
  return join(dataDir, "gantry.sqlite");
}

/**
 * Reads a database that a running Gantry may have open, and changes nothing in it: no lock, no migration, no lease.
 * Undefined when there is no file yet. Throws a `StoreError` when the database can't be used.
 */
export async function lookIntoStore(
  place: LookPlace,
  calls: { readonly username: string | undefined; readonly day: string },
): Promise<Looked | undefined> {
  if (place.kind === "sqlite" && !existsSync(databaseFile(place.dataDir))) return undefined;
  let db: Kysely<Tables> | undefined;
  try {
    db = openToLook(place);
    const looking = { db, flavour: place.kind, clock: clockOf(place.kind, () => 0), wallMs: Date.now };
    const inspection = await inspect(looking);
    const { at, known } = inspection.database.schema;
    return { inspection, calls: at === known ? await callsOfDay(db, calls) : 0 };
  } catch (error) {
    throw storeErrorOf(error) ?? error;
  } finally {
    await db?.destroy();
  }
}

/** Of all workspaces: the account is the same. */
async function callsOfDay(
  db: Kysely<Tables>,
  { username = "", day }: { readonly username: string | undefined; readonly day: string },
): Promise<number> {
  const rows = await db
    .selectFrom("call_count")
    .select("calls")
    .where("username", "=", username)
    .where("day", "=", day)
    .execute();
  return rows.reduce((sum, { calls }) => sum + calls, 0);
}

function openToLook(place: LookPlace): Kysely<Tables> {
  if (place.kind === "sqlite") return openSqliteReadOnly<Tables>(databaseFile(place.dataDir));
  return openPostgres<Tables>({ ...place, poolSize: 1 }, () => undefined);
}
