import { sql } from "kysely";
import type { Db } from "../database/session.ts";

// Part of a released migration: never edit, add a new migration instead.

export async function addInstallations(db: Db): Promise<void> {
  // `id` is a workspace's id, or the organization's for an app that is installed in the whole organization.
  await sql`create table installation (id text primary key, is_org integer not null, enterprise_id text,
    name text not null, app_id text not null, bot_user_id text not null, scopes text not null,
    sealed_tokens text not null, expires_at text, version integer not null, rotating_until text, doubted_at text,
    installed_by text not null, installed_at text not null)`.execute(db);
  // Workspaces that use the installation of their organization, from the first delivery on.
  await sql`create table org_workspace (team_id text primary key, enterprise_id text not null)`.execute(db);
  await sql`create index org_workspace_enterprise on org_workspace (enterprise_id)`.execute(db);
}

/** Calls are counted, and Runs exclude each other, inside of one workspace. Before, a database had only one. */
export async function separateWorkspaces(db: Db): Promise<void> {
  await sql`alter table call_count rename to call_count_before`.execute(db);
  await sql`create table call_count (team_id text not null, username text not null, day text not null,
    calls integer not null, primary key (team_id, username, day))`.execute(db);
  await sql`insert into call_count (team_id, username, day, calls)
    select coalesce((select team_id from event order by seq desc limit 1), ''), username, day, calls
    from call_count_before`.execute(db);
  await sql`drop table call_count_before`.execute(db);
  await sql`update change set running_key = team_id || '/' || running_key where running_key is not null`.execute(db);
}
