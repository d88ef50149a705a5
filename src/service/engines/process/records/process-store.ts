import type { Kysely } from "kysely";
import { join } from "node:path";
import type { RecordedProcess } from "./orphans.ts";
import type { VolumeSource } from "../../../workloads/runtime.ts";
import { pathSegment } from "../../../workloads/state/data-folder.ts";

/** A table of `state.sqlite` (workloads/state/tables.ts creates it): each child, written before it is started. */
export type ProcessTables = {
  processes: { token: string; workload_uid: string; pid: number | null; started: string | null };
};

/** Call before the start: from here on the child is found by its token, even if this server dies. */
export async function recordToken(db: Kysely<ProcessTables>, token: string, workloadUid: string): Promise<void> {
  await db.insertInto("processes").values({ token, workload_uid: workloadUid, pid: null, started: null }).execute();
}

/** Call right after the start. */
export async function recordStart(
  db: Kysely<ProcessTables>,
  token: string,
  process: { pid: number; started: string | null },
): Promise<void> {
  await db.updateTable("processes").set(process).where("token", "=", token).execute();
}

export async function forgetProcess(db: Kysely<ProcessTables>, token: string): Promise<void> {
  await db.deleteFrom("processes").where("token", "=", token).execute();
}

/** The processes of an earlier server; each of them may still run. */
export async function recordedProcesses(db: Kysely<ProcessTables>): Promise<RecordedProcess[]> {
  return await db.selectFrom("processes").select(["token", "pid", "started"]).execute();
}

export async function forgetAllProcesses(db: Kysely<ProcessTables>): Promise<void> {
  await db.deleteFrom("processes").execute();
}

/** The folder of a volume. It is kept when its workload is deleted, like a host path. */
export function volumeFolder(dataDir: string, source: VolumeSource): string {
  const { username, name } = source;
  if (source.kind === "volume") return join(dataDir, "volumes", pathSegment(username), pathSegment(name));
  return join(dataDir, "disks", pathSegment(username), pathSegment(source.region), pathSegment(name));
}

/** The working folder of a workload's processes, removed with the workload. */
export function workFolder(dataDir: string, uid: string): string {
  return join(workFolders(dataDir), pathSegment(uid));
}

export function workFolders(dataDir: string): string {
  return join(dataDir, "work");
}
