import { randomInt } from "node:crypto";
import { sql } from "kysely";
import type { Closing, Installation, NewInstallation, NewTokens, Source } from "../workflow/stored.ts";
import { deleteDue, scheduleDue } from "./due.ts";
import { inBatches, inTransaction, removeRows, rowOf, rowsOf, type Session, updateRows } from "./database/session.ts";
import { scheduleCards } from "./posts.ts";
import { insertEvent, workspaceEvent } from "./events.ts";
import { parseRow, plainText } from "./schema/columns.ts";
import { InstallationRow } from "./schema/tables.ts";
import type { NewHistoryEvent } from "../changes/history-event.ts";
import { ended, move } from "./step.ts";

/** Installs or replaces. The first version is random: after a removal, a new installation never looks like the old one. */
export async function saveInstallation(session: Session, installation: NewInstallation): Promise<void> {
  const { id, enterpriseId = null } = installation;
  const row = {
    is_org: installation.isOrgWide ? 1 : 0,
    enterprise_id: enterpriseId,
    name: plainText(installation.name),
    app_id: installation.appId,
    bot_user_id: installation.botUserId,
    scopes: installation.scopes.join(","),
    ...tokenColumns(installation),
    installed_by: installation.installedBy,
    installed_at: session.clock(),
  };
  await inTransaction(session, async (inside) => {
    await inside.db
      .insertInto("installation")
      .values({ id, ...row, version: randomInt(1_000_000_000) })
      .onConflict((conflict) => conflict.column("id").doUpdateSet({ ...row, version: sql`installation.version + 1` }))
      .execute();
    await deleteDue(inside, { kinds: ["doubt", "token"], key: id });
    if (installation.expiresAt !== undefined) {
      // Its work decides when the token is renewed.
      await scheduleDue(inside, { kind: "token", key: id, teamId: "" });
    }
    if (!installation.isOrgWide) await open(inside, id);
  });
}

async function open(session: Session, teamId: string): Promise<void> {
  await redrawCards(session, teamId);
  await insertEvent(session, workspaceEvent("installed", teamId, ""));
}

function tokenColumns({ sealedTokens, expiresAt }: NewTokens) {
  return { sealed_tokens: sealedTokens, expires_at: expiresAt?.toISOString() ?? null };
}

/** Cards whose requests ended while the app was away, when Slack took no update. */
async function redrawCards(session: Session, teamId: string): Promise<void> {
  const blocked = await session.db
    .selectFrom("post")
    .select("id")
    .where("team_id", "=", teamId)
    .where("kind", "=", "change")
    .where("blocked_at", "is not", null)
    .execute();
  await inBatches(
    blocked.map(({ id }) => id),
    (some) => scheduleCards(session, some),
  );
}

/** The workspace's own installation, else its organization's. */
export async function findInstallation(
  { db }: Session,
  { teamId, enterpriseId }: Source,
): Promise<Installation | undefined> {
  const row = await db
    .selectFrom("installation")
    .selectAll()
    .where((where) =>
      where.or([
        where.and([where("id", "=", teamId ?? ""), where("is_org", "=", 0)]),
        where.and([where("id", "=", enterpriseId ?? ""), where("is_org", "=", 1)]),
      ]),
    )
    .orderBy("is_org")
    .limit(1)
    .executeTakeFirst();
  return row && installationIn(row);
}

export async function installationById({ db }: Session, id: string): Promise<Installation | undefined> {
  const row = await rowOf(db, "installation", { id });
  return row && installationIn(row);
}

/** The same for a workspace that was seen before. */
export async function installationOf(session: Session, teamId: string): Promise<Installation | undefined> {
  const org = await rowOf(session.db, "org_workspace", { team_id: teamId });
  return findInstallation(session, { teamId, enterpriseId: org?.enterprise_id });
}

/** Ids with their versions. */
export async function installationVersions({ db }: Session): Promise<ReadonlyMap<string, number>> {
  const rows = await db.selectFrom("installation").select(["id", "version"]).execute();
  return new Map(rows.map(({ id, version }) => [id, version]));
}

/** Remembers that a workspace uses its organization's installation. */
export async function saveOrgWorkspace(session: Session, teamId: string, enterpriseId: string): Promise<void> {
  await inTransaction(session, async (inside) => {
    const isNew = await inside.db
      .insertInto("org_workspace")
      .values({ team_id: teamId, enterprise_id: enterpriseId })
      .onConflict((conflict) => conflict.column("team_id").doNothing())
      .returning("team_id")
      .executeTakeFirst();
    if (isNew !== undefined) await open(inside, teamId);
  });
}

/** Workspaces that were seen using an installation. */
export async function workspacesOf({ db }: Session, { id, isOrgWide }: Installation): Promise<readonly string[]> {
  if (!isOrgWide) return [id];
  const rows = await rowsOf(db, "org_workspace", { enterprise_id: id });
  return rows.map(({ team_id }) => team_id);
}

/** Stores exchanged tokens. False: the app was installed again meanwhile, and nothing was stored. */
export async function rotated({ db }: Session, { id, version }: Installation, tokens: NewTokens): Promise<boolean> {
  const set = { ...tokenColumns(tokens), version: version + 1 };
  return (await updateRows(db, "installation", { having: { id, version }, set })) > 0;
}

/** Stores the same tokens sealed with another key; nothing when they were replaced meanwhile. */
export async function resealTokens(
  { db }: Session,
  { id, sealedTokens: before }: Installation,
  sealedTokens: string,
): Promise<void> {
  const having = { id, sealed_tokens: before };
  await updateRows(db, "installation", { having, set: { sealed_tokens: sealedTokens } });
}

/** Slack may have ended it: somebody has to ask. */
export async function suspectInstallation(session: Session, id: string): Promise<void> {
  await scheduleDue(session, { kind: "doubt", key: id, teamId: "" });
}

/** Deletes the installation with its tokens. False: it was gone or replaced meanwhile. */
export async function removeInstallation(
  session: Session,
  { id, version }: Pick<Installation, "id" | "version">,
): Promise<boolean> {
  return inTransaction(session, async (inside) => {
    const isRemoved = (await removeRows(inside.db, "installation", { id, version })) > 0;
    if (isRemoved) await deleteDue(inside, { kinds: ["doubt", "token"], key: id });
    return isRemoved;
  });
}

function installationIn(unread: { readonly id: string }): Installation {
  const { isOrg, scopes, ...same } = parseRow(InstallationRow, unread, `The installation ${unread.id}`);
  return { ...same, isOrgWide: isOrg, scopes: scopes === "" ? [] : scopes.split(",") };
}

/**
 * Ends requests that wait, deletes accounts, bindings, watches, settings of people and sealed content. History stays. A Run that
 * was sent goes on in its replica, and ends as unknown without its account.
 */
export async function closeWorkspace(session: Session, closing: Closing): Promise<void> {
  const { teamId } = closing;
  // One transaction each, as everywhere: replicas that close the same workspace don't wait for each other in a circle.
  for (const change of await waitingIn(session, teamId)) {
    await inTransaction(session, (inside) => cancel(inside, change, closing));
  }
  await inTransaction(session, (inside) => erase(inside, closing));
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
  const cancelled = await move(session, { id, step, set: ended(session, { kind: "cancelled", by }, id), event });
  // One that was sent meanwhile is still read back.
  if (cancelled !== undefined) await deleteDue(session, { kinds: ["change"], key: id });
}

async function erase(session: Session, { teamId }: Closing): Promise<void> {
  const { db } = session;
  const of = { team_id: teamId };
  // First, as steps of requests do.
  await updateRows(db, "change", { having: of, set: { sealed: "" } });
  const accounts = await removeRows(db, "account", of);
  const bindings = await removeRows(db, "binding", of);
  for (const table of ["person_setting", "profile", "watch", "mute"] as const) await removeRows(db, table, of); // names of tables
  // No card can be drawn without the app. Outdated ones are drawn when it is back, and sent Runs are settled then.
  const undrawn = await db
    .deleteFrom("due")
    .where("team_id", "=", teamId)
    .where("kind", "<>", "change")
    .returning("key")
    .execute();
  await db
    .deleteFrom("post")
    .where("team_id", "=", teamId)
    .where((where) => where.or([where("kind", "<>", "change"), where("ts", "is", null)]))
    .execute();
  await inBatches(
    undrawn.map(({ key }) => key),
    async (some) => {
      await db.updateTable("post").set({ blocked_at: session.clock() }).where("id", "in", some).execute();
    },
  );
  const watching = ["observation", "seen", "incident", "notice", "alert", "told_place"] as const; // names of tables
  for (const table of [...watching, "follow", "org_workspace"] as const) await removeRows(db, table, of); // names of tables
  if (await isClosed(session, teamId)) return;
  const result = `accounts deleted: ${accounts}, channel settings deleted: ${bindings}`;
  await insertEvent(session, workspaceEvent("uninstalled", teamId, result));
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
