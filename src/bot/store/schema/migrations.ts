import { sql } from "kysely";
import type { Session } from "../database/session.ts";
import { createBinding, createPersonSetting } from "./binding-schema.ts";
import { createChange, createEvent, createRest } from "./change-schema.ts";
import { addDuplicateKeys } from "./duplicate-schema.ts";
import { addParts } from "./part-schema.ts";
import { addInstallations, separateWorkspaces } from "./workspace-schema.ts";

export type Migration = {
  readonly title: string;
  readonly up: (session: Pick<Session, "db" | "flavour">) => Promise<void>;
};

/** In order, numbered from 1. Each of these has run in some database: only append. */
export const migrations: readonly Migration[] = [
  {
    title: "deliveries and runs",
    async up({ db }) {
      await db.schema
        .createTable("delivery")
        .addColumn("id", "text", (column) => column.primaryKey())
        .addColumn("received_at", "text", (column) => column.notNull())
        .execute();
      await db.schema.createIndex("delivery_received_at").on("delivery").column("received_at").execute();
      await db.schema
        .createTable("run")
        .addColumn("id", "text", (column) => column.primaryKey())
        .addColumn("delivery_id", "text", (column) => column.notNull().unique())
        .addColumn("verb", "text", (column) => column.notNull())
        .addColumn("user_id", "text", (column) => column.notNull())
        .addColumn("channel_id", "text", (column) => column.notNull())
        .addColumn("response_url", "text", (column) => column.notNull())
        .addColumn("region", "text")
        .addColumn("kind", "text")
        .addColumn("name", "text")
        .addColumn("state", "text", (column) => column.notNull())
        .addColumn("created_at", "text", (column) => column.notNull())
        .addColumn("claimed_at", "text")
        .addColumn("settled_at", "text")
        .execute();
      await db.schema.createIndex("run_state").on("run").column("state").execute();
    },
  },
  {
    title: "changes, votes, events, accounts and replicas",
    async up({ db, flavour }) {
      // It held addresses that can post in Slack, and nothing that has to be carried on by this program.
      await db.schema.dropTable("run").execute();
      // Deliveries of the last hour must not act again, so these rows stay.
      await db.schema.alterTable("delivery").addColumn("sealed", "text").execute();
      await db.schema.alterTable("delivery").addColumn("owner", "text").execute();
      await db.schema.alterTable("delivery").addColumn("finished_at", "text").execute();
      await sql`update delivery set finished_at = received_at`.execute(db);
      await sql`create index delivery_unfinished on delivery (owner) where finished_at is null`.execute(db);
      await createChange(db);
      await createEvent(db, flavour);
      await createRest(db);
    },
  },
  {
    title: "bindings of channels, settings of people",
    async up({ db }) {
      await createBinding(db);
      await createPersonSetting(db);
    },
  },
  {
    title: "one undo for each change, one card for equal requests",
    async up({ db }) {
      await addDuplicateKeys(db);
    },
  },
  {
    title: "the last look at a job that is followed",
    async up({ db }) {
      await sql`alter table change add column progress text`.execute(db);
    },
  },
  {
    title: "several workloads in one request",
    async up({ db }) {
      await addParts(db);
    },
  },
  {
    title: "several workspaces",
    async up({ db }) {
      await addInstallations(db);
      await separateWorkspaces(db);
    },
  },
  {
    title: "what a replica says about itself",
    async up({ db }) {
      await sql`alter table replica add column report text`.execute(db);
    },
  },
  {
    title: "channels that got another id",
    async up({ db }) {
      await sql`create table moved_channel (team_id text not null, old_id text not null, new_id text not null,
        primary key (team_id, old_id))`.execute(db);
    },
  },
  {
    title: "history by time",
    async up({ db }) {
      await sql`create index event_team_at on event (team_id, at, seq)`.execute(db);
    },
  },
  {
    title: "what a requester is still owed",
    async up({ db }) {
      await sql`alter table change add column owed_at text`.execute(db);
      await sql`alter table change add column told_news text`.execute(db);
      await sql`alter table change add column telling_until text`.execute(db);
      await sql`create index change_owed on change (owed_at) where owed_at is not null`.execute(db);
    },
  },
  {
    title: "when a workload is looked at next",
    async up({ db }) {
      await sql`alter table change add column look_after text`.execute(db);
      await sql`drop index change_open`.execute(db);
      await sql`create index change_open on change (owner) where state = 'approved' or state = 'claimed'
        or (state = 'unknown' and settled_at is null) or (state = 'done' and health is null)
        or look_after is not null`.execute(db);
    },
  },
  {
    title: "profiles of people",
    async up({ db }) {
      await sql`create table profile (team_id text not null, user_id text not null, name text not null,
        standing text not null, is_admin integer not null, read_at text not null,
        primary key (team_id, user_id))`.execute(db);
      await sql`create index profile_user on profile (user_id)`.execute(db);
      await sql`create index profile_read_at on profile (read_at)`.execute(db);
    },
  },
];
