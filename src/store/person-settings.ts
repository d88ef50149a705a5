import { z } from "zod";
import { parseRow } from "./schema/columns.ts";
import type { Session } from "./database/session.ts";
import type { PersonSettings } from "./store.ts";

type PersonId = { readonly teamId: string; readonly userId: string };

const SettingRow = z.object({ region: z.string() });

export async function settingsOf({ db }: Session, { teamId, userId }: PersonId): Promise<PersonSettings> {
  const unread = await db
    .selectFrom("person_setting")
    .selectAll()
    .where("team_id", "=", teamId)
    .where("user_id", "=", userId)
    .executeTakeFirst();
  if (unread === undefined) return { region: undefined };
  return parseRow(SettingRow, unread, `The settings of ${userId}`);
}

export async function setRegion(
  { db }: Session,
  { teamId, userId }: PersonId,
  region: string | undefined,
): Promise<void> {
  if (region === undefined) {
    await db.deleteFrom("person_setting").where("team_id", "=", teamId).where("user_id", "=", userId).execute();
    return;
  }
  await db
    .insertInto("person_setting")
    .values({ team_id: teamId, user_id: userId, region })
    .onConflict((conflict) => conflict.columns(["team_id", "user_id"]).doUpdateSet({ region }))
    .execute();
}
