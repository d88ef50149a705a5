import { sql, type SqlBool } from "kysely";
import { z } from "zod";
import type { NewHistoryEvent } from "../changes/history-event.ts";
import type { Binding } from "../policy/binding.ts";
import { Flag, parseRow, plainText, Time } from "./schema/columns.ts";
import { insertEvent } from "./events.ts";
import { maybe } from "./schema/json-columns.ts";
import type { Session } from "./database/session.ts";
import type { ChannelId, NewBinding } from "../workflow/ports.ts";

const BindingRow = z.object({
  region: maybe(z.string()),
  account: maybe(z.string()),
  names: maybe(z.string()),
  is_locked: Flag,
  bound_by: z.string(),
  bound_by_name: z.string(),
  bound_at: Time,
});

export async function bindingOf({ db }: Session, { teamId, channelId }: ChannelId): Promise<Binding | undefined> {
  const unread = await db
    .selectFrom("binding")
    .selectAll()
    .where("team_id", "=", teamId)
    .where("channel_id", "=", channelId)
    .executeTakeFirst();
  return unread && binding(channelId, unread);
}

type Columns = { readonly [Name in keyof z.input<typeof BindingRow>]: unknown };

export function binding(channelId: string, unread: Columns): Binding {
  const { region, account, names, ...row } = parseRow(BindingRow, unread, `The binding of ${channelId}`);
  return {
    region,
    account,
    names,
    isLocked: row.is_locked,
    boundBy: { userId: row.bound_by, name: row.bound_by_name },
    boundAt: row.bound_at,
  };
}

/** Writes the binding and its row of history, unless the channel is already bound to just that. */
export function bind(
  session: Session,
  { teamId, channelId, binding }: ChannelId & { readonly binding: NewBinding },
  event: NewHistoryEvent,
): Promise<boolean> {
  const { region = null, account = null, names = null, isLocked, boundBy } = binding;
  const terms = { region, account, names, is_locked: isLocked ? 1 : 0 };
  return session.db.transaction().execute(async (tx) => {
    const by = { bound_by: boundBy.userId, bound_by_name: plainText(boundBy.name), bound_at: session.clock() };
    const row = await tx
      .insertInto("binding")
      .values({ team_id: teamId, channel_id: channelId, ...terms, ...by })
      .onConflict((conflict) =>
        conflict
          .columns(["team_id", "channel_id"])
          .doUpdateSet({ ...terms, ...by })
          .where(
            sql<SqlBool>`binding.region is distinct from excluded.region
              or binding.account is distinct from excluded.account
              or binding.names is distinct from excluded.names
              or binding.is_locked <> excluded.is_locked`,
          ),
      )
      .returning("channel_id")
      .executeTakeFirst();
    if (row === undefined) return false;
    await insertEvent(tx, session, event);
    return true;
  });
}

export function unbind(session: Session, { teamId, channelId }: ChannelId, event: NewHistoryEvent): Promise<boolean> {
  return session.db.transaction().execute(async (tx) => {
    const row = await tx
      .deleteFrom("binding")
      .where("team_id", "=", teamId)
      .where("channel_id", "=", channelId)
      .returning("channel_id")
      .executeTakeFirst();
    if (row === undefined) return false;
    await insertEvent(tx, session, event);
    return true;
  });
}
