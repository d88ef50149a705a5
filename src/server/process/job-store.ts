import type { Kysely, Transaction } from "kysely";
import { Refusal } from "../engine.ts";
import type { JobDefinition } from "./job-definition.ts";
import type { JobRow, StateTables } from "./tables.ts";

/** A job as it is remembered. */
export type Job = {
  readonly uid: string;
  readonly username: string;
  readonly name: string;
  readonly createdAt: string;
  readonly version: number;
  readonly instance: string;
  readonly definition: JobDefinition;
  readonly startedAt: string | undefined;
  readonly endedAt: string | undefined;
  readonly outcome: "complete" | "failed" | undefined;
  readonly failures: number;
};

export type JobProgress = Pick<Job, "startedAt" | "endedAt" | "outcome" | "failures">;

/** Writes a new job and returns its version; a `Refusal` 409 when the name is taken. */
export async function insertJob(db: Kysely<StateTables>, job: Omit<Job, "version">): Promise<number> {
  return await db.transaction().execute(async (tx) => {
    const version = await nextVersion(tx);
    const { numInsertedOrUpdatedRows } = await tx
      .insertInto("jobs")
      .values({
        uid: job.uid,
        username: job.username,
        name: job.name,
        created_at: job.createdAt,
        version,
        instance: job.instance,
        definition: JSON.stringify(job.definition),
        ...progressColumns(job),
      })
      .onConflict((conflict) => conflict.columns(["username", "name"]).doNothing())
      .executeTakeFirstOrThrow();
    if (!numInsertedOrUpdatedRows) throw new Refusal(409, `a job named ${job.name} exists: choose another name`);
    return version;
  });
}

/** Writes how far the job is, if it still exists, and returns the new version. */
export async function saveProgress(db: Kysely<StateTables>, uid: string, progress: JobProgress): Promise<number> {
  return await db.transaction().execute(async (tx) => {
    const version = await nextVersion(tx);
    await tx
      .updateTable("jobs")
      .set({ version, ...progressColumns(progress) })
      .where("uid", "=", uid)
      .execute();
    return version;
  });
}

export async function removeJob(db: Kysely<StateTables>, uid: string): Promise<void> {
  await db.deleteFrom("jobs").where("uid", "=", uid).execute();
}

/** Every job of every user, oldest first. */
export async function allJobs(db: Kysely<StateTables>): Promise<Job[]> {
  const rows = await db.selectFrom("jobs").selectAll().orderBy("created_at").orderBy("name").execute();
  return rows.map(fromRow);
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

function progressColumns(progress: JobProgress): Pick<JobRow, "started_at" | "ended_at" | "outcome" | "failures"> {
  return {
    started_at: progress.startedAt ?? null,
    ended_at: progress.endedAt ?? null,
    outcome: progress.outcome ?? null,
    failures: progress.failures,
  };
}

function fromRow(row: JobRow): Job {
  const { uid, username, name, version, instance, failures } = row;
  return {
    uid,
    username,
    name,
    version,
    instance,
    failures,
    createdAt: row.created_at,
    definition: JSON.parse(row.definition) as JobDefinition, // insertJob wrote it
    startedAt: row.started_at ?? undefined,
    endedAt: row.ended_at ?? undefined,
    outcome: row.outcome ?? undefined,
  };
}
