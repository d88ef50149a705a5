import type { Session } from "./database/session.ts";

type PersonId = { readonly teamId: string; readonly userId: string };

/** Stores the person's own default region; undefined removes it. */
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
