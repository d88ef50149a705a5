import { DataError } from "../../errors.ts";
import { existsSync } from "node:fs";
import { type Kysely, sql } from "kysely";
import { machineClock } from "../../../platform/clock.ts";
import { openPostgres } from "../../../platform/database/postgres.ts";
import { openSqlite, openSqliteReadOnly } from "../../../platform/database/sqlite.ts";
import type { FailingReceiver, Inspection, OpenDatabase, SealedSample } from "../../health/facts.ts";
import { clockOf, countRows, databaseFile, rowsOf, type Session, storeErrorOf, type StorePlace } from "./session.ts";
import { type Column, columns, type Row, sealedIn } from "./sealed-columns.ts";
import type { Tables } from "../schema/tables.ts";
import { lastHeartbeat, liveReplicas, writeTrouble } from "./replicas.ts";
import { schemaVersion, versionOf } from "../schema/migrations.ts";

export type StoreInspection = {
  readonly inspection: Inspection;
  /** API calls by this account in this UTC day, of all replicas. */
  readonly calls: number;
};

export type UnsharedPlace = Exclude<StorePlace, { readonly kind: "shared" }>;

/**
 * Inspects a database that a running Gantry may have open, and changes nothing in it: no lock, no migration, no lease.
 * Undefined when there is no file yet. Throws a `StoreError` when the database can't be used.
 */
export async function inspectStore(
  place: UnsharedPlace,
  calls: { readonly username: string | undefined; readonly day: string },
): Promise<StoreInspection | undefined> {
  const openFile = (path: string): Kysely<Tables> => openSqlite<Tables>(path, { mayLoseLast: true });
  return usingStore(place, openFile, async (db) => {
    const session = { db, flavour: place.kind, clock: clockOf(place.kind, () => 0), machine: machineClock };
    const inspection = await inspect(session);
    const { at, known } = inspection.database.schema;
    return { inspection, calls: at === known ? await callsOfDay(db, calls) : 0 };
  });
}

/** Work with a database that a running Gantry may have open, which is closed afterwards. */
async function usingStore<Result>(
  place: UnsharedPlace,
  openFile: (path: string) => Kysely<Tables>,
  work: (db: Kysely<Tables>) => Promise<Result>,
): Promise<Result | undefined> {
  if (place.kind === "sqlite" && !existsSync(databaseFile(place.dataDir))) return undefined;
  let db: Kysely<Tables> | undefined;
  try {
    db =
      place.kind === "sqlite"
        ? openFile(databaseFile(place.dataDir))
        : openPostgres<Tables>({ ...place, poolSize: 1 }, () => undefined);
    return await work(db);
  } catch (error) {
    throw storeErrorOf(error) ?? error;
  } finally {
    await db?.destroy();
  }
}

/** The same for a command that needs this program's schema. Throws a DataError that says what is in its way. */
export async function readingCurrentStore<Result>(
  place: UnsharedPlace,
  work: (db: Kysely<Tables>) => Promise<Result>,
): Promise<Result> {
  const done = await usingStore(place, openSqliteReadOnly<Tables>, async (db) => {
    const at = await schemaOf(db);
    if (at === schemaVersion) return { result: await work(db) };
    throw new DataError(
      at < schemaVersion
        ? `The database is at schema ${at} of ${schemaVersion}: start this version of Gantry once, it updates the schema. Nothing was changed.`
        : `A newer Gantry wrote the database (schema ${at}; this version knows ${schemaVersion}): use that version. Nothing was changed.`,
    );
  });
  if (done !== undefined) return done.result;
  const path = place.kind === "sqlite" ? databaseFile(place.dataDir) : "";
  throw new DataError(`There is no database at ${path}. Check GANTRY_DATA.`);
}

/** Of all workspaces: the account is the same. */
async function callsOfDay(
  db: Kysely<Tables>,
  { username = "", day }: { readonly username: string | undefined; readonly day: string },
): Promise<number> {
  const rows = await rowsOf(db, "call_count", { username, day });
  return rows.reduce((sum, { calls }) => sum + calls, 0);
}

type Inspected = Pick<Session, "db" | "flavour" | "clock" | "machine">;

/** Changes nothing, so that another process can do it while the bot runs: what it writes as a proof, it removes in the same transaction. */
export async function inspect(session: Inspected): Promise<Inspection> {
  const database = await databaseOf(session);
  const { at, known } = database.schema;
  if (at !== known)
    return {
      database,
      replicas: [],
      boundChannels: [],
      installations: [],
      workspaceAccounts: 0,
      sealed: [],
      failingReceivers: [],
    };
  return {
    database,
    replicas: await liveReplicas(session),
    lastHeartbeat: await lastHeartbeat(session),
    boundChannels: await boundChannels(session),
    installations: await installations(session),
    workspaceAccounts: await countRows(session.db, "account", { owner_kind: "workspace" }),
    sealed: await sealedSamples(session),
    failingReceivers: await failingReceivers(session),
  };
}

async function databaseOf({ db, flavour, clock, machine }: Inspected): Promise<OpenDatabase> {
  const version = flavour === "sqlite" ? sql<string>`sqlite_version()` : sql<string>`current_setting('server_version')`;
  // The first statement may open a connection.
  await sql`select 1`.execute(db);
  const asked = machine.elapsedMs();
  const { rows } = await sql<{
    version: string;
    now: string;
  }>`select ${version} as version, ${clock()} as now`.execute(db);
  const latency = machine.elapsedMs() - asked;
  const { version: said, now } = rows[0] ?? { version: "", now: "" };
  const schema = { at: await schemaOf(db), known: schemaVersion };
  return {
    kind: "open",
    flavour,
    version: said.split(" ")[0] ?? "",
    refusesWrites: schema.at === schema.known ? (await writeTrouble({ db }))?.why : undefined,
    latencyMs: Math.round(latency),
    schema,
    aheadMs: Math.round(machine.now().getTime() - latency / 2 - Date.parse(now)),
  };
}

/** 0 for an empty database. */
async function schemaOf(db: Inspected["db"]): Promise<number> {
  try {
    return await versionOf(db);
  } catch (error) {
    if (error instanceof Error && /no such table|relation .* does not exist/u.test(error.message)) return 0;
    throw error;
  }
}

async function boundChannels({ db }: Inspected): Promise<Inspection["boundChannels"]> {
  const rows = await db.selectFrom("binding").select(["team_id", "channel_id"]).orderBy("channel_id").execute();
  return rows.map(({ team_id: teamId, channel_id: channelId }) => ({ teamId, channelId }));
}

async function installations({ db }: Pick<Inspected, "db">): Promise<Inspection["installations"]> {
  const rows = await db
    .selectFrom("installation")
    .select(["id", "name", "is_org", "sealed_tokens"])
    .select((outer) =>
      outer
        .selectFrom("org_workspace")
        .select((inner) => inner.fn.min<string>("org_workspace.team_id").as("team_id"))
        .whereRef("org_workspace.enterprise_id", "=", "installation.id")
        .as("org_team"),
    )
    .orderBy("name")
    .limit(NEWEST)
    .execute();
  return rows.map(({ id, name, is_org, org_team, sealed_tokens: sealedTokens }) => ({
    id,
    teamId: is_org === 1 ? (org_team ?? undefined) : id,
    name,
    isOrgWide: is_org === 1,
    sealedTokens,
  }));
}

/** Twice as long as the longest pause between two tries. One that isn't configured any more isn't tried. */
const TRIED_WITHIN_MS = 20 * 60_000;

async function failingReceivers({ db, clock }: Inspected): Promise<readonly FailingReceiver[]> {
  const rows = await db
    .selectFrom("audit_receiver")
    .innerJoin("audit_chain", (join) => join.onTrue())
    .innerJoin("due", (join) => join.onRef("due.key", "=", "name").on("due.kind", "=", "audit"))
    .select(["name", "number", "failing_since", "last_number"])
    .where("failing_since", "is not", null)
    .where("due.attempts", ">", 0)
    .where("due.at", ">", clock(-TRIED_WITHIN_MS))
    .orderBy("name")
    .execute();
  return rows.map(({ name, number, failing_since: since, last_number: last }) => ({
    name,
    since: since ?? "",
    waiting: Number(last) - Number(number),
  }));
}

/** The newest rows show which keys are needed; reading all of them could take seconds. */
const NEWEST = 500;

/** A sample of each key in each column with sealed values. It may not hold for older rows. */
async function sealedSamples({ db }: Inspected): Promise<readonly SealedSample[]> {
  const samples = new Map<string, SealedSample>();
  for (const [table, its] of Map.groupBy(columns, (column) => column.table)) {
    const age = its[0]?.age;
    const newest = age === undefined ? sql`` : sql`order by ${sql.ref(age)} desc`;
    const isSealed = sql.join(
      its.map(({ column }) => sql`${sql.ref(column)} is not null`),
      sql` or `,
    );
    const rows = sql<Row>`select * from ${sql.table(table)} where ${isSealed} ${newest} limit ${NEWEST}`;
    const found = await rows.execute(db);
    for (const column of its) countInto(samples, column, found.rows);
  }
  return [...samples.values()];
}

function countInto(samples: Map<string, SealedSample>, { what, column, bind }: Column, rows: readonly Row[]): void {
  const isNewestOnly = rows.length === NEWEST;
  for (const row of rows) {
    const { sealed, keyId } = sealedIn(row[column]) ?? {};
    if (sealed === undefined || keyId === undefined) continue;
    const known = samples.get(`${what} ${keyId}`) ?? { what, keyId, count: 0, isNewestOnly, sealed, bind: bind(row) };
    const next = { ...known, count: known.count + 1, isNewestOnly: known.isNewestOnly || isNewestOnly };
    samples.set(`${what} ${keyId}`, next);
  }
}
