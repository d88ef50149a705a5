import { sql, type Kysely } from "kysely";
import type { LogTables } from "./log-tables.ts";

/** Which instances of a day have lines: to find them among the lines would read the whole log. */
type NewInstance = { readonly dayId: number; readonly instance: string };

/** One parameter for all. */
export async function addInstances(db: Kysely<LogTables>, added: readonly NewInstance[]): Promise<void> {
  const rows = new Map(added.map(({ dayId, instance }) => [`${dayId} ${instance}`, [dayId, instance]]));
  const json = JSON.stringify([...rows.values()]);
  await sql`insert into instances (day_id, instance) select value ->> 0, value ->> 1 from json_each(${json})
    where not exists (select 1 from instances where day_id = value ->> 0 and instance = value ->> 1)
    order by key`.execute(db);
}

export async function hasInstance(
  db: Kysely<LogTables>,
  { workload, instance }: { readonly workload: string; readonly instance: string },
): Promise<boolean> {
  const query = ofWorkload(db, workload).select("instances.id").where("instance", "=", instance);
  return (await query.limit(1).executeTakeFirst()) !== undefined;
}

/** A job with more pods than this has only its newest ones named. */
const MOST = 100;

/** In the order of their first lines. */
export async function instancesOf(db: Kysely<LogTables>, workload: string): Promise<string[]> {
  const query = ofWorkload(db, workload).select(["instance", (eb) => eb.fn.min("instances.id").as("first")]);
  const newest = await query.groupBy("instance").orderBy("first", "desc").limit(MOST).execute();
  return newest.map(({ instance }) => instance).toReversed();
}

function ofWorkload(db: Kysely<LogTables>, workload: string) {
  return db.selectFrom("instances").innerJoin("days", "days.id", "instances.day_id").where("workload", "=", workload);
}

export async function removeInstances(db: Kysely<LogTables>, dayId: number): Promise<void> {
  await db.deleteFrom("instances").where("day_id", "=", dayId).execute();
}
