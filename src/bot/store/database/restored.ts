import { sql, type SqlBool } from "kysely";
import type { Outcome } from "../../changes/change.ts";
import type { NewHistoryEvent } from "../../changes/history-event.ts";
import { Health, requestIdOf, RESTORED_AT } from "../../changes/stored-change.ts";
import { insertEvent, workspaceEvent } from "../events.ts";
import type { DueKindName } from "../../workflow/due-kinds.ts";
import type { PostKindName } from "../../workflow/posts.ts";
import { schedulePosts } from "../posts.ts";
import { toJson } from "../schema/columns.ts";
import { ended, move } from "../step.ts";
import { inTransaction, type Session } from "./session.ts";

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

/** What a restore does with due work. `with its message`: kept or deleted as that is. */
const dueAfter: Readonly<
  Record<DueKindName, "kept" | "deleted" | "due now" | "due now without payload" | "with its message">
> = {
  audit: "kept",
  change: "deleted",
  // It isn't processed: its sender gets a message that Gantry was restored.
  delivery: "due now",
  digest: "due now without payload",
  doubt: "kept",
  follow: "due now",
  place: "deleted",
  post: "with its message",
  prune: "kept",
  requester: "with its message",
  rights: "deleted",
  round: "deleted",
  token: "kept",
  "watch news": "deleted",
};

/** What a restore does with messages: one that was due may have been posted since the backup. */
const postAfter: Readonly<Record<PostKindName, "kept" | "kept if posted" | "deleted">> = {
  alert: "kept if posted",
  announcement: "deleted",
  change: "kept",
  digest: "deleted",
  follow: "deleted",
  "follow end": "deleted",
  "follow lines": "deleted",
  requester: "deleted",
  "watch news": "deleted",
};

function kindsIn<Kind extends string, End extends string>(table: Readonly<Record<Kind, End>>, end: End): Kind[] {
  return (Object.keys(table) as Kind[]).filter((kind) => table[kind] === end); // its keys
}

const OPEN = ["pending", "approved", "claimed", "unknown"] as const; // literal states

/**
 * On the first start over a copy: what was open then may have gone on since, so nothing of it is sent, followed or told again.
 * Each request ends as unknown, and its requester is told; cards of incidents say that they aren't updated any more. One of the
 * replicas that start does it, in one transaction, while the others wait.
 */
export async function closeRestored(session: Session): Promise<void> {
  const closed = await inTransaction(session, async (inside) => {
    const mark = await inside.db.deleteFrom("restored_backup").returning("taken_at").executeTakeFirst();
    if (mark === undefined) return undefined;
    const requests = await closeRequests(inside, mark.taken_at);
    await endIncidents(inside);
    await endPosts(inside);
    await endDueWork(inside);
    return { takenAt: mark.taken_at, requests };
  });
  if (closed !== undefined) session.log.warn(closed, "started over a backup: what was open is closed");
}

async function closeRequests(session: Session, takenAt: string): Promise<number> {
  const { db } = session;
  const taken = `${takenAt.slice(0, 16).replace("T", " ")} UTC`;
  const open = await db
    .selectFrom("change")
    .select(["id"])
    .where("state", "in", OPEN)
    .where("settled_at", "is", null)
    .where("part_of", "is", null)
    .orderBy("created_at")
    .execute();
  for (const { id } of open) await closeOne(session, id, taken);
  // The automatic way back of a deploy, for one, would be a change too.
  const stopped = { kind: "unwatched", line: "not followed after a restore", excerpt: [] } as const; // a literal kind
  await db
    .updateTable("change")
    .set({ health: toJson(Health, stopped) })
    .where("state", "=", "done")
    .where("health", "is", null)
    .execute();
  return open.length;
}

/** Whatever is wrong is found anew. What no message tells yet is forgotten, because one may have told it since. */
async function endIncidents({ db, clock }: Session): Promise<void> {
  const isPosted = sql<SqlBool>`alert_id is not null
    and exists (select 1 from post where post.kind = 'alert' and post.key = notice.alert_id and post.ts is not null)`;
  await db
    .deleteFrom("notice")
    .where(sql<SqlBool>`not (${isPosted})`)
    .execute();
  const isTold = sql<SqlBool>`exists (select 1 from notice where notice.incident_id = incident.id)`;
  await db
    .deleteFrom("incident")
    .where(sql<SqlBool>`not (${isTold})`)
    .execute();
  await db
    .updateTable("incident")
    .set({ over_at: clock(), ended_by: "restored" })
    .where("over_at", "is", null)
    .execute();
  await db.deleteFrom("seen").execute();
  await db.deleteFrom("observation").execute();
}

async function endPosts(session: Session): Promise<void> {
  const { db } = session;
  await db.deleteFrom("post").where("kind", "in", kindsIn(postAfter, "deleted")).execute();
  await db
    .deleteFrom("post")
    .where("kind", "in", kindsIn(postAfter, "kept if posted"))
    .where("ts", "is", null)
    .execute();
  // Other messages aren't delivered, even if they are kept.
  const kept = sql<SqlBool>`key in (select id from post where ${sql.ref("post.kind")} in (${sql.join(kindsIn(postAfter, "kept"))}))`;
  await db
    .deleteFrom("due")
    .where("kind", "in", kindsIn(dueAfter, "with its message"))
    .where(sql<SqlBool>`not (${kept})`)
    .execute();
  const cards = await db
    .selectFrom("post")
    .select("key")
    .where(sql<SqlBool>`exists (
    select 1 from notice join incident on incident.id = notice.incident_id
    where notice.alert_id = post.key and incident.ended_by = 'restored')`)
    .execute();
  await schedulePosts(
    session,
    "alert",
    cards.map(({ key }) => key),
  );
  // Nobody was shown anything of those.
  await db.deleteFrom("follow").where("head_ts", "is", null).execute();
  await db.updateTable("follow").set({ stopped_by: "a restore from a backup" }).execute();
}

async function endDueWork({ db, clock }: Session): Promise<void> {
  await db.deleteFrom("due").where("kind", "in", kindsIn(dueAfter, "deleted")).execute();
  const dueNow = { token: null, at: clock(), again_at: null, created_at: RESTORED_AT.toISOString() };
  const begins = db
    .updateTable("due")
    .set(dueNow)
    .where("kind", "in", [...kindsIn(dueAfter, "due now"), ...kindsIn(dueAfter, "due now without payload")]);
  await begins.execute();
  await db
    .updateTable("due")
    .set({ payload: null })
    .where("kind", "in", kindsIn(dueAfter, "due now without payload"))
    .execute();
}

async function closeOne(session: Session, id: string, taken: string): Promise<void> {
  const outcome: Outcome = {
    kind: "unknown",
    after: "unread",
    why: `Gantry was restored from a backup of ${taken}, and this request may have run since.`,
    next: "Check the workload before you try again.",
  };
  const set = { ...ended(session, { kind: "run", outcome }, id), running_key: null, wait_key: null };
  const change = await move(session, {
    id,
    step: { from: OPEN, to: "unknown" },
    set,
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
  await insertEvent(session, event);
}
