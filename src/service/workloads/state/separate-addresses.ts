import { sql, type Kysely } from "kysely";
import { z } from "zod";

/** The ports of a definition from before version 3, each with the host port that was assigned to it; 0 for none. */
const OldDefinition = z.looseObject({
  ports: z.array(z.looseObject({ containerPort: z.int(), hostPort: z.int().optional() })),
});

type Row = { readonly uid: string; readonly definition: string };

/**
 * Version 3: assigned addresses move from the definitions into a table of their own, and services get a generation. A
 * definition that can't be read stays as it is; its service is shown as failed.
 */
export async function separateAddresses<Tables>(tx: Kysely<Tables>): Promise<void> {
  await sql`alter table services add column generation integer not null default 0`.execute(tx);
  await sql`create table addresses (service_uid text not null references services (uid) on delete cascade,
    container_port integer not null, address text not null, primary key (service_uid, container_port))`.execute(tx);
  const { rows } = await sql<Row>`select uid, definition from services`.execute(tx);
  for (const { uid, definition } of rows) {
    const old = read(definition);
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

function read(definition: string): z.infer<typeof OldDefinition> | undefined {
  try {
    return OldDefinition.safeParse(JSON.parse(definition)).data;
  } catch {
    return undefined;
  }
}
