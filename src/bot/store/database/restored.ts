import { sql, type SqlBool } from "kysely";
import type { Outcome } from "../../changes/change.ts";
import type { NewHistoryEvent } from "../../changes/history-event.ts";
import { requestIdOf } from "../../changes/stored-change.ts";
import { RESTORED } from "../deliveries.ts";
import { insertEvent, workspaceEvent } from "../events.ts";
import { EndingJson, HealthJson, toJson } from "../schema/columns.ts";
import { inTransaction, move } from "../step.ts";
import type { Session } from "./session.ts";

/** A row says that this database is a copy from then: `gantry backup` writes it into the copy, `gantry restore` too. */
const MARK = "restored_backup";

/** Before the migrations of a copy have run, its table may be missing. */
export function markStatements(takenAt: Date): readonly string[] {
  return [
    `create table if not exists ${MARK} (id integer primary key, taken_at text not null)`,
    `delete from ${MARK}`,
    `insert into ${MARK} (id, taken_at) values (1, '${takenAt.toISOString()}')`,
  ];
}

const OPEN = ["pending", "approved", "claimed", "unknown"] as const; // literal states

/**
 * On the first start over a copy: what was open then may have been sent since, so nothing of it is sent or followed again.
 * Each request ends as unknown, and its requester is told. Every replica that starts does it, until all of it is done.
 */
export async function closeRestored(session: Session): Promise<void> {
  const { db, log } = session;
  const mark = await db.selectFrom("restored_backup").select("taken_at").executeTakeFirst();
  if (mark === undefined) return;
  const taken = `${mark.taken_at.slice(0, 16).replace("T", " ")} UTC`;
  // They aren't begun: who sent one is told.
  await db.updateTable("delivery").set({ received_at: RESTORED }).where("finished_at", "is", null).execute();
  const open = await db
    .selectFrom("change")
    .select(["id"])
    .where("state", "in", OPEN)
    .where("settled_at", "is", null)
    .where("part_of", "is", null)
    .orderBy("created_at")
    .execute();
  for (const { id } of open) await inTransaction(session, (inside) => closeOne(inside, id, taken));
  // The automatic way back of a deploy, for one, would be a change too.
  const stopped = { kind: "unwatched", line: "not followed after a restore", excerpt: [] } as const; // a literal kind
  await db
    .updateTable("change")
    .set({ look_after: null, health: toJson(HealthJson, stopped) })
    .where("state", "=", "done")
    .where("health", "is", null)
    .execute();
  await db.updateTable("change").set({ look_after: null }).where("look_after", "is not", null).execute();
  await db.deleteFrom("restored_backup").execute();
  log.warn({ takenAt: mark.taken_at, requests: open.length }, "started over a backup: what was open is closed");
}

/** Another replica may have closed it meanwhile. */
const isOpen = sql<SqlBool>`settled_at is null`;

async function closeOne(session: Session, id: string, taken: string): Promise<void> {
  const outcome: Outcome = {
    kind: "unknown",
    after: "unread",
    why: `Gantry was restored from a backup of ${taken}, and this request may have run since.`,
    next: "Check the workload before you try again.",
  };
  const ending = toJson(EndingJson, { kind: "run", outcome });
  const set = { ending, settled_at: session.clock(), running_key: null, wait_key: null, look_after: null, owner: null };
  const change = await move(session, {
    id,
    step: { from: OPEN, to: "unknown" },
    set,
    only: [isOpen],
    event: undefined,
  });
  if (change === undefined) return;
  await session.db
    .updateTable("change")
    .set({ ...set, state: "unknown", version: sql`version + 1` })
    .where("part_of", "=", id)
    .where("settled_at", "is", null)
    .execute();
  const event: NewHistoryEvent = {
    ...workspaceEvent("unknown", change.teamId, `restored from a backup of ${taken}; check the workload`),
    changeId: requestIdOf(id),
    channelId: change.channelId,
    verb: change.verb,
    workload: { kind: change.workload.kind, region: change.workload.region, name: change.workload.name },
    account: change.account.username,
    rule: change.rule,
    breakGlass: change.breakGlass,
  };
  await insertEvent(session.db, session, event);
}
