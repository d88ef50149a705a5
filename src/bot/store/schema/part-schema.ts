import { sql } from "kysely";
import type { Db } from "../database/session.ts";

// Part of a released migration: never edit, add a new migration instead.

export async function addParts(db: Db): Promise<void> {
  await sql`alter table change add column part_count integer not null default 0`.execute(db);
  await sql`alter table change add column part_of text`.execute(db);
  await sql`create index change_part on change (part_of) where part_of is not null`.execute(db);
}
