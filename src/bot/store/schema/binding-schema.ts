import { sql } from "kysely";
import type { Db } from "../database/session.ts";

// The tables of the third migration. It was run somewhere, so nothing here changes: a later migration alters them.

export async function createBinding(db: Db): Promise<void> {
  await sql`create table binding (team_id text not null, channel_id text not null,
    region text, account text, names text, is_locked integer not null,
    bound_by text not null, bound_by_name text not null, bound_at text not null,
    primary key (team_id, channel_id))`.execute(db);
}

export async function createPersonSetting(db: Db): Promise<void> {
  await sql`create table person_setting (team_id text not null, user_id text not null, region text not null,
    primary key (team_id, user_id))`.execute(db);
}
