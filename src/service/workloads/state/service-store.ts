import { sql, type Kysely, type Transaction } from "kysely";
import { z } from "zod";
import { Refusal } from "../../engine.ts";
import { ServiceDefinition } from "../definitions.ts";
import { firstRevision, type Revision, type Revisions } from "../services/revisions.ts";
import { parseRevisions, parseSaved } from "../stored-definition.ts";
import type { ServiceRow, StateTables } from "./tables.ts";
import type { Unreadable } from "../answer-fields.ts";

/** The assigned address of each container port: `127.0.0.1:40123`. */
export type Addresses = ReadonlyMap<number, string>;

/** A service as saved. */
export type Service = {
  readonly uid: string;
  readonly username: string;
  readonly region: string;
  readonly name: string;
  readonly createdAt: string;
  readonly running: boolean;
  readonly deleting: boolean;
  /** Rises when running instances have to be replaced. */
  readonly generation: number;
  /** Older generations whose instances are what is wanted: those of the revision that it went back to. */
  readonly alsoCurrent: Revision["generations"];
  readonly revisions: Revisions;
  readonly definition: ServiceDefinition;
  readonly addresses: Addresses;
};

/** Saves a new service. Throws a `Refusal` 409 when the name is taken or a domain is bound elsewhere. */
export async function insertService(db: Kysely<StateTables>, service: Service): Promise<void> {
  await db.transaction().execute(async (tx) => {
    const { numInsertedOrUpdatedRows } = await tx
      .insertInto("services")
      .values(toRow(service))
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
  await tx.deleteFrom("addresses").where("service_uid", "=", uid).execute();
  const rows = [...addresses].map(([port, address]) => ({ service_uid: uid, container_port: port, address }));
  if (rows.length > 0) await tx.insertInto("addresses").values(rows).execute();
}

/** Saves a changed service, except its addresses. Throws a `Refusal` 409 when a domain is bound elsewhere, and saves nothing. */
export async function saveService(db: Kysely<StateTables>, service: Service): Promise<void> {
  const { uid, ...row } = toRow(service);
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

/** A row as read: a service, or the readable parts of a damaged one. */
export type StoredService = { readonly service: Service } | { readonly unreadable: Unreadable };

/**
 * Every service of every user in the order of creation. Rows are read independently: a bad one doesn't hide the others.
 */
export async function storedServices(db: Kysely<StateTables>): Promise<StoredService[]> {
  // By row id, not by time: clocks jump.
  const rows = await db
    .selectFrom("services")
    .selectAll()
    .orderBy(sql`rowid`)
    .execute();
  const addresses = Map.groupBy(await db.selectFrom("addresses").selectAll().execute(), (row) => row.service_uid);
  return rows.map((row) => {
    const own = addresses.get(row.uid) ?? [];
    return fromRow(row, new Map(own.map(({ container_port: port, address }) => [port, address])));
  });
}

function toRow(service: Service): ServiceRow {
  const { uid, username, region, name } = service;
  return {
    uid,
    username,
    region,
    name,
    created_at: service.createdAt,
    running: service.running ? 1 : 0,
    deleting: service.deleting ? 1 : 0,
    generation: service.generation,
    also_current: service.alsoCurrent.length > 0 ? JSON.stringify(service.alsoCurrent) : null,
    revisions: JSON.stringify(service.revisions),
    definition: JSON.stringify(service.definition),
  };
}

const Flag = z.union([z.literal(0), z.literal(1)]);
const Columns = z.object({ created_at: z.iso.datetime(), running: Flag, deleting: Flag, generation: z.int() });

function fromRow(row: ServiceRow, addresses: Addresses): StoredService {
  const { uid, username, region, name } = row;
  const read = parseSaved(ServiceDefinition, row.definition);
  const columns = Columns.safeParse(row);
  const kept = parseRevisions(row);
  if ("definition" in read && columns.success && kept) {
    const { created_at: createdAt, running, deleting, generation } = columns.data;
    const flags = { running: running === 1, deleting: deleting === 1 };
    const { definition } = read;
    const { alsoCurrent, revisions = firstRevision({ definition, createdAt }) } = kept;
    const known = { uid, username, region, name, createdAt, ...flags, generation, alsoCurrent, revisions };
    return { service: { ...known, definition, addresses } };
  }
  const reason = "reason" in read ? read.reason : "The saved row is damaged.";
  const createdAt = Columns.shape.created_at.safeParse(row.created_at).data;
  return { unreadable: { kind: "service", uid, username, region, name, createdAt, reason } };
}
