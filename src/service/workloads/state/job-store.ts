import { sql, type Kysely, type Transaction } from "kysely";
import { z } from "zod";
import type { LastState } from "../../../api/schema.ts";
import { Refusal } from "../../engine.ts";
import { JobDefinition } from "../definitions.ts";
import { parseSaved } from "../stored-definition.ts";
import type { JobRow, StateTables } from "./tables.ts";
import type { Unreadable } from "../answer-fields.ts";
import { jsonIn } from "../../../platform/optional.ts";

/** A job as saved. */
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
  /** How the last failed attempt ended, as a phrase: "exit code 2". */
  readonly lastExit: string | undefined;
  /** The same as answers have it; missing for an attempt from before version 5 of the file. */
  readonly lastState?: LastState | undefined;
  /** Why it failed, if not by running out of attempts. */
  readonly reason: string | undefined;
  /** Whether its runs are recorded (run-record.ts). Jobs from older versions have no records. */
  readonly hasRecords: boolean;
};

export type JobProgress = Pick<
  Job,
  "startedAt" | "endedAt" | "outcome" | "failures" | "lastExit" | "lastState" | "reason"
>;

/** Saves a new job and returns its version. Throws a `Refusal` 409 when the name is taken. */
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
        has_records: job.hasRecords ? 1 : 0,
        ...progressColumns(job),
      })
      .onConflict((conflict) => conflict.columns(["username", "name"]).doNothing())
      .executeTakeFirstOrThrow();
    if (!numInsertedOrUpdatedRows)
      throw new Refusal(409, `a job named ${job.name} already exists: choose another name`);
    return version;
  });
}

/** Saves a job's progress if the job still exists, and returns the new version. */
export async function saveProgress(db: Kysely<StateTables>, uid: string, progress: JobProgress): Promise<number> {
  return await db.transaction().execute(async (tx) => {
    const version = await nextVersion(tx);
    await tx
      .updateTable("jobs")
      .set({ version, has_records: 1, ...progressColumns(progress) })
      .where("uid", "=", uid)
      .execute();
    return version;
  });
}

export async function removeJob(db: Kysely<StateTables>, uid: string): Promise<void> {
  await db.deleteFrom("jobs").where("uid", "=", uid).execute();
}

/** A row as read: a job, or the readable parts of a damaged one. */
export type StoredJob = { readonly job: Job } | { readonly unreadable: Unreadable };

/** Every job of every user in the order of creation. Rows are read independently: a bad one doesn't hide the others. */
export async function storedJobs(db: Kysely<StateTables>): Promise<StoredJob[]> {
  // By row id, not by time: clocks jump.
  const rows = await db
    .selectFrom("jobs")
    .selectAll()
    .orderBy(sql`rowid`)
    .execute();
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

function progressColumns(
  progress: JobProgress,
): Pick<JobRow, "started_at" | "ended_at" | "outcome" | "failures" | "last_exit" | "last_state" | "reason"> {
  return {
    started_at: progress.startedAt ?? null,
    ended_at: progress.endedAt ?? null,
    outcome: progress.outcome ?? null,
    failures: progress.failures,
    last_exit: progress.lastExit ?? null,
    last_state: progress.lastState === undefined ? null : JSON.stringify(progress.lastState),
    reason: progress.reason ?? null,
  };
}

const Columns = z.object({
  created_at: z.iso.datetime(),
  version: z.int().min(0),
  instance: z.string(),
  started_at: z.iso.datetime().nullable(),
  ended_at: z.iso.datetime().nullable(),
  outcome: z.enum(["complete", "failed"]).nullable(),
  failures: z.int().min(0),
  last_exit: z.string().nullable(),
  last_state: z.string().nullable(),
  reason: z.string().nullable(),
  has_records: z.int(),
});

function fromRow(row: JobRow): StoredJob {
  const { uid, username, name } = row;
  const read = parseSaved(JobDefinition, row.definition);
  const columns = Columns.safeParse(row);
  if ("definition" in read && columns.success) {
    const { data } = columns;
    const { definition } = read;
    return { job: { uid, username, name, definition, ...fromColumns(data) } };
  }
  const reason = "reason" in read ? read.reason : "The saved row is damaged.";
  const createdAt = Columns.shape.created_at.safeParse(row.created_at).data;
  return { unreadable: { kind: "job", uid, username, region: "", name, createdAt, reason } };
}

function fromColumns(row: z.infer<typeof Columns>): Omit<Job, "uid" | "username" | "name" | "definition"> {
  return {
    createdAt: row.created_at,
    version: row.version,
    instance: row.instance,
    startedAt: row.started_at ?? undefined,
    endedAt: row.ended_at ?? undefined,
    outcome: row.outcome ?? undefined,
    failures: row.failures,
    lastExit: row.last_exit ?? undefined,
    // A damaged one only says less.
    lastState: SavedState.safeParse(jsonIn(row.last_state ?? "")).data,
    reason: row.reason ?? undefined,
    hasRecords: row.has_records === 1,
  };
}

const SavedState = z.object({
  reason: z.string().exactOptional(),
  exit_code: z.int().exactOptional(),
  finished_at: z.string().exactOptional(),
});
