import { z } from "zod";
import type { Vote } from "../changes/stored-change.ts";
import { parseRow, Time } from "./schema/columns.ts";
import type { Db } from "./database/session.ts";

const VoteRow = z.object({ change_id: z.string(), user_id: z.string(), user_name: z.string(), voted_at: Time });

/** The votes of some Changes, by Change, in the order in which they came. */
export async function votesOf(db: Db, ids: readonly string[]): Promise<ReadonlyMap<string, readonly Vote[]>> {
  const votes = new Map<string, Vote[]>();
  if (ids.length === 0) return votes;
  const rows = await db
    .selectFrom("vote")
    .selectAll()
    .where("change_id", "in", ids)
    .orderBy("number")
    .orderBy("voted_at")
    .execute();
  for (const unread of rows) {
    const row = parseRow(VoteRow, unread, `A vote on ${unread.change_id}`);
    const vote = { userId: row.user_id, name: row.user_name, at: row.voted_at };
    votes.set(row.change_id, [...(votes.get(row.change_id) ?? []), vote]);
  }
  return votes;
}
