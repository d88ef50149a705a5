import type { Kysely } from "kysely";
import { RunRow, type Settled } from "./run-row.ts";
import type { Tables } from "./tables.ts";

type Db = Kysely<Tables>;

/** A write that Slack delivered, before anything is known about its workload. */
export type NewRun = {
  readonly id: string;
  /** What Slack calls this delivery (its trigger_id): the same one again is the same write. */
  readonly deliveryId: string;
  readonly verb: string;
  readonly userId: string;
  readonly channelId: string;
  readonly responseUrl: string;
  readonly at: Date;
};

export type RunTarget = { readonly region: string; readonly kind: string; readonly name: string };

/**
 * Stores a delivery and its run in one transaction. False: this delivery was stored before, and somebody else has it.
 */
export async function acceptWrite(db: Db, run: NewRun): Promise<boolean> {
  const at = run.at.toISOString();
  return db.transaction().execute(async (transaction) => {
    const delivery = await transaction
      .insertInto("delivery")
      .values({ id: run.deliveryId, received_at: at })
      .onConflict((conflict) => conflict.column("id").doNothing())
      .returning("id")
      .executeTakeFirst();
    if (delivery === undefined) return false;
    await transaction
      .insertInto("run")
      .values({
        id: run.id,
        delivery_id: run.deliveryId,
        verb: run.verb,
        user_id: run.userId,
        channel_id: run.channelId,
        response_url: run.responseUrl,
        state: "accepted",
        created_at: at,
      })
      .execute();
    return true;
  });
}

/** Notes which workload a run turned out to be about. */
export async function aimRun(db: Db, id: string, target: RunTarget): Promise<void> {
  await db
    .updateTable("run")
    .set({ region: target.region, kind: target.kind, name: target.name })
    .where("id", "=", id)
    .execute();
}

/** From accepted to claimed, before the request leaves. False: it was claimed or settled before; nothing may be sent. */
export async function claimRun(db: Db, id: string, at: Date): Promise<boolean> {
  const claimed = await db
    .updateTable("run")
    .set({ state: "claimed", claimed_at: at.toISOString() })
    .where("id", "=", id)
    .where("state", "=", "accepted")
    .returning("id")
    .executeTakeFirst();
  return claimed !== undefined;
}

/** Records how a run ended, once. False: that stands already. */
export async function settleRun(
  db: Db,
  id: string,
  end: { readonly state: Settled; readonly at: Date },
): Promise<boolean> {
  const settled = await db
    .updateTable("run")
    .set({ state: end.state, settled_at: end.at.toISOString() })
    .where("id", "=", id)
    .where("state", "in", ["accepted", "claimed"])
    .returning("id")
    .executeTakeFirst();
  return settled !== undefined;
}

/** Runs that nobody carries on: before the first command of a process, those that the last one left behind. */
export async function openRuns(db: Db): Promise<readonly RunRow[]> {
  const rows = await db
    .selectFrom("run")
    .selectAll()
    .where("state", "in", ["accepted", "claimed"])
    .orderBy("created_at")
    .execute();
  return rows.map((row) => RunRow.parse(row));
}

/** One run, for whoever wants to know how it ended. */
export async function findRun(db: Db, id: string): Promise<RunRow | undefined> {
  const row = await db.selectFrom("run").selectAll().where("id", "=", id).executeTakeFirst();
  return row === undefined ? undefined : RunRow.parse(row);
}

/** Forgets deliveries older than `before`: Slack repeats one for minutes, not for hours. */
export async function pruneDeliveries(db: Db, before: Date): Promise<void> {
  await db.deleteFrom("delivery").where("received_at", "<", before.toISOString()).execute();
}
