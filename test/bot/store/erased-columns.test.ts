import { type Insertable, type Kysely, sql } from "kysely";
import { pino } from "pino";
import { afterAll, expect, test } from "vitest";
import { createSealer, newKey, readKeyring } from "../../../src/bot/accounts/seal.ts";
import { keysOf, readHead } from "../../../src/bot/store/audit/chain-rows.ts";
import { erasePerson } from "../../../src/bot/store/database/person.ts";
import type { Session } from "../../../src/bot/store/database/session.ts";
import { textSealer } from "../../../src/bot/store/database/text-sealer.ts";
import { openStore } from "../../../src/bot/store/open-store.ts";
import type { Tables } from "../../../src/bot/store/schema/tables.ts";
import { migratedInMemory } from "../../support/migrated-database.ts";
import { event } from "./contract/bench.ts";

const db: Kysely<Tables> = await migratedInMemory();
afterAll(() => db.destroy());

const ID = "U1";
/** A hyphen and quotes mean something in expressions and in JSON. */
const NAME = `Ann "Jo-Jo" Lee`;
const ACCOUNT = "ann-own";
const DIRECT = "D1";
const OWNER = JSON.stringify({ kind: "user", userId: ID });
/** What else a row needs. */
const at = "2026-11-26T10:00:00.000Z";
const ended = JSON.stringify({ kind: "rejected", by: { userId: ID, name: NAME }, reason: "no" });
const refused = { kind: "failed", why: `${NAME} may no longer do this.`, next: "Request it again." };
const noticed = { account: ACCOUNT, region: "us", kind: "job", name: "x", event: "job-done", words: "is complete" };

/** Columns that may hold something of a person, with that of Ann Lee. A new column needs a value here, or a place in `nothing`. */
const personal: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  account: { owner_id: ID, username: ACCOUNT, sealed_token: "t", linked_by: ID, owner_kind: "user" },
  alert: { taken_by: ID, taken_name: NAME, taken_from: ID, taken_from_name: NAME },
  binding: { bound_by: ID, bound_by_name: NAME },
  call_count: { username: ACCOUNT },
  change: {
    requester_id: ID,
    requester_name: NAME,
    channel_id: DIRECT,
    delivery_id: `said:T1:${DIRECT}:1.1`,
    reason: `${NAME} said so`,
    diff: JSON.stringify([`takes back revision 4 by ${NAME}`]),
    notice: `${NAME} may not approve any more`,
    sealed: `typed by ${NAME}`,
    account_owner: OWNER,
    account_username: ACCOUNT,
    ending: ended,
    terms: JSON.stringify({ from: { users: [ID] } }),
  },
  due: {
    key: JSON.stringify(["T1", ACCOUNT, "us", "job"]),
    payload: JSON.stringify({ owner: { userId: ID, name: NAME } }),
  },
  follow: { requester_id: ID, sealed: `${NAME} reads`, channel_id: DIRECT, stopped_by: NAME },
  incident: { account: ACCOUNT, state: `read with ${ACCOUNT}` },
  installation: { installed_by: ID },
  mute: { by_id: ID, by_name: NAME, place: ID },
  notice: { place: ID, event: JSON.stringify({ ...noticed, level: "idle", at }) },
  observation: { account: ACCOUNT },
  person_setting: { user_id: ID },
  post: { place: ID, instead_of: "C1", fallback: ID, channel: DIRECT, ts: "1.1", payload: JSON.stringify({ by: ID }) },
  profile: { user_id: ID, name: NAME },
  seen: { account: ACCOUNT, state: `read with ${ACCOUNT}` },
  told_place: { place: ID },
  vote: { user_id: ID, user_name: NAME },
  watch: { owner_id: ID, owner_name: NAME, account_owner: OWNER, account_username: ACCOUNT, place: ID },
};

/** Columns of these tables that hold nothing of a person. */
const nothing: Readonly<Record<string, string>> = {
  account: "team_id linked_at",
  alert: "id team_id sort created_at taken_at is_handed passed_at",
  audit_chain: "*",
  audit_receiver: "*",
  binding: "team_id channel_id region account names is_locked bound_at",
  call_count: "team_id day calls",
  change: `id state version team_id verb op workload_kind workload_region workload_name workload_uid risk digest rule
    break_glass undo_of undo_key wait_key is_undone created_at expires_at approved_at claimed_at settled_at health progress
    running_key notifies part_count part_of`,
  // Sealed until it is carried out.
  delivery: "*",
  due: "kind team_id at again_at token attempts created_at",
  // Its own test: rows are chained.
  event: "*",
  follow: "id team_id head_ts created_at",
  incident: "id team_id region kind name cause opened_at over_at ended_by times",
  installation: "id is_org enterprise_id name app_id bot_user_id scopes sealed_tokens expires_at version installed_at",
  migration: "*",
  moved_channel: "*",
  mute: "team_id names until",
  notice: "team_id id incident_id ripe_at due_at was_muted alert_id",
  observation: "team_id region kind looked_at every_ms version",
  org_workspace: "*",
  person_setting: "team_id region",
  post: "id kind key team_id posts told listed rest_until blocked_at created_at",
  profile: "team_id standing is_admin zone read_at",
  replica: "*",
  restored_backup: "*",
  seen: "team_id region kind name",
  told_place: "team_id message_at",
  vote: "change_id number voted_at",
  watch: "id team_id source kind names region events after_ms quiet digest is_digest paused_why created_at",
};

type Column = { readonly name: string; readonly dataType: string; readonly isNullable: boolean };

function wordsOf(text: string): readonly string[] {
  return text.split(/\s+/u).filter((word) => word !== "");
}

/** A row with what is Ann Lee's, and something in each other column that needs a value. */
function rowOf(table: string, columns: readonly Column[]): Record<string, unknown> {
  const own = personal[table] ?? {};
  const rest = columns
    .filter(({ name, isNullable }) => own[name] === undefined && (!isNullable || name === "id"))
    .map(
      ({ name, dataType }) =>
        [name, /int/iu.test(dataType) ? 0 : /_at$|^at$|day|until/u.test(name) ? at : "x"] as const,
    ); // pairs
  return { ...Object.fromEntries(rest), ...own };
}

const sealer = createSealer(readKeyring(newKey()));

/** What was sealed anew, for the row with this id or for none. */
function opened(text: string, id: string): string {
  if (!text.startsWith("g1.")) return text;
  for (const bind of [id, ""]) {
    try {
      return sealer.open(text, ["words", bind]);
    } catch {
      continue;
    }
  }
  return "(sealed for something else)";
}

test("every column either holds nothing of a person, or nothing of an erased one", async () => {
  const place = { kind: "shared", db, flavour: "sqlite" } as const; // literals
  const store = await openStore({ ...place, replicaId: "a", log: pino({ level: "silent" }), sealer });
  const tables = (await db.introspection.getTables()).filter(({ name }) => !name.startsWith("sqlite_"));
  const known = Object.fromEntries(
    tables.map(({ name, columns }) => {
      const none = nothing[name] === "*" ? columns.map((column) => column.name) : wordsOf(nothing[name] ?? "");
      return [name, [...Object.keys(personal[name] ?? {}), ...none].toSorted()];
    }),
  );
  expect(known).toEqual(
    Object.fromEntries(tables.map(({ name, columns }) => [name, columns.map((column) => column.name).toSorted()])),
  );
  for (const { name, columns } of tables.filter((table) => personal[table.name] !== undefined)) {
    const entries = Object.entries(rowOf(name, columns));
    await sql`insert into ${sql.table(name)} (${sql.join(entries.map(([column]) => sql.ref(column)))})
      values (${sql.join(entries.map(([, value]) => value))})`.execute(db);
  }
  // A list that is watched with their account, what was noticed in it for a channel, and a request of theirs that may not run any more.
  await sql`insert into due (kind, key, team_id, at, attempts, created_at)
    values ('round', ${JSON.stringify(["T1", ACCOUNT, "us", "job"])}, 'T1', ${at}, 0, ${at})`.execute(db);
  await sql`insert into notice (team_id, place, id, event, ripe_at, due_at, was_muted)
    values ('T1', 'C1', 'n1', ${JSON.stringify({ ...noticed, level: "idle", at })}, ${at}, ${at}, 0)`.execute(db);
  const ofChange = tables.find(({ name }) => name === "change")?.columns ?? [];
  const request = { ...rowOf("change", ofChange), id: "y", delivery_id: "y" };
  await db
    .insertInto("change")
    .values({ ...request, ending: JSON.stringify({ kind: "run", outcome: refused }) } as Insertable<Tables["change"]>) // all its columns
    .execute();
  // News of their request that is to be told in their conversation with the bot. It has no payload that names them.
  const news = {
    id: "news",
    kind: "requester",
    key: "x ended",
    team_id: "x",
    place: DIRECT,
    posts: 0,
    told: "[]",
  } as const; // a literal kind
  await db
    .insertInto("post")
    .values({ ...news, created_at: at })
    .execute();
  await store.addEvent(
    event("refused", { changeId: undefined, channelId: DIRECT, account: ACCOUNT, result: `no, ${NAME}` }),
  );
  const unasked = { who: undefined, changeId: "y", channelId: DIRECT, account: ACCOUNT };
  await store.addEvent(event("failed", { ...unasked, result: refused.why }));
  await store.sealHistory();
  const head = await readHead({ db });
  if (head === undefined) throw new Error("there is no chain");
  const chain = keysOf(sealer, head);
  const clock = Object.assign(() => sql<string>`(select max(at) from event)`, { shift: () => "0.000 seconds" });
  const session = { db, textSealer: textSealer(sealer), log: pino({ level: "silent" }), clock, chain } as Session; // what it uses

  await erasePerson(session, { chain, sealer }, ID);

  const left: string[] = [];
  for (const { name } of tables) {
    const { rows } = await sql<Record<string, unknown>>`select * from ${sql.table(name)}`.execute(db);
    for (const row of rows) {
      for (const [column, value] of Object.entries(row)) {
        const text = opened(String(value), typeof row["id"] === "string" ? row["id"] : "");
        if (/Ann \\*"Jo|\bU1\b|ann-own|\bD1\b/u.test(text)) left.push(`${name}.${column}: ${text}`);
      }
    }
  }
  expect(left).toEqual([]);
});
