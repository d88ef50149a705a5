import { sql, type Kysely } from "kysely";
import { z } from "zod";
import type { Migration } from "./data-folder.ts";
import type { StateTables } from "./store.ts";
import { jsonIn } from "../../../platform/optional.ts";

/**
 * Migrations of `state.sqlite`. Append only, never edit. Version 1 files exist with and without a version number. The
 * table `processes` belongs to the process engine (engines/process/records/processes.ts).
 */
export const stateMigrations: readonly Migration<StateTables>[] = [
  [
    `create table if not exists services (uid text primary key, username text not null, region text not null,
       name text not null, created_at text not null, running integer not null, deleting integer not null,
       definition text not null, unique (username, region, name))`,
    `create table if not exists domains (domain text primary key,
       service_uid text not null references services (uid) on delete cascade)`,
    `create table if not exists jobs (uid text primary key, username text not null, name text not null,
       created_at text not null, version integer not null, instance text not null, definition text not null,
       started_at text, ended_at text, outcome text, failures integer not null, unique (username, name))`,
    `create table if not exists processes (token text primary key, workload_uid text not null, pid integer, started text)`,
    `create table if not exists counters (name text primary key, value integer not null)`,
  ],
  [
    `alter table jobs add column reason text`,
    `alter table jobs add column has_records integer not null default 0`,
    // Deleting a service looks up its domains; without an index this would scan the whole table.
    `create index domains_of_service on domains (service_uid)`,
  ],
  separateAddresses,
  [`alter table jobs add column last_exit text`],
  [`alter table jobs add column last_state text`],
  [`alter table services add column also_current text`, `alter table services add column revisions text`],
];

/** The ports of a definition from before version 3, each with the host port that was assigned to it; 0 for none. */
const OldDefinition = z.looseObject({
  ports: z.array(z.looseObject({ containerPort: z.int(), hostPort: z.int().optional() })),
});

type Row = { readonly uid: string; readonly definition: string };

/**
 * Version 3: assigned addresses move from the definitions into a table of their own, and services get a generation. A
 * definition that can't be read stays as it is; its service is shown as failed.
 */
async function separateAddresses<Tables>(tx: Kysely<Tables>): Promise<void> {
  await sql`alter table services add column generation integer not null default 0`.execute(tx);
  await sql`create table addresses (service_uid text not null references services (uid) on delete cascade,
    container_port integer not null, address text not null, primary key (service_uid, container_port))`.execute(tx);
  const { rows } = await sql<Row>`select uid, definition from services`.execute(tx);
  for (const { uid, definition } of rows) {
    const old = OldDefinition.safeParse(jsonIn(definition)).data;
    if (!old) continue;
    const ports = old.ports.map((port) => ({ ...port, hostPort: undefined })); // JSON leaves it out
    await sql`update services set definition = ${JSON.stringify({ ...old, ports })} where uid = ${uid}`.execute(tx);
    for (const { containerPort, hostPort = 0 } of old.ports) {
      if (hostPort === 0) continue;
      await sql`insert into addresses values (${uid}, ${containerPort}, ${`127.0.0.1:${hostPort}`})
        on conflict do nothing`.execute(tx);
    }
  }
}
