import type { StoredProfile } from "../workflow/stored.ts";
import { inBatches, removeRows, replaced, type Session, slices, WRITTEN_AT_ONCE } from "./database/session.ts";
import { parseRow, plainText, Time } from "./schema/columns.ts";
import { ProfileRow } from "./schema/tables.ts";

const WithAge = ProfileRow.extend({ now: Time });

const LONGEST_NAME = 200;
const LONGEST_ZONE = 60;

/** The newest stay. */
const MOST_ROWS = 100_000;
/** A profile counts for a day; two leave room for replicas whose statements take long. */
const KEEP_MS = 2 * 24 * 60 * 60_000;

/** Of those people who are known. */
export async function profilesOf(
  { db, clock }: Session,
  teamId: string,
  userIds: readonly string[],
): Promise<readonly StoredProfile[]> {
  const rows = await inBatches(userIds, (ids) =>
    db
      .selectFrom("profile")
      .select(["user_id", "name", "standing", "is_admin", "zone", "read_at"])
      .select(clock().as("now"))
      .where("team_id", "=", teamId)
      .where("user_id", "in", ids)
      .execute(),
  );
  return rows.map(profileIn);
}

/** Stores those that are newer than the stored ones. */
export async function saveProfiles(
  { db, clock }: Session,
  teamId: string,
  profiles: readonly StoredProfile[],
): Promise<void> {
  const rows = [...new Map(profiles.map((each) => [each.userId, each])).values()];
  for (const some of slices(rows, WRITTEN_AT_ONCE)) {
    await db
      .insertInto("profile")
      .values(
        some.map(({ userId, name, standing, isAdmin, zone, ageMs }) => ({
          team_id: teamId,
          user_id: userId,
          name: plainText(name).slice(0, LONGEST_NAME),
          standing,
          is_admin: isAdmin ? 1 : 0,
          zone: zone === undefined ? null : plainText(zone).slice(0, LONGEST_ZONE),
          read_at: clock(-ageMs),
        })),
      )
      .onConflict((conflict) =>
        conflict
          .columns(["team_id", "user_id"])
          .doUpdateSet(replaced<"profile">("name", "standing", "is_admin", "zone", "read_at"))
          .whereRef("profile.read_at", "<=", "excluded.read_at"),
      )
      .execute();
  }
}

export async function forgetProfile({ db }: Session, teamId: string, userId: string): Promise<void> {
  await removeRows(db, "profile", { team_id: teamId, user_id: userId });
}

/** Somebody changed in one workspace: the others ask Slack again. */
export async function forgetElsewhere({ db }: Session, teamId: string, userId: string): Promise<void> {
  await db.deleteFrom("profile").where("team_id", "<>", teamId).where("user_id", "=", userId).execute();
}

/** Removes what is too old to be used, and the oldest rows beyond a number. */
export async function pruneProfiles({ db, clock }: Session): Promise<void> {
  await db.deleteFrom("profile").where("read_at", "<", clock(-KEEP_MS)).execute();
  const last = await db
    .selectFrom("profile")
    .select("read_at")
    .orderBy("read_at", "desc")
    .offset(MOST_ROWS)
    .limit(1)
    .executeTakeFirst();
  if (last !== undefined) await db.deleteFrom("profile").where("read_at", "<=", last.read_at).execute();
}

function profileIn(row: unknown): StoredProfile {
  const { readAt, now, ...profile } = parseRow(WithAge, row, "A profile");
  return { ...profile, ageMs: Math.max(0, now.getTime() - readAt.getTime()) };
}
