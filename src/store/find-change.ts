import type { Selectable } from "kysely";
import type { StoredChange } from "../changes/stored-change.ts";
import { storedChange } from "./change-row.ts";
import type { Db } from "./database/session.ts";
import type { ChangeTable } from "./schema/tables.ts";
import { votesOf } from "./votes.ts";

export async function findBy(db: Db, column: "id" | "delivery_id", value: string): Promise<StoredChange | undefined> {
  const row = await db.selectFrom("change").selectAll().where(column, "=", value).executeTakeFirst();
  return row === undefined ? undefined : withVotes(db, row);
}

export async function withVotes(db: Db, row: Selectable<ChangeTable>): Promise<StoredChange> {
  const votes = await votesOf(db, [row.id]);
  return storedChange(row, votes.get(row.id) ?? []);
}
