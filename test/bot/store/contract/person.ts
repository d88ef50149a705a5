import { type Kysely, sql } from "kysely";
import { pino } from "pino";
import { expect, test } from "vitest";
import { boundTo } from "../../../../src/bot/accounts/resolve.ts";
import { createSealer, newKey, readKeyring, type Sealer } from "../../../../src/bot/accounts/seal.ts";
import { exportLines, verifyLines } from "../../../../src/bot/compose/audit/audit-command.ts";
import { keysOf, readHead } from "../../../../src/bot/store/audit/chain-rows.ts";
import { checkDatabase } from "../../../../src/bot/store/audit/read-chain.ts";
import { erasePerson, openOf, personRows } from "../../../../src/bot/store/database/person.ts";
import { resealAll, sealedCounts } from "../../../../src/bot/store/database/sealed-columns.ts";
import type { Session } from "../../../../src/bot/store/database/session.ts";
import { textSealer } from "../../../../src/bot/store/database/text-sealer.ts";
import type { Tables } from "../../../../src/bot/store/schema/tables.ts";
import { ann, type Bench, bob, event, pendingChange, votes, deliveryOf } from "./bench.ts";

const oldKey = newKey();
const older = createSealer(readKeyring(oldKey));

async function chainOf(db: Kysely<Tables>, sealer: Sealer) {
  const head = await readHead({ db });
  if (head === undefined) throw new Error("there is no chain");
  return keysOf(sealer, head);
}

/** All that stands in the database, with the texts that the sealer opens. */
async function everything(db: Kysely<Tables>): Promise<string> {
  const all: string[] = [];
  for (const { name } of await db.introspection.getTables()) {
    const { rows } = await sql`select * from ${sql.table(name)}`.execute(db);
    all.push(...rows.map((row) => `${name} ${JSON.stringify(row)}`));
  }
  return all.join("\n");
}

/** Rows of what is watched, followed and told that are theirs, name them, or lie in their direct message. */
const watched = [
  "insert into follow (id, team_id, channel_id, requester_id, sealed, created_at) values ('f1', 'T1', 'C1', 'U1', '', '2026')",
  `insert into due (kind, key, team_id, at, attempts, payload, created_at) values ('watch news', 'n1', 'T1', '2026', 0, '{"owner":{"userId":"U1"}}', '2026')`,
  "insert into mute (team_id, place, names, until, by_id, by_name) values ('T1', 'C1', '*', '2026', 'U1', 'Ann Lee'), ('T1', 'U1', '*', '2026', 'U1', 'Ann Lee')",
  "insert into notice (team_id, place, id, ripe_at, due_at, was_muted) values ('T1', 'U1', 'n1', '2026', '2026', 0)",
  "insert into told_place (team_id, place) values ('T1', 'U1')",
  "insert into alert (id, team_id, taken_by, taken_name, sort, created_at) values ('a1', 'T1', 'U1', 'Ann Lee', 'x', '2026')",
  ...["'C1', null, 'U1', 'C1'", "'U1', 'C1', null, 'D1'", "'U1', null, null, null"].map(
    (where, at) =>
      `insert into post (id, kind, key, team_id, place, instead_of, fallback, channel, posts, told, created_at) values ('p${at}', 'alert', 'a${at}', 'T1', ${where}, 1, '[]', '2026')`,
  ),
  `insert into post (id, kind, key, team_id, payload, place, posts, told, created_at) values ('p9', 'watch news', 'n1', 'T1', '{"owner":{"userId":"U1"}}', 'C1', 0, '[]', '2026')`,
  "insert into binding (team_id, channel_id, is_locked, bound_by, bound_by_name, bound_at) values ('T1', 'C1', 0, 'U1', 'Ann Lee', '2026')",
  "insert into installation (id, is_org, name, app_id, bot_user_id, scopes, sealed_tokens, version, installed_by, installed_at) values ('T1', 0, 'x', 'x', 'x', '', '', 1, 'U1', '2026')",
];

export function personContract({ replica, db }: Bench): void {
  test("a person is erased, their events stay in the chain, and others keep what they did", async () => {
    const a = await replica("a", { sealer: older });
    const direct = event("refused", { changeId: undefined, channelId: "D1", result: "may not see payroll" });
    await a.addChange(pendingChange("AAA111"), event("requested", { result: "6 → 2; reason: the sale begins" }));
    await a.vote("AAA111", bob, { ...votes, voted: event("voted", { who: bob, result: "asked by Ann Lee" }) });
    await a.addChange(
      pendingChange("BBB222", { requester: bob }),
      event("requested", { who: bob, result: "Annex stays" }),
    );
    await a.reject(
      "BBB222",
      { who: ann, reason: "not on my watch" },
      event("rejected", { who: ann, result: "not on my watch" }),
    );
    await a.addEvent(direct);
    const takesBack = { call: "back", diff: ["to revision 3", "also takes back revision 4 by Ann Lee: changes LEVEL"] };
    const content = ["change", "CCC333"];
    await a.addChange(
      pendingChange("CCC333", {
        requester: bob,
        reason: "Ann Lee said so",
        diff: takesBack.diff,
        sealed: older.seal(
          JSON.stringify({ ask: { verb: "back", reason: "Ann Lee said so" }, change: takesBack }),
          content,
        ),
      }),
      event("requested", { who: bob, result: takesBack.diff.join("; ") }),
    );
    await a.saveAccount(
      {
        teamId: "T1",
        owner: { kind: "user", userId: "U1" },
        username: "ann",
        sealedToken: older.seal(
          "token",
          boundTo({ teamId: "T1", owner: { kind: "user", userId: "U1" }, username: "ann" }),
        ),
        linkedBy: "U1",
      },
      event("connected", { account: "ann", result: "ann" }),
    );
    await a.setRegion("T1", "U1", "us");
    for (const row of watched) await sql.raw(row).execute(db());
    const texts = textSealer(older);
    const session = { db: db(), textSealer: texts, log: pino({ level: "silent" }) } as Session; // what these functions use
    expect(await openOf(session, "U1")).toMatchObject({ requests: 1 });
    await a.cancel("AAA111", ann, event("cancelled", { result: "cancelled by Ann Lee (U1)" }));
    await a.sealHistory();
    const kept = JSON.stringify(await personRows(session, "U1"));
    expect(kept).toContain("the sale begins");
    expect(kept).not.toMatch(/g1\.|token"/u);

    const keys = await chainOf(db(), older);
    // Any clock of the database's will do.
    const clock = Object.assign(() => sql<string>`(select max(at) from event)`, { shift: () => "0.000 seconds" });
    const { pseudonym } = await erasePerson({ ...session, clock, chain: keys }, { chain: keys, sealer: older }, "U1");
    await a.sealHistory();

    expect(await a.history({ teamId: "T1", limit: 1 })).toMatchObject([{ kind: "erased", result: pseudonym }]);
    const results = (await a.history({ teamId: "T1", limit: 50 })).map((each) => JSON.stringify(each)).join("\n");
    const left = /Ann Lee|"U1"|sale begins|my watch|payroll|"ann"|"D1"/u.exec(`${await everything(db())}\n${results}`);
    expect(left).toBeNull();
    expect(results).toContain("Annex stays");
    expect(results).toContain(`asked by ${pseudonym}`);
    expect(results).toContain("Bob Ray");
    // What somebody else asks for stays, without the name.
    const diff = ["to revision 3", `also takes back revision 4 by ${pseudonym}: changes LEVEL`];
    const others = await a.findChange("CCC333");
    expect(others).toMatchObject({ state: "pending", requester: bob, diff, reason: `${pseudonym} said so` });
    expect(JSON.parse(older.open(others?.sealed ?? "", content))).toEqual({
      ask: { verb: "back", reason: `${pseudonym} said so` },
      change: { call: "back", diff },
    });
    expect(await a.findChange("AAA111")).toMatchObject({
      state: "cancelled",
      requester: { userId: pseudonym, name: "(erased)" },
    });
    const reader = { db: db(), textSealer: texts };
    expect(await checkDatabase(reader, keys)).toMatchObject({ finding: undefined, waiting: 0 });
    const lines: string[] = [];
    const asked = { teamId: null, from: null, to: null };
    for await (const line of exportLines({ reader, sealer: older }, asked, new Date())) lines.push(line);
    expect(await verifyLines(lines, { publicKeys: [], sealer: older })).toMatchObject({ state: "intact" });

    // Who has no key can't erase, and can't change what an erasure left.
    const changed = lines.map((line) => line.replaceAll(pseudonym, "somebody"));
    expect(await verifyLines(changed, { publicKeys: [], sealer: older })).toMatchObject({ state: "broken" });
    await sql`update event set user_id = 'U9' where user_id = ${pseudonym}`.execute(db());
    expect((await checkDatabase(reader, keys)).finding?.says).toMatch(/Event 1 was changed/u);
  });

  test("after a rotation nothing is sealed with the old key, and all of it opens with the new one alone", async () => {
    const a = await replica("a", { sealer: older });
    const owner = { kind: "workspace" } as const; // a literal kind
    const account = { teamId: "T1", owner, username: "acme" };
    await a.saveAccount(
      { ...account, sealedToken: older.seal("token", boundTo(account)), linkedBy: "U1" },
      event("connected"),
    );
    await a.addChange(pendingChange("AAA111", { sealed: older.seal("{}", ["change", "AAA111"]) }), event("requested"));
    await a.reject("AAA111", { who: bob, reason: "because" }, event("rejected"));
    await a.accept(deliveryOf("d1"));
    const word = (what: string): string => older.seal("{}", ["words", what]);
    await sql`insert into seen values ('T1', 'acme', 'us', 'job', 'web', ${word('seen ["T1","acme","us","job","web"]')})`.execute(
      db(),
    );
    await sql`insert into incident (id, team_id, account, region, kind, cause, opened_at, times, state)
      values ('i1', 'T1', 'acme', 'us', 'job', 'x', '2026', 1, ${word("incident i1")})`.execute(db());
    await sql`insert into notice (team_id, place, id, event, ripe_at, due_at, was_muted)
      values ('T1', 'C1', 'n1', ${word("notice n1")}, '2026', '2026', 0)`.execute(db());
    await sql`insert into due (kind, key, team_id, at, attempts, payload, created_at)
      values ('watch news', 'w1', 'T1', '2026', 0, ${word("watch news w1")}, '2026')`.execute(db());
    await sql`insert into follow (id, team_id, channel_id, requester_id, sealed, created_at)
      values ('f1', 'T1', 'C1', 'U1', ${older.seal("{}", ["follow", "f1"])}, '2026')`.execute(db());
    await sql`insert into installation (id, is_org, name, app_id, bot_user_id, scopes, sealed_tokens, version, installed_by, installed_at)
      values ('E1', 1, 'x', 'x', 'x', '', ${older.seal("{}", ["installation", "organization", "E1"])}, 1, 'U1', '2026')`.execute(
      db(),
    );
    await a.sealHistory();
    const key = newKey();
    const both = createSealer(readKeyring(`${key},${oldKey}`));
    const [id = "", oldId = ""] = both.keyIds;
    const before = await sealedCounts(db());

    const { sealed } = await a.inspect();
    const counted = [...before.values()].reduce((sum, count) => sum + count, 0);
    expect(sealed.reduce((sum, { count }) => sum + count, 0)).toBe(counted);
    for (const each of sealed) expect(both.open(each.sealed, each.bind), each.what).toBeTypeOf("string");
    expect(await resealAll(db(), both)).toEqual({ resealed: before.get(oldId), unopened: 0 });

    expect([...(await sealedCounts(db())).keys()]).toEqual([id]);
    const tables = await db().introspection.getTables();
    expect(tables.map(({ name }) => name)).toContain("due");
    for (const { name } of tables) {
      const held = await sql`select * from ${sql.table(name)}`.execute(db());
      expect(JSON.stringify(held.rows), name).not.toContain(`g1.${oldId}.`);
    }
    const alone = createSealer(readKeyring(key));
    const after = await replica("b", { sealer: alone });
    expect(await after.findChange("AAA111")).toMatchObject({
      reason: "the sale begins",
      ending: { reason: "because" },
    });
    expect(await checkDatabase({ db: db(), textSealer: textSealer(alone) }, await chainOf(db(), alone))).toMatchObject({
      finding: undefined,
    });
    expect(await resealAll(db(), alone)).toEqual({ resealed: 0, unopened: 0 });
    expect(await resealAll(db(), createSealer(readKeyring(newKey())))).toMatchObject({
      resealed: 0,
      unopened: before.get(oldId),
    });
  });
}
