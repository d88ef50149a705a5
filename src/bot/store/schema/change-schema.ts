import { sql } from "kysely";
import type { Flavour } from "../database/clock.ts";
import type { Db } from "../database/session.ts";

// The tables of the second migration. It was run somewhere, so nothing here changes: a later migration alters them.

export async function createChange(db: Db): Promise<void> {
  await sql`create table change (id text primary key, delivery_id text not null, state text not null,
    version integer not null, team_id text not null, requester_id text not null, requester_name text not null,
    channel_id text not null, verb text not null, reason text, op text not null,
    workload_kind text not null, workload_region text not null, workload_name text not null, workload_uid text,
    risk text not null, diff text not null, digest text not null, sealed text not null,
    account_owner text not null, account_username text not null, rule text not null, terms text,
    break_glass integer not null, undo_of text, is_undone integer not null,
    created_at text not null, expires_at text, approved_at text, claimed_at text, settled_at text,
    ending text, health text, owner text, running_key text,
    card_channel text, card_ts text, posts integer not null, drawn_version integer not null, told_seq bigint not null,
    stale integer not null, nowhere integer not null, drawing_token text, drawing_until text, draw_after text)`.execute(
    db,
  );
  await sql`create unique index change_delivery_id on change (delivery_id)`.execute(db);
  await sql`create unique index change_running_key on change (running_key)`.execute(db);
  // Small, however many changes there ever were: those that wait, those that somebody carries on, those to be drawn.
  await sql`create index change_pending on change (team_id, created_at) where state = 'pending'`.execute(db);
  await sql`create index change_open on change (owner) where state = 'approved' or state = 'claimed'
    or (state = 'unknown' and settled_at is null) or (state = 'done' and health is null)`.execute(db);
  await sql`create index change_undrawn on change (created_at) where stale = 1 and nowhere = 0`.execute(db);
  await sql`create index change_settled_at on change (settled_at)`.execute(db);
  await sql`create table vote (change_id text not null, user_id text not null, user_name text not null,
    number integer not null, voted_at text not null, primary key (change_id, user_id))`.execute(db);
}

export async function createEvent(db: Db, flavour: Flavour): Promise<void> {
  // Never the same number twice, not even after the newest rows were removed.
  const seq =
    flavour === "sqlite"
      ? sql`seq integer primary key autoincrement`
      : sql`seq bigint generated always as identity primary key`;
  await sql`create table event (${seq}, at text not null, kind text not null, team_id text not null, change_id text,
    user_id text, user_name text, channel_id text, verb text,
    workload_kind text, workload_region text, workload_name text, account text, rule text,
    break_glass integer not null, result text not null, elapsed_ms bigint, reference text)`.execute(db);
  await sql`create index event_team on event (team_id, seq)`.execute(db);
  await sql`create index event_workload on event (team_id, workload_name, seq)`.execute(db);
  await sql`create index event_user on event (team_id, user_id, seq)`.execute(db);
  await sql`create index event_change on event (change_id, seq)`.execute(db);
  await sql`create index event_at on event (at)`.execute(db);
}

export async function createRest(db: Db): Promise<void> {
  await sql`create table account (team_id text not null, owner_kind text not null, owner_id text not null,
    username text not null, sealed_token text not null, linked_by text not null, linked_at text not null,
    primary key (team_id, owner_kind, owner_id))`.execute(db);
  await sql`create table replica (id text primary key, alive_until text not null)`.execute(db);
  await sql`create table call_count (username text not null, day text not null, calls integer not null,
    primary key (username, day))`.execute(db);
}
