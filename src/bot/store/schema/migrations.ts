import { sql } from "kysely";
import type { LiveReplica } from "../../health/facts.ts";
import { beat, liveReplicas } from "../database/replicas.ts";
import { type Db, type Flavour, inTransaction, type Session } from "../database/session.ts";
import { sealJson, type TextSealer } from "../database/text-sealer.ts";

export type Migration = {
  readonly title: string;
  readonly up: (session: Pick<Session, "db" | "flavour" | "textSealer">) => Promise<void>;
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
  {
    title: "what a requester wasn't told yet",
    async up({ db }) {
      await sql`create index change_unanswered on change (team_id, requester_id, created_at)
        where settled_at is null or owed_at is not null`.execute(db);
    },
  },
  {
    title: "watches and mutes",
    async up({ db }) {
      await sql`create table watch (id text primary key, team_id text not null, owner_id text not null,
        owner_name text not null, source text not null, account_owner text not null, account_username text not null,
        kind text not null, names text not null, region text not null, place text not null, events text not null,
        after_ms integer not null, quiet text, digest text, is_digest integer not null, created_at text not null)`.execute(
        db,
      );
      await sql`create unique index watch_key on watch
        (team_id, source, owner_id, place, kind, names, region, is_digest)`.execute(db);
      await sql`create index watch_place on watch (team_id, place)`.execute(db);
      await sql`create table mute (team_id text not null, place text not null, names text not null,
        until text not null, by_id text not null, by_name text not null,
        primary key (team_id, place, names))`.execute(db);
    },
  },
  {
    title: "time zones of people",
    async up({ db }) {
      await sql`alter table profile add column zone text`.execute(db);
    },
  },
  {
    title: "what is seen of watched workloads, and told of it",
    async up({ db }) {
      await createWatching(db);
    },
  },
  {
    title: "logs that are followed",
    async up({ db }) {
      await sql`create table follow (id text primary key, team_id text not null, channel_id text not null,
        requester_id text not null, sealed text not null, head_ts text, stopped_by text, created_at text not null,
        look_after text not null, token text, taken_until text)`.execute(db);
      await sql`create index follow_look_after on follow (look_after)`.execute(db);
      await sql`create index follow_team on follow (team_id)`.execute(db);
    },
  },
  {
    title: "a chain of all history",
    async up({ db }) {
      for (const column of ["salt", "chain_mark", "chain_digest", "chain_hash", "chain_note", "erased"]) {
        await sql`alter table event add column ${sql.ref(column)} text`.execute(db);
      }
      await sql`alter table event add column chain_number bigint`.execute(db);
      await sql`create unique index event_chain on event (chain_number) where chain_number is not null`.execute(db);
      await sql`create index event_unchained on event (seq) where chain_number is null`.execute(db);
      await sql`create table audit_chain (id integer primary key, chain text not null, sealed_secret text not null,
        first_number bigint not null, first_hash text not null, last_number bigint not null, last_hash text not null,
        begun_at text not null, takes_unmarked integer not null, mark text not null)`.execute(db);
      await sql`create table audit_receiver (name text primary key, number bigint not null, batch_to bigint,
        token text, leased_until text, next_at text, failures integer not null, failing_since text)`.execute(db);
    },
  },
  {
    title: "a database that was restored from a backup",
    async up({ db }) {
      // A copy of an older database may have got it before this ran.
      await sql`create table if not exists restored_backup (id integer primary key, taken_at text not null)`.execute(
        db,
      );
    },
  },
  {
    title: "when digests are due",
    async up({ db }) {
      await sql`alter table watch add column digest_due text`.execute(db);
    },
  },
  {
    title: "replies that the thread of a card has",
    async up({ db }) {
      await sql`alter table change add column told_replies text`.execute(db);
    },
  },
  {
    title: "jobs that completed, and who is told of their end",
    async up({ db }) {
      await sql`alter table change add column notifies integer not null default 0`.execute(db);
      await sql`create index change_job on change (team_id, settled_at)
        where op = 'createJob' and state = 'done'`.execute(db);
    },
  },
  {
    title: "why a watch of the file is paused",
    async up({ db }) {
      await sql`alter table watch add column paused_why text`.execute(db);
    },
  },
  {
    title: "who tells a digest now",
    async up({ db }) {
      await sql`alter table watch add column digest_token text`.execute(db);
      await sql`alter table watch add column digest_until text`.execute(db);
      await sql`alter table watch add column digest_posts integer not null default 0`.execute(db);
    },
  },
  {
    title: "that a watch ended, until its place was told",
    async up({ db }) {
      await sql`create table watch_news (id text primary key, team_id text not null, place text not null,
        owner_id text not null, news text not null, created_at text not null, token text, leased_until text,
        posts integer not null)`.execute(db);
    },
  },
  {
    title: "work that is due, in one table",
    async up({ db }) {
      await moveToDue(db);
    },
  },
  {
    title: "messages that are kept true, in one table",
    async up({ db, flavour }) {
      await moveToPost(db, flavour);
    },
  },
  {
    title: "cards of changes, in the same table",
    async up({ db, flavour }) {
      await moveCardsToPost(db, flavour);
    },
  },
  {
    title: "requests to carry on, as work that is due",
    async up({ db }) {
      await moveChangesToDue(db);
    },
  },
  {
    title: "what people asked for, as work that is due",
    async up({ db }) {
      await moveDeliveriesToDue(db);
    },
  },
  {
    title: "how requests ended and how their workloads are, sealed",
    async up({ db, textSealer }) {
      await sealEndings(db, textSealer);
    },
  },
  {
    title: "an index of the requests that go on, by their workload",
    async up({ db }) {
      await sql`create index change_workload on change (team_id, workload_name)
        where settled_at is null or state = 'done' and health is null`.execute(db);
    },
  },
  {
    // Nothing to change, but older programs can't read these rows.
    title: "more causes of incidents",
    async up() {},
  },
  {
    title: "the parts of a request get leases of their own",
    async up({ db }) {
      // What was not begun waits for its turn.
      await sql`insert into due (kind, key, team_id, at, attempts, created_at)
        select 'change', id, team_id, claimed_at, 0, claimed_at from change where part_of is not null and claimed_at is not null
          and (settled_at is null or state = 'done' and health is null)`.execute(db);
      await sql`update change set health = '{"kind":"unwatched","line":"","excerpt":[]}'
        where part_count > 0 and state = 'done' and health is null`.execute(db);
    },
  },
  {
    title: "who was on an incident before",
    async up({ db }) {
      await sql`alter table alert add column taken_from text`.execute(db);
      await sql`alter table alert add column taken_from_name text`.execute(db);
      await sql`alter table alert add column is_handed integer not null default 0`.execute(db);
      await sql`alter table alert add column passed_at text`.execute(db);
    },
  },
];

// The tables of the third migration. It was run somewhere, so nothing here changes: a later migration alters them.

/** How far this program knows the schema. */
export const schemaVersion = migrations.length;

/** Any number that no other program uses for its own lock in the same database. */
const LOCK_KEY = 4_718_205_361;

/** The second migration makes their table. */
const FIRST_WITH_REPLICAS = 2;

type Migrating = {
  /** Otherwise, older replicas may run with the database. */
  readonly isOnlyProcess?: boolean;
  /** In the same transaction, once the schema is up to date. */
  readonly finish?: (tx: Db) => Promise<void>;
};

/**
 * Brings the schema up to this program's version, all of it in one transaction: each migration runs once, also when two
 * replicas start together (the second one waits on PostgreSQL; a SQLite file has one process). Throws when the database
 * was written by a newer program: an older one would misread it.
 *
 * Resolves to the older replicas that are alive. Then nothing was changed, because migrations drop what those use.
 */
export async function migrate(
  session: Pick<Session, "db" | "flavour" | "clock" | "textSealer">,
  { isOnlyProcess = false, finish }: Migrating = {},
): Promise<readonly LiveReplica[]> {
  return inTransaction(session, async ({ db: tx, flavour, clock, textSealer }) => {
    if (flavour === "postgres") await sql`select pg_advisory_xact_lock(${sql.lit(LOCK_KEY)})`.execute(tx);
    await sql`create table if not exists migration (number integer primary key, title text not null, applied_at text not null)`.execute(
      tx,
    );
    const version = await versionOf(tx);
    if (version > schemaVersion) throw new Error(tooNew(version, flavour));
    if (!isOnlyProcess && version < schemaVersion && version >= FIRST_WITH_REPLICAS) {
      const older = await liveReplicas({ db: tx, clock });
      if (older.length > 0) return older;
    }
    for (const [index, { title, up }] of migrations.entries()) {
      const number = index + 1;
      if (number <= version) continue;
      await up({ db: tx, flavour, textSealer });
      await tx.insertInto("migration").values({ number, title, applied_at: clock() }).execute();
    }
    await finish?.(tx);
    return [];
  });
}

/** A replica that stops takes up to 25 s, and one that was killed counts as alive for 20 s. */
const STOP_WITHIN_MS = 30_000;
const ASK_EVERY_MS = 500;

/**
 * Brings the schema up to date and says that this replica lives, in one transaction: a newer version that starts right after it has to see
 * it. Waits for older replicas to stop. Throws an Error with a sentence when they go on: then nothing was changed.
 */
export async function upgrade(
  session: Omit<Session, "chain">,
  { isOnlyProcess, signal }: { readonly isOnlyProcess: boolean; readonly signal: AbortSignal | undefined },
): Promise<void> {
  const { log, machine } = session;
  const since = machine.elapsedMs();
  for (let isFirst = true; ; isFirst = false) {
    const older = await migrate(session, { isOnlyProcess, finish: (tx) => beat({ ...session, db: tx }) });
    if (older.length === 0) return;
    const names = older.map(({ id, report }) => (report ? `${report.host} (Gantry ${report.version})` : id)).join(", ");
    const [replicas, them] =
      older.length === 1
        ? ["a replica of an older version still uses", "it"]
        : ["replicas of an older version still use", "all of them"];
    if (machine.elapsedMs() - since >= STOP_WITHIN_MS) {
      throw new Error(
        `Gantry wasn't started. It has to change the database, and ${replicas} it: ${names}. ` +
          `Nothing was changed. Stop ${them}, then start this version.`,
      );
    }
    if (isFirst)
      log.warn(`${replicas} the database: ${names}; waiting up to ${STOP_WITHIN_MS / 1_000} s for ${them} to stop`);
    await machine.sleep(ASK_EVERY_MS, signal);
  }
}

/** The number of the last migration. Throws in a database without any. */
export async function versionOf(db: Db): Promise<number> {
  const { version } = await db
    .selectFrom("migration")
    .select((select) => select.fn.coalesce(select.fn.max("number"), sql<number>`0`).as("version"))
    .executeTakeFirstOrThrow();
  return version;
}

function tooNew(version: number, flavour: Session["flavour"]): string {
  const other = flavour === "sqlite" ? "set GANTRY_DATA to another folder" : "let DATABASE_URL name another database";
  return (
    `The data was written by a newer Gantry (schema ${version}, this program knows ${schemaVersion}). ` +
    `Start that version, or ${other}.`
  );
}

const AT_ONCE = 200;

async function sealEndings(db: Db, sealer: TextSealer): Promise<void> {
  // Of a rejection, the reason was sealed before, and nothing else in it is a text.
  const sealed = (text: string | null, id: string): string | null =>
    text === null || text.includes('"reason":"g1.') ? text : sealJson(sealer, text, id);
  for (let after = ""; ;) {
    const { rows } = await sql<Record<"id", string> & Record<"ending" | "health" | "progress", string | null>>`
      select id, ending, health, progress from change where id > ${after}
      and coalesce(ending, health, progress) is not null order by id limit ${AT_ONCE}`.execute(db);
    for (const { id, ending, health, progress } of rows) {
      await sql`update change set ending = ${sealed(ending, id)}, health = ${sealed(health, id)},
        progress = ${sealed(progress, id)} where id = ${id}`.execute(db);
    }
    const last = rows.at(-1);
    if (last === undefined) return;
    after = last.id;
  }
}

const LONG_AGO = "2026-01-01T00:00:00.000Z";

/** Rows keep their times and leases. */
async function moveToDue(db: Db): Promise<void> {
  await sql`create table due (kind text not null, key text not null, team_id text not null, at text not null,
    again_at text, token text, attempts integer not null, payload text, created_at text not null,
    primary key (kind, key))`.execute(db);
  await sql`create index due_at on due (kind, at)`.execute(db);
  const into = sql`insert into due (kind, key, team_id, at, token, attempts, payload, created_at)`;
  const leaseOr = (token: string, until: string, due: string) =>
    sql`case when ${sql.ref(token)} is null then ${sql.raw(due)} else ${sql.ref(until)} end, ${sql.ref(token)}`;
  await sql`${into} select 'digest', id, team_id, ${leaseOr("digest_token", "digest_until", "coalesce(digest_until, digest_due, created_at)")},
    case when digest_posts > 0 then 1 else 0 end, case when digest_due is null then null else '{"dueAt":"' || digest_due ||
      case when digest_posts > 0 then '","isMaybePosted":true}' else '"}' end end, created_at
    from watch where is_digest = 1 and paused_why is null`.execute(db);
  await sql`${into} select 'watch news', id, team_id, ${leaseOr("token", "leased_until", "coalesce(leased_until, created_at)")},
    posts, news, created_at from watch_news`.execute(db);
  await sql`${into} select 'follow', id, team_id, ${leaseOr("token", "taken_until", "look_after")}, 0, null, created_at
    from follow`.execute(db);
  // The sweep adds the rounds of watched lists. The work of a token itself waits for the right time.
  await sql`${into} select 'token', id, '', installed_at, null, 0, null, installed_at from installation
    where expires_at is not null`.execute(db);
  await sql`${into} select 'doubt', id, '', doubted_at, null, 0, null, doubted_at from installation
    where doubted_at is not null`.execute(db);
  await sql`${into} select 'audit', name, '', ${leaseOr("token", "leased_until", `coalesce(next_at, '${LONG_AGO}')`)},
    failures, null, coalesce(failing_since, '${sql.raw(LONG_AGO)}') from audit_receiver`.execute(db);
  for (const index of ["follow_look_after", "observation_due"]) await sql`drop index ${sql.ref(index)}`.execute(db);
  for (const [table, columns] of Object.entries({
    watch: ["digest_due", "digest_token", "digest_until", "digest_posts"],
    follow: ["look_after", "token", "taken_until"],
    observation: ["due_at", "token", "leased_until", "failures"],
    audit_receiver: ["token", "leased_until", "next_at", "failures"],
    installation: ["rotating_until", "doubted_at"],
  })) {
    for (const column of columns) await sql`alter table ${sql.table(table)} drop column ${sql.ref(column)}`.execute(db);
  }
  await sql`drop table watch_news`.execute(db);
}

/** What is being drawn is drawn again when its lease is over; what was posted nowhere is drawn when it changes. */
async function moveToPost(db: Db, flavour: Flavour): Promise<void> {
  await sql`create table post (id text primary key, kind text not null, key text not null, team_id text not null,
    payload text, place text not null, instead_of text, fallback text, channel text, ts text, posts integer not null,
    told text not null, listed text not null default '[]', rest_until text, blocked_at text, created_at text not null)`.execute(
    db,
  );
  await sql`create unique index post_key on post (kind, key, place)`.execute(db);
  await sql`create index post_place on post (team_id, place)`.execute(db);
  // Where the channel took no message, its owner has it.
  const isInstead = sql`card_channel like 'D%' and owner_id <> '' and owner_id <> place`;
  const ids = flavour === "sqlite" ? sql`group_concat(id, '","')` : sql`string_agg(id, '","')`;
  // Posting a message counted as two.
  await sql`insert into post (id, kind, key, team_id, place, instead_of, fallback, channel, ts, posts, told, listed, rest_until,
      blocked_at, created_at)
    select id, 'alert', id, team_id, case when ${isInstead} then owner_id else place end, case when ${isInstead} then place end,
      case when ${isInstead} then null else nullif(owner_id, '') end, card_channel, card_ts,
      case when card_ts is null or posts < 2 then posts else posts - 1 end, told,
      coalesce((select '["' || ${ids} || '"]' from notice where notice.alert_id = alert.id), '[]'), draw_after,
      case when nowhere = 1 then created_at end, created_at from alert`.execute(db);
  await sql`insert into due (kind, key, team_id, at, token, attempts, created_at)
    select 'post', id, team_id, coalesce(drawing_until, draw_after, created_at), drawing_token, 0, created_at
    from alert where stale = 1 and nowhere = 0`.execute(db);
  for (const index of ["alert_undrawn", "alert_place"]) await sql`drop index ${sql.ref(index)}`.execute(db);
  const drawing = ["drawing_token", "drawing_until", "draw_after", "version", "drawn_version", "stale", "nowhere"];
  for (const column of ["place", "owner_id", "told", "card_channel", "card_ts", "posts", ...drawing]) {
    await sql`alter table alert drop column ${sql.ref(column)}`.execute(db);
  }
}

/**
 * A card and its thread are where they were. One that is being drawn is drawn again when its lease is over; what a requester
 * wasn't told yet is told with the card, or instead of it.
 */
async function moveCardsToPost(db: Db, flavour: Flavour): Promise<void> {
  const cardIn = flavour === "sqlite" ? sql`json_extract(terms, '$.cardIn')` : sql`terms::json ->> 'cardIn'`;
  const isKept = sql`part_of is null and (card_ts is not null or (nowhere = 0 and (settled_at is null or stale = 1))
    or owed_at is not null)`;
  const story = sql`'"all 0 ' || told_seq || '"'`;
  const news = sql`case when told_news is null then '' else ',"' || told_news || '"' end`;
  // Who asked to be told of the end was told, in a direct message.
  const isAsked = sql`notifies = 1 and (told_news is not null or (settled_at is not null and owed_at is null))`;
  await sql`insert into post (id, kind, key, team_id, place, fallback, channel, ts, posts, told, created_at)
    select id, 'change', id, team_id, coalesce(${cardIn}, channel_id), requester_id, card_channel, card_ts, posts,
      '[' || ${story} || ${news} || case when ${isAsked} then ',"asked"' else '' end || ']', created_at
    from change where ${isKept}`.execute(db);
  await sql`insert into due (kind, key, team_id, at, token, attempts, created_at)
    select 'post', id, team_id, coalesce(drawing_until, draw_after, created_at), drawing_token, 0, created_at
    from change where ${isKept} and (stale = 1 or owed_at is not null)`.execute(db);
  const begun = await sql<{
    id: string;
    told_replies: string;
    told: string;
  }>`select change.id, told_replies, told from change
    join post on post.id = change.id where told_replies is not null`.execute(db);
  for (const { id, told_replies, told } of begun.rows) {
    const { upTo, keys } = JSON.parse(told_replies) as { readonly upTo: number; readonly keys: readonly string[] }; // of ours
    const known = JSON.parse(told) as readonly string[]; // written above
    const [, after = 0] = /"all 0 (\d+)"/u.exec(told) ?? [];
    const all = [...known, ...keys.map((key) => `${key} ${after} ${upTo}`)];
    await sql`update post set told = ${JSON.stringify(all)} where id = ${id}`.execute(db);
  }
  for (const index of ["change_undrawn", "change_owed", "change_unanswered"]) {
    await sql`drop index ${sql.ref(index)}`.execute(db);
  }
  await sql`create index change_unsettled on change (team_id, requester_id) where settled_at is null`.execute(db);
  await sql`create index post_unposted on post (team_id, fallback) where kind = 'change' and ts is null`.execute(db);
  const drawing = ["drawn_version", "told_seq", "told_replies", "stale", "nowhere", "drawing_token", "drawing_until"];
  const telling = ["draw_after", "owed_at", "told_news", "telling_until"];
  for (const column of ["card_channel", "card_ts", "posts", ...drawing, ...telling]) {
    await sql`alter table change drop column ${sql.ref(column)}`.execute(db);
  }
}

/** A request is carried on when its time to decide is over, at its next look, or once the lease of its replica is over. */
async function moveChangesToDue(db: Db): Promise<void> {
  await sql`insert into due (kind, key, team_id, at, attempts, created_at)
    select 'change', id, team_id, case when state = 'pending' then expires_at when look_after is not null then look_after
      else coalesce((select alive_until from replica where replica.id = change.owner), created_at) end, 0, created_at
    from change where part_of is null and (state = 'pending' and expires_at is not null or state = 'approved' or state = 'claimed'
      or (state = 'unknown' and settled_at is null) or (state = 'done' and health is null) or look_after is not null)`.execute(
    db,
  );
  await sql`drop index change_open`.execute(db);
  for (const column of ["owner", "look_after"])
    await sql`alter table change drop column ${sql.ref(column)}`.execute(db);
}

/** Which workspace it came from is sealed with the rest. */
async function moveDeliveriesToDue(db: Db): Promise<void> {
  await sql`insert into due (kind, key, team_id, at, attempts, payload, created_at)
    select 'delivery', id, '', coalesce((select alive_until from replica where replica.id = delivery.owner), received_at),
      1, sealed, received_at
    from delivery where finished_at is null and sealed is not null`.execute(db);
  await sql`drop index delivery_unfinished`.execute(db);
  for (const column of ["sealed", "owner", "finished_at"]) {
    await sql`alter table delivery drop column ${sql.ref(column)}`.execute(db);
  }
}

// The functions of released migrations: never edit one, add a new migration instead.

async function createBinding(db: Db): Promise<void> {
  await sql`create table binding (team_id text not null, channel_id text not null,
    region text, account text, names text, is_locked integer not null,
    bound_by text not null, bound_by_name text not null, bound_at text not null,
    primary key (team_id, channel_id))`.execute(db);
}

async function createPersonSetting(db: Db): Promise<void> {
  await sql`create table person_setting (team_id text not null, user_id text not null, region text not null,
    primary key (team_id, user_id))`.execute(db);
}

// The tables of the second migration. It was run somewhere, so nothing here changes: a later migration alters them.

async function createChange(db: Db): Promise<void> {
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

async function createEvent(db: Db, flavour: Flavour): Promise<void> {
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

async function createRest(db: Db): Promise<void> {
  await sql`create table account (team_id text not null, owner_kind text not null, owner_id text not null,
    username text not null, sealed_token text not null, linked_by text not null, linked_at text not null,
    primary key (team_id, owner_kind, owner_id))`.execute(db);
  await sql`create table replica (id text primary key, alive_until text not null)`.execute(db);
  await sql`create table call_count (username text not null, day text not null, calls integer not null,
    primary key (username, day))`.execute(db);
}

async function addDuplicateKeys(db: Db): Promise<void> {
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

async function addParts(db: Db): Promise<void> {
  await sql`alter table change add column part_count integer not null default 0`.execute(db);
  await sql`alter table change add column part_of text`.execute(db);
  await sql`create index change_part on change (part_of) where part_of is not null`.execute(db);
}

async function addInstallations(db: Db): Promise<void> {
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
async function separateWorkspaces(db: Db): Promise<void> {
  await sql`alter table call_count rename to call_count_before`.execute(db);
  await sql`create table call_count (team_id text not null, username text not null, day text not null,
    calls integer not null, primary key (team_id, username, day))`.execute(db);
  await sql`insert into call_count (team_id, username, day, calls)
    select coalesce((select team_id from event order by seq desc limit 1), ''), username, day, calls
    from call_count_before`.execute(db);
  await sql`drop table call_count_before`.execute(db);
  await sql`update change set running_key = team_id || '/' || running_key where running_key is not null`.execute(db);
}

async function createWatching(db: Db): Promise<void> {
  await sql`create table observation (team_id text not null, account text not null, region text not null,
    kind text not null, due_at text not null, token text, leased_until text, looked_at text, every_ms bigint not null,
    failures integer not null, version bigint not null, primary key (team_id, account, region, kind))`.execute(db);
  await sql`create index watch_account on watch (team_id, account_username)`.execute(db);
  await sql`create index observation_due on observation (due_at)`.execute(db);
  await sql`create table seen (team_id text not null, account text not null, region text not null, kind text not null,
    name text not null, state text not null, primary key (team_id, account, region, kind, name))`.execute(db);
  await sql`create table incident (id text primary key, team_id text not null, account text not null,
    region text not null, kind text not null, name text, cause text not null, opened_at text not null, over_at text,
    ended_by text, times integer not null, state text not null)`.execute(db);
  await sql`create index incident_list on incident (team_id, account, region, kind, over_at)`.execute(db);
  await sql`create table alert (id text primary key, team_id text not null, place text not null, owner_id text not null,
    sort text not null, created_at text not null, told text not null, taken_by text, taken_name text, taken_at text,
    version integer not null, drawn_version integer not null, stale integer not null, nowhere integer not null,
    card_channel text, card_ts text, posts integer not null,
    drawing_token text, drawing_until text, draw_after text)`.execute(db);
  await sql`create index alert_undrawn on alert (created_at) where stale = 1 and nowhere = 0`.execute(db);
  await sql`create index alert_place on alert (team_id, place, created_at)`.execute(db);
  await sql`create table notice (team_id text not null, place text not null, id text not null, incident_id text,
    event text, ripe_at text not null, due_at text not null, was_muted integer not null, alert_id text,
    primary key (team_id, place, id))`.execute(db);
  await sql`create index notice_due on notice (due_at) where alert_id is null`.execute(db);
  await sql`create index notice_incident on notice (incident_id) where incident_id is not null`.execute(db);
  await sql`create index notice_alert on notice (alert_id) where alert_id is not null`.execute(db);
  await sql`create table told_place (team_id text not null, place text not null, message_at text,
    primary key (team_id, place))`.execute(db);
}
