import type { Kysely } from "kysely";
import type { RecordedProcess } from "./orphans.ts";
import type { StateTables } from "../../../workloads/state/tables.ts";

/** Before the start: from here on the child is found again by its token, whatever happens to this engine. */
export async function recordToken(db: Kysely<StateTables>, token: string, workloadUid: string): Promise<void> {
  await db.insertInto("processes").values({ token, workload_uid: workloadUid, pid: null, started: null }).execute();
}

/** Right after the start. */
export async function recordStart(
  db: Kysely<StateTables>,
  token: string,
  process: { pid: number; started: string | null },
): Promise<void> {
  await db.updateTable("processes").set(process).where("token", "=", token).execute();
}

export async function forgetProcess(db: Kysely<StateTables>, token: string): Promise<void> {
  await db.deleteFrom("processes").where("token", "=", token).execute();
}

/** What an earlier engine left written down; each of them may still run. */
export async function recordedProcesses(db: Kysely<StateTables>): Promise<RecordedProcess[]> {
  return await db.selectFrom("processes").select(["token", "pid", "started"]).execute();
}

export async function forgetAllProcesses(db: Kysely<StateTables>): Promise<void> {
  await db.deleteFrom("processes").execute();
}
