import type { NewHistoryEvent } from "../../changes/history-event.ts";
import type { Closing } from "../../workflow/access/installation.ts";
import { ended } from "../advance.ts";
import type { Session } from "../database/session.ts";
import { insertEvent, workspaceEvent } from "../events.ts";
import { move, within } from "../step.ts";

/**
 * Ends requests that wait, deletes accounts, bindings, settings of people and sealed content. History stays. A Run that
 * was sent goes on: whoever has it settles it, and without its account it ends as unknown.
 */
export async function closeWorkspace(session: Session, closing: Closing): Promise<void> {
  const { teamId } = closing;
  // One transaction each, as everywhere: replicas that close the same workspace don't wait for each other in a circle.
  for (const change of await waitingIn(session, teamId)) {
    await within(session, (inside) => cancel(inside, change, closing));
  }
  await within(session, (inside) => erase(inside, closing));
}

function waitingIn({ db }: Session, teamId: string) {
  return db
    .selectFrom("change")
    .select([
      "id",
      "channel_id",
      "verb",
      "workload_kind",
      "workload_region",
      "workload_name",
      "account_username",
      "rule",
    ])
    .where("team_id", "=", teamId)
    .where("state", "in", ["pending", "approved"])
    .where("part_of", "is", null)
    .orderBy("created_at")
    .execute();
}

type Waiting = Awaited<ReturnType<typeof waitingIn>>[number];

async function cancel(session: Session, { id, ...row }: Waiting, { teamId, by }: Closing): Promise<void> {
  const step = { from: ["pending", "approved"], to: "cancelled" } as const; // literal states
  const event: NewHistoryEvent = {
    ...workspaceEvent("cancelled", teamId, "Gantry was removed from this workspace"),
    changeId: id,
    channelId: row.channel_id,
    verb: row.verb,
    workload: { kind: row.workload_kind, region: row.workload_region, name: row.workload_name },
    account: row.account_username,
    rule: row.rule,
  };
  await move(session, { id, step, set: ended(session, { kind: "cancelled", by }), event });
}

async function erase(session: Session, { teamId }: Closing): Promise<void> {
  const { db } = session;
  const accounts = await db.deleteFrom("account").where("team_id", "=", teamId).returning("owner_id").execute();
  const bindings = await db.deleteFrom("binding").where("team_id", "=", teamId).returning("channel_id").execute();
  await db.deleteFrom("person_setting").where("team_id", "=", teamId).execute();
  await db.deleteFrom("profile").where("team_id", "=", teamId).execute();
  await db.deleteFrom("org_workspace").where("team_id", "=", teamId).execute();
  // Nobody can draw its cards now. Those that are out of date are drawn when the app is back.
  await db.updateTable("change").set({ sealed: "", nowhere: 1, owed_at: null }).where("team_id", "=", teamId).execute();
  if (await isClosed(session, teamId)) return;
  const result = `accounts deleted: ${accounts.length}, channel settings deleted: ${bindings.length}`;
  await insertEvent(db, session, workspaceEvent("uninstalled", teamId, result));
}

async function isClosed({ db }: Session, teamId: string): Promise<boolean> {
  const last = await db
    .selectFrom("event")
    .select("kind")
    .where("team_id", "=", teamId)
    .orderBy("seq", "desc")
    .limit(1)
    .executeTakeFirst();
  return last?.kind === "uninstalled";
}
