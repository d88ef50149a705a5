import { CamelCasePlugin, sql, type Kysely, type Transaction } from "kysely";
import { z } from "zod";
import type { LastState } from "../../../api/schema.ts";
import { jsonIn } from "../../../platform/optional.ts";
import { Refusal } from "../../engine.ts";
import type { Unreadable } from "../answer-fields.ts";
import { JobDefinition, MAX_ENTRIES, problemOf, ServiceDefinition } from "../definitions.ts";
import { firstRevision, Generations, Revision, type Revisions } from "../services/revisions.ts";

/** The tables of `state.sqlite`. Times are ISO 8601 in UTC, booleans are 1 and 0, definitions are JSON. */
export type StateTables = {
  services: z.input<typeof ServiceColumns> & { readonly definition: string };
  domains: { domain: string; serviceUid: string };
  addresses: { serviceUid: string; containerPort: number; address: string };
  jobs: z.input<typeof JobColumns> & { readonly definition: string };
  counters: { name: string; value: number };
};

/** Columns are named_like_this in the file. */
export const namedAsHere = new CamelCasePlugin({ maintainNestedObjectKeys: true });

/** The assigned address of each container port: `127.0.0.1:40123`. */
export type Addresses = ReadonlyMap<number, string>;

const Flag = z.union([z.literal(0), z.literal(1)]).transform((flag) => flag === 1);

function json<Schema extends z.ZodType>(schema: Schema) {
  return z.string().transform(jsonIn).pipe(schema);
}

function known<Schema extends z.ZodType>(schema: Schema) {
  return schema.nullable().transform((value) => value ?? undefined);
}

const ServiceColumns = z.object({
  uid: z.string(),
  username: z.string(),
  region: z.string(),
  name: z.string(),
  createdAt: z.iso.datetime(),
  /** Whether it should run. */
  running: Flag,
  /** A deletion was accepted; the next engine finishes it if necessary. */
  deleting: Flag,
  /** Rises when running instances have to be replaced: a restart, another memory limit, a new revision. */
  generation: z.int(),
  /** Older generations whose instances are what is wanted: those of the revision that it went back to. */
  alsoCurrent: known(json(Generations)).transform((generations) => generations ?? []),
  /** Null for services from before version 6. */
  revisions: known(json(z.array(Revision.loose()).min(1).max(MAX_ENTRIES))),
});

/** A service as saved. */
export type Service = Readonly<Omit<z.output<typeof ServiceColumns>, "revisions">> & {
  readonly revisions: Revisions;
  readonly definition: ServiceDefinition;
  readonly addresses: Addresses;
};

const JobColumns = z.object({
  uid: z.string(),
  username: z.string(),
  name: z.string(),
  createdAt: z.iso.datetime(),
  /** Rises with each change of any job; `resourceVersion` in answers. */
  version: z.int().min(0),
  instance: z.string(),
  startedAt: known(z.iso.datetime()),
  endedAt: known(z.iso.datetime()),
  outcome: known(z.enum(["complete", "failed"])),
  /** Number of failed attempts. */
  failures: z.int().min(0),
  /** How the last failed attempt ended, as a phrase: "exit code 2". Null for jobs from before version 4. */
  lastExit: known(z.string()),
  /** The same as answers have it; null for an attempt from before version 5. A damaged one only says less. */
  lastState: known(z.string()).transform((text) => SavedState.safeParse(jsonIn(text ?? "")).data),
  /** Why it failed, if not by running out of attempts. */
  reason: known(z.string()),
  /** Whether its runs are recorded (run-record.ts). Jobs from before version 2 have no records. */
  hasRecords: z.int().transform((flag) => flag === 1),
});

const SavedState = z.object({
  reason: z.string().exactOptional(),
  exit_code: z.int().exactOptional(),
  finished_at: z.string().exactOptional(),
});

/** A job as saved. */
export type Job = Readonly<Omit<z.output<typeof JobColumns>, "lastState">> & {
  readonly lastState?: LastState | undefined;
  readonly definition: JobDefinition;
};

export type JobProgress = Pick<
  Job,
  "startedAt" | "endedAt" | "outcome" | "failures" | "lastExit" | "lastState" | "reason"
>;

/** Saves a new service. Throws a `Refusal` 409 when the name is taken or a domain is bound elsewhere. */
export async function insertService(db: Kysely<StateTables>, service: Service): Promise<void> {
  await db.transaction().execute(async (tx) => {
    const { numInsertedOrUpdatedRows } = await tx
      .insertInto("services")
      .values(serviceRow(service))
      .onConflict((conflict) => conflict.columns(["username", "region", "name"]).doNothing())
      .executeTakeFirstOrThrow();
    if (!numInsertedOrUpdatedRows) {
      const { name, region } = service;
      throw new Refusal(409, `a service named ${name} already exists in ${region}: choose another name`);
    }
    await bindDomains(tx, service);
    await writeAddresses(tx, service);
  });
}

/** Saves the addresses of a service if it still exists. */
export async function saveAddresses(db: Kysely<StateTables>, service: Service): Promise<void> {
  await db.transaction().execute(async (tx) => {
    const row = await tx.selectFrom("services").select("uid").where("uid", "=", service.uid).executeTakeFirst();
    if (row) await writeAddresses(tx, service);
  });
}

async function writeAddresses(tx: Transaction<StateTables>, { uid, addresses }: Service): Promise<void> {
  await tx.deleteFrom("addresses").where("serviceUid", "=", uid).execute();
  const rows = [...addresses].map(([containerPort, address]) => ({ serviceUid: uid, containerPort, address }));
  if (rows.length > 0) await tx.insertInto("addresses").values(rows).execute();
}

/** Saves a changed service, except its addresses. Throws a `Refusal` 409 when a domain is bound elsewhere, and saves nothing. */
export async function saveService(db: Kysely<StateTables>, service: Service): Promise<void> {
  const { uid, ...row } = serviceRow(service);
  await db.transaction().execute(async (tx) => {
    await tx.updateTable("services").set(row).where("uid", "=", uid).execute();
    await bindDomains(tx, service);
  });
}

/** One statement for all domains: a service can have thousands, and every other request waits for this one. */
async function bindDomains(tx: Transaction<StateTables>, { uid, definition }: Service): Promise<void> {
  const wanted = JSON.stringify(definition.domains.map((domain) => domain.toLowerCase()));
  await sql`delete from domains where service_uid = ${uid} and domain not in (select value from json_each(${wanted}))`.execute(
    tx,
  );
  await sql`insert into domains (domain, service_uid) select value, ${uid} from json_each(${wanted})
    where true on conflict (domain) do nothing`.execute(tx);
  const { rows } = await sql<{ domain: string }>`select domain from domains
    where service_uid <> ${uid} and domain in (select value from json_each(${wanted})) limit 1`.execute(tx);
  const [taken] = rows;
  if (!taken) return;
  const domain = definition.domains.find((each) => each.toLowerCase() === taken.domain) ?? taken.domain;
  const todo = "remove it there first. Nothing was changed.";
  throw new Refusal(409, `the domain ${domain} belongs to another service: ${todo}`);
}

export async function removeService(db: Kysely<StateTables>, uid: string): Promise<void> {
  await db.deleteFrom("services").where("uid", "=", uid).execute();
}

function serviceRow(service: Service): StateTables["services"] {
  const { addresses: _, ...row } = service;
  return {
    ...row,
    running: service.running ? 1 : 0,
    deleting: service.deleting ? 1 : 0,
    alsoCurrent: service.alsoCurrent.length > 0 ? JSON.stringify(service.alsoCurrent) : null,
    revisions: JSON.stringify(service.revisions),
    definition: JSON.stringify(service.definition),
  };
}

/** Saves a new job and returns its version. Throws a `Refusal` 409 when the name is taken. */
export async function insertJob(db: Kysely<StateTables>, job: Omit<Job, "version">): Promise<number> {
  return await db.transaction().execute(async (tx) => {
    const version = await nextVersion(tx);
    const { numInsertedOrUpdatedRows } = await tx
      .insertInto("jobs")
      .values({ ...jobRow({ ...job, version }), definition: JSON.stringify(job.definition) })
      .onConflict((conflict) => conflict.columns(["username", "name"]).doNothing())
      .executeTakeFirstOrThrow();
    if (!numInsertedOrUpdatedRows)
      throw new Refusal(409, `a job named ${job.name} already exists: choose another name`);
    return version;
  });
}

/** Saves a job's progress if the job still exists, and returns the new version. */
export async function saveProgress(db: Kysely<StateTables>, job: Job): Promise<number> {
  return await db.transaction().execute(async (tx) => {
    const version = await nextVersion(tx);
    const row = jobRow({ ...job, version, hasRecords: true });
    await tx.updateTable("jobs").set(row).where("uid", "=", job.uid).execute();
    return version;
  });
}

async function nextVersion(tx: Transaction<StateTables>): Promise<number> {
  const { value } = await tx
    .insertInto("counters")
    .values({ name: "job version", value: 1 })
    .onConflict((conflict) => conflict.column("name").doUpdateSet((eb) => ({ value: eb("counters.value", "+", 1) })))
    .returning("value")
    .executeTakeFirstOrThrow();
  return value;
}

export async function removeJob(db: Kysely<StateTables>, uid: string): Promise<void> {
  await db.deleteFrom("jobs").where("uid", "=", uid).execute();
}

/** Without the definition, which never changes. What isn't known any more becomes null: Kysely leaves out undefined. */
function jobRow(job: Job) {
  const { definition: _, lastState, hasRecords, ...row } = job;
  const { startedAt = null, endedAt = null, outcome = null, lastExit = null, reason = null } = row;
  return {
    ...row,
    startedAt,
    endedAt,
    outcome,
    lastExit,
    reason,
    lastState: lastState === undefined ? null : JSON.stringify(lastState),
    hasRecords: hasRecords ? 1 : 0,
  };
}

/** A row as read: a workload, or the readable parts of a damaged one. */
export type StoredService = { readonly service: Service } | { readonly unreadable: Unreadable };
export type StoredJob = { readonly job: Job } | { readonly unreadable: Unreadable };

/** Every service of every user in the order of creation. Rows are read one by one: a bad one doesn't hide the others. */
export async function storedServices(db: Kysely<StateTables>): Promise<StoredService[]> {
  const rows = await db.selectFrom("services").selectAll().orderBy(BY_CREATION).execute();
  const all = Map.groupBy(await db.selectFrom("addresses").selectAll().execute(), (row) => row.serviceUid);
  return rows.map((row) => {
    const { read, damage } = readRow(row, ServiceColumns, ServiceDefinition);
    if (!read) return { unreadable: { ...placeOf(row), ...damage, kind: "service", region: row.region } };
    const [newest, ...earlier] = read.revisions ?? firstRevision(read);
    const revisions: Revisions = [newest, ...earlier];
    const own = all.get(row.uid) ?? [];
    const addresses = new Map(own.map(({ containerPort, address }) => [containerPort, address]));
    return { service: { ...read, revisions, addresses } };
  });
}

/** The same for jobs. */
export async function storedJobs(db: Kysely<StateTables>): Promise<StoredJob[]> {
  const rows = await db.selectFrom("jobs").selectAll().orderBy(BY_CREATION).execute();
  return rows.map((row) => {
    const { read, damage } = readRow(row, JobColumns, JobDefinition);
    return read ? { job: read } : { unreadable: { ...placeOf(row), ...damage, kind: "job", region: "" } };
  });
}

/** Not by time: clocks jump. */
const BY_CREATION = sql`rowid`;

function placeOf({ uid, username, name }: Pick<Unreadable, "uid" | "username" | "name">) {
  return { uid, username, name };
}

const Dated = z.object({ createdAt: z.iso.datetime() });

type ReadRow<Read> =
  | { readonly read: Read; readonly damage?: undefined }
  | { readonly read?: undefined; readonly damage: Pick<Unreadable, "createdAt" | "reason"> };

/** The columns with the definition, or why they can't be used. */
function readRow<Columns extends z.ZodObject, Definition>(
  row: { readonly definition: string },
  columns: Columns,
  schema: z.ZodType<Definition>,
): ReadRow<z.output<Columns> & { readonly definition: Definition }> {
  const definition = jsonIn(row.definition);
  const problem = definition === undefined ? undefined : problemOf(schema, definition);
  const { data } = columns.safeParse(row);
  if (data && definition !== undefined && problem === undefined) {
    return { read: { ...data, definition: definition as Definition } }; // as it is: unknown fields are kept
  }
  const why = definition === undefined ? "isn't valid JSON" : problem && `can't be used: ${problem}`;
  const reason = why === undefined ? "The saved row is damaged." : `The saved definition ${why}.`;
  return { damage: { createdAt: Dated.safeParse(row).data?.createdAt, reason } };
}
