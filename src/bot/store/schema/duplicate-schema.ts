import { sql } from "kysely";
import type { Db } from "../database/session.ts";

// Part of a released migration: never edit, add a new migration instead.

export async function addDuplicateKeys(db: Db): Promise<void> {
  await sql`alter table change add column undo_key text`.execute(db);
  await sql`alter table change add column wait_key text`.execute(db);
  await sql`alter table change add column notice text`.execute(db);
  // Two simultaneous clicks used to create two Undos. Only one of them gets the key, or the unique index would fail.
  await sql`update change set undo_key = undo_of where id in (select min(id) from change where undo_of is not null
    and state not in ('rejected', 'cancelled', 'expired', 'drifted', 'failed') group by undo_of)`.execute(db);
  await sql`create unique index change_undo_key on change (undo_key)
    where state not in ('rejected', 'cancelled', 'expired', 'drifted', 'failed')`.execute(db);
  await sql`create unique index change_wait_key on change (wait_key) where state = 'pending' and wait_key is not null`.execute(
    db,
  );
}
