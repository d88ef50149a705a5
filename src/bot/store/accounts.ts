import { z } from "zod";
import type { AccountOwner, AccountSeeker, LinkedAccount } from "../accounts/account.ts";
import type { NewHistoryEvent } from "../changes/history-event.ts";
import { parseRow, Time } from "./schema/columns.ts";
import { insertEvent } from "./events.ts";
import type { Session } from "./database/session.ts";
import type { Tables } from "./schema/tables.ts";

const AccountRow = z.object({
  team_id: z.string(),
  owner_kind: z.enum(["channel", "user", "workspace"]),
  owner_id: z.string(),
  username: z.string(),
  sealed_token: z.string(),
  linked_by: z.string(),
  linked_at: Time,
});

function idOf(owner: AccountOwner): string {
  if (owner.kind === "workspace") return "";
  return owner.kind === "user" ? owner.userId : owner.channelId;
}

function ownerOf({ owner_kind: kind, owner_id: id }: z.infer<typeof AccountRow>): AccountOwner {
  if (kind === "workspace") return { kind };
  return kind === "user" ? { kind, userId: id } : { kind, channelId: id };
}

/** Links an account; one that the owner had is replaced. */
export async function saveAccount(
  session: Session,
  account: Omit<LinkedAccount, "linkedAt">,
  event: NewHistoryEvent,
): Promise<void> {
  const { username, owner } = account;
  const linked = { username, sealed_token: account.sealedToken, linked_by: account.linkedBy };
  await session.db.transaction().execute(async (tx) => {
    const row = { ...linked, linked_at: session.clock() };
    await tx
      .insertInto("account")
      .values({ ...row, team_id: account.teamId, owner_kind: owner.kind, owner_id: idOf(owner) })
      .onConflict((conflict) => conflict.columns(["team_id", "owner_kind", "owner_id"]).doUpdateSet(row))
      .execute();
    await insertEvent(tx, session, event);
  });
}

/** Updates only the row that was read: an account linked in the meantime stays. */
export async function resealAccount({ db }: Session, account: LinkedAccount, sealedToken: string): Promise<void> {
  const { teamId, owner } = account;
  await db
    .updateTable("account")
    .set({ sealed_token: sealedToken })
    .where("team_id", "=", teamId)
    .where("owner_kind", "=", owner.kind)
    .where("owner_id", "=", idOf(owner))
    .where("sealed_token", "=", account.sealedToken)
    .execute();
}

/** Forgets an account and its token. False: there was none, and nothing is written. */
export function removeAccount(
  session: Session,
  { teamId, owner }: { readonly teamId: string; readonly owner: AccountOwner },
  event: NewHistoryEvent,
): Promise<boolean> {
  return session.db.transaction().execute(async (tx) => {
    const row = await tx
      .deleteFrom("account")
      .where("team_id", "=", teamId)
      .where("owner_kind", "=", owner.kind)
      .where("owner_id", "=", idOf(owner))
      .returning("owner_id")
      .executeTakeFirst();
    if (row === undefined) return false;
    await insertEvent(tx, session, event);
    return true;
  });
}

/** The person's own account, the channel's and the workspace's. */
export async function accountsFor({ db }: Session, { teamId, userId, channelId }: AccountSeeker) {
  const rows = await db
    .selectFrom("account")
    .selectAll()
    .where("team_id", "=", teamId)
    .where((where) =>
      where.or([
        where.and([where("owner_kind", "=", "user"), where("owner_id", "=", userId)]),
        where.and([where("owner_kind", "=", "channel"), where("owner_id", "=", channelId)]),
        where("owner_kind", "=", "workspace"),
      ]),
    )
    .execute();
  const accounts = rows.flatMap((row) => linkedAccount(row) ?? []);
  return {
    own: accounts.find(({ owner }) => owner.kind === "user"),
    channel: accounts.find(({ owner }) => owner.kind === "channel"),
    workspace: accounts.find(({ owner }) => owner.kind === "workspace"),
  };
}

type Columns = { readonly [Name in keyof Tables["account"]]: Tables["account"][Name] | null };

/** Undefined for columns of an outer join that found none. */
export function linkedAccount(unread: Columns): LinkedAccount | undefined {
  if (unread.username === null) return undefined;
  const row = parseRow(AccountRow, unread, `The account of ${unread.owner_id}`);
  return {
    teamId: row.team_id,
    owner: ownerOf(row),
    username: row.username,
    sealedToken: row.sealed_token,
    linkedBy: row.linked_by,
    linkedAt: row.linked_at,
  };
}
