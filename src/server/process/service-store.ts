import type { Kysely, Transaction } from "kysely";
import { Refusal } from "../engine.ts";
import type { ServiceDefinition } from "./service-definition.ts";
import type { ServiceRow, StateTables } from "./tables.ts";

/** A service as it is remembered. */
export type Service = {
  readonly uid: string;
  readonly username: string;
  readonly region: string;
  readonly name: string;
  readonly createdAt: string;
  readonly running: boolean;
  readonly deleting: boolean;
  readonly definition: ServiceDefinition;
};

/** Writes a new service; a `Refusal` 409 when the name is taken or a domain is bound elsewhere. */
export async function insertService(db: Kysely<StateTables>, service: Service): Promise<void> {
  await db.transaction().execute(async (tx) => {
    const { numInsertedOrUpdatedRows } = await tx
      .insertInto("services")
      .values(toRow(service))
      .onConflict((conflict) => conflict.columns(["username", "region", "name"]).doNothing())
      .executeTakeFirstOrThrow();
    if (!numInsertedOrUpdatedRows) {
      throw new Refusal(409, `a service named ${service.name} exists in ${service.region}: choose another name`);
    }
    await bindDomains(tx, service);
  });
}

/** Writes what changed of a service; a `Refusal` 409 when a domain is bound elsewhere, and then nothing is written. */
export async function saveService(db: Kysely<StateTables>, service: Service): Promise<void> {
  const { uid, ...row } = toRow(service);
  await db.transaction().execute(async (tx) => {
    await tx.updateTable("services").set(row).where("uid", "=", uid).execute();
    await bindDomains(tx, service);
  });
}

async function bindDomains(tx: Transaction<StateTables>, { uid, definition }: Service): Promise<void> {
  await tx.deleteFrom("domains").where("service_uid", "=", uid).execute();
  for (const domain of definition.domains) {
    const { numInsertedOrUpdatedRows } = await tx
      .insertInto("domains")
      .values({ domain: domain.toLowerCase(), service_uid: uid })
      .onConflict((conflict) => conflict.column("domain").doNothing())
      .executeTakeFirstOrThrow();
    if (!numInsertedOrUpdatedRows) {
      throw new Refusal(409, `the domain ${domain} is bound to another service: unbind it there first`);
    }
  }
}

export async function removeService(db: Kysely<StateTables>, uid: string): Promise<void> {
  await db.deleteFrom("services").where("uid", "=", uid).execute();
}

/** Every service of every user, oldest first: what a starting engine has to bring back. */
export async function allServices(db: Kysely<StateTables>): Promise<Service[]> {
  const rows = await db.selectFrom("services").selectAll().orderBy("created_at").orderBy("name").execute();
  return rows.map(fromRow);
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
    definition: JSON.stringify(service.definition),
  };
}

function fromRow(row: ServiceRow): Service {
  const { uid, username, region, name } = row;
  return {
    uid,
    username,
    region,
    name,
    createdAt: row.created_at,
    running: row.running === 1,
    deleting: row.deleting === 1,
    definition: JSON.parse(row.definition) as ServiceDefinition, // toRow wrote it
  };
}
