import { sql } from "kysely";
import { pino } from "pino";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openSqlite } from "../../../src/platform/database/sqlite.ts";
import { type WorkspaceStore, workspaceStore } from "../../../src/bot/compose/workspaces/workspace-store.ts";
import { openStore } from "../../../src/bot/store/open-store.ts";
import type { Store } from "../../../src/bot/store/store.ts";
import type { Tables } from "../../../src/bot/store/schema/tables.ts";
import { step } from "../../../src/bot/workflow/lifecycle.ts";
import { ann, approvedChange, bob, done, event, pendingChange, terms } from "../../bot/store/contract/bench.ts";

// T1 has something in every table. Each attempt is made with the store of T2, as its people and its cards have it.

const db = openSqlite<Tables>(":memory:");
const seeker = { teamId: "T1", userId: "U1", channelId: "C1" };
const account = { teamId: "T1", username: "acme", sealedToken: "sealed", linkedBy: "U1" };
const day = "2026-11-22";
const profile = { userId: "U1", name: "Ann", standing: "member", isAdmin: true, ageMs: 0 } as const; // a literal standing
const ofT2 = event("requested", { teamId: "T2" });
const part = (id: string) => approvedChange(id, { workload: { kind: "service", region: "us", name: id, uid: "u" } });

let all: Store;
let mine: WorkspaceStore;

/** Every row of the database. */
async function dump(): Promise<string> {
  const { rows } = await sql<{
    name: string;
  }>`select name from sqlite_master where type = 'table' order by name`.execute(db);
  const tables = rows.map(({ name }) => name).filter((name) => !/^sqlite_|^replica$/u.test(name));
  const contents = tables.map(async (name) => [name, (await sql`select * from ${sql.table(name)}`.execute(db)).rows]);
  return JSON.stringify(await Promise.all(contents));
}

beforeAll(async () => {
  all = await openStore({
    kind: "shared",
    db,
    flavour: "sqlite",
    replicaId: "a",
    log: pino({ level: "silent" }),
  });
  await all.insertChange(pendingChange("WAITS1", { waitKey: "same-effect" }), event("requested"));
  await all.insertChange(approvedChange("READY1"), event("requested"));
  await all.insertChange(approvedChange("SENT11"), event("requested"));
  await all.advance("SENT11", step("claim", {}), event("claimed"));
  await all.insertChange(approvedChange("DONE11", { deliveryId: "d-done" }), event("requested"));
  await all.advance("DONE11", step("claim", {}), event("claimed"));
  await all.advance("DONE11", step("succeed", { outcome: done }), event("done"));
  await all.insertChange(approvedChange("UNDO11", { undoOf: "DONE11" }), event("requested"));
  await all.insertChange({ ...approvedChange("MANY11"), parts: [part("one"), part("two")] }, event("requested"));
  await all.advance("MANY11", step("claim", {}), undefined);
  for (const owner of [
    { kind: "user", userId: "U1" },
    { kind: "channel", channelId: "C1" },
    { kind: "workspace" },
  ] as const) {
    // the three kinds of owners
    await all.saveAccount({ ...account, owner }, event("connected"));
  }
  await all.bind(seeker, { region: "us", isLocked: true, boundBy: ann }, event("bound"));
  await all.setRegion("T1", "U1", "us");
  await all.countCalls({ teamId: "T1", day }, new Map([["acme", 7]]));
  await all.saveProfiles("T1", [profile]);
  await all.saveInstallation({
    id: "T1",
    isOrgWide: false,
    enterpriseId: undefined,
    name: "One",
    appId: "A1",
    botUserId: "UB",
    scopes: ["commands"],
    sealedTokens: "sealed",
    expiresAt: undefined,
    installedBy: "U1",
  });
  mine = workspaceStore(all, "T2");
});

afterAll(() => db.destroy());

/** A new table needs attempts below, or a reason why it holds nothing of one workspace. */
const tables: Readonly<Record<string, string>> = {
  account: "below",
  binding: "below",
  call_count: "below",
  change: "below",
  event: "below",
  person_setting: "below",
  profile: "below",
  vote: "below, with its change",
  delivery: "found by Slack's own ids alone, and sealed",
  installation: "only the installer and the sweep read it; each token is sealed for its workspace",
  org_workspace: "the same",
  moved_channel:
    "written for its own workspace alone; the sweep reads it, and its ids change only that workspace's policy",
  migration: "nothing of a workspace",
  replica: "nothing of a workspace",
};

test("every table is in this test", async () => {
  const found = await sql<{ name: string }>`select name from sqlite_master where type = 'table'`.execute(db);
  const names = found.rows.map(({ name }) => name).filter((name) => !name.startsWith("sqlite_"));

  expect(names.toSorted()).toEqual(Object.keys(tables).toSorted());
});

const refusedAsked = "something of another workspace was asked for in T2";

type Attempt = (store: WorkspaceStore) => Promise<unknown>;
const linked = { ...account, owner: { kind: "user", userId: "U1" }, linkedAt: new Date() } as const; // a literal kind

/** Questions that name the other workspace: a bug led here, so they throw. */
const asked: Readonly<Record<string, Attempt>> = {
  "add a request to it": (store) => store.insertChange(pendingChange("MINE11"), event("requested")),
  "add a request with history of it": (store) =>
    store.insertChange(pendingChange("MINE12", { teamId: "T2" }), event("requested")),
  "write its history": (store) => store.note(event("refused")),
  "list its waiting requests": (store) => store.pendingChanges("T1"),
  "read its history": (store) => store.history({ teamId: "T1", limit: 10 }),
  "read the history of its workload": (store) => store.history({ teamId: "T1", name: "web", limit: 10 }),
  "read what applies to its people": (store) => store.impliedFor(seeker),
  "read its accounts": (store) => store.accountsFor(seeker),
  "replace an account of it": (store) => store.saveAccount({ ...account, owner: { kind: "workspace" } }, ofT2),
  "delete its workspace account": (store) => store.removeAccount("T1", { kind: "workspace" }, ofT2),
  "delete a person's account of it": (store) => store.removeAccount("T1", { kind: "user", userId: "U1" }, ofT2),
  "seal an account of it again": (store) => store.resealAccount(linked, "other"),
  "read its channel's binding": (store) => store.bindingOf("T1", "C1"),
  "bind its channel": (store) => store.bind(seeker, { isLocked: false, boundBy: bob }, ofT2),
  "unbind its channel": (store) => store.unbind(seeker, ofT2),
  "move its channel": (store) => store.moveChannel({ teamId: "T1", from: "C1", to: "C2", token: undefined }),
  "set a person's region of it": (store) => store.setRegion("T1", "U1", "beijing1"),
  "count its calls": (store) => store.countCalls({ teamId: "T1", day }, new Map([["acme", 1]])),
  "read profiles of its people": (store) => store.profilesOf("T1", ["U1"]),
  "write profiles of its people": (store) => store.saveProfiles("T1", [profile]),
  "delete profiles of its people": (store) => store.forgetProfile("T1", "U1"),
  "read its count of calls": (store) => store.callsOn({ teamId: "T1", username: "acme", day }),
  "move its request by its full name": (store) =>
    store.advance({ id: "WAITS1", teamId: "T1" }, step("cancel", { by: bob }), ofT2),
  "move its request with history of it": (store) =>
    store.advance("WAITS1", step("cancel", { by: bob }), event("cancelled")),
};

test.each(Object.entries(asked))("it can't %s: that throws", async (_what, attempt) => {
  const unchanged = await dump();

  await expect(attempt(mine)).rejects.toThrow(refusedAsked);
  expect(await dump()).toBe(unchanged);
});

const voted = step("approve", { by: bob, last: ofT2 });
const again = { version: 1, rule: "r", terms, counting: [], notice: "" };
const failed = { kind: "failed", why: "no", next: "" } as never; // the shape doesn't matter: nothing may move

/** Ids of the other workspace, as a person can type them: they find nothing. */
const guessed: Readonly<Record<string, Attempt>> = {
  "a request by its id": (store) => store.find({ id: "WAITS1" }),
  "a request by its delivery": (store) => store.find({ deliveryId: "d-done" }),
  "a request with the same effect": (store) => store.find({ waitKey: "same-effect" }),
  "an Undo by what it takes back": (store) => store.find({ undoOf: "DONE11" }),
  "a part of a request": (store) => store.find({ id: "MANY11/1" }),
  "a card to draw": (store) => store.beginDrawing("WAITS1"),
  "its own accounts under the same ids": async (store) =>
    Object.values(await store.accountsFor({ ...seeker, teamId: "T2" })).find((each) => each !== undefined),
  "anything implied under the same ids": async (store) =>
    Object.values(await store.impliedFor({ ...seeker, teamId: "T2" })).find((each) => each !== undefined),
  "a binding of a channel with the same id": (store) => store.bindingOf("T2", "C1"),
  history: async (store) => (await store.history({ teamId: "T2", limit: 10 }))[0],
  "waiting requests": async (store) => (await store.pendingChanges("T2"))[0],
  "the profile of a person with the same id": async (store) => (await store.profilesOf("T2", ["U1"]))[0],
  "calls of an account with the same name": async (store) =>
    (await store.callsOn({ teamId: "T2", username: "acme", day })) || undefined,
};

test.each(Object.entries(guessed))("it doesn't find %s", async (_what, attempt) => {
  const unread = await dump();

  expect(await attempt(mine)).toBeUndefined();
  expect(await dump()).toBe(unread);
});

const moves: Readonly<Record<string, Attempt>> = {
  approve: (store) => store.advance("WAITS1", voted, ofT2),
  reject: (store) => store.advance("WAITS1", step("reject", { by: bob, reason: undefined }), ofT2),
  cancel: (store) => store.advance("WAITS1", step("cancel", { by: bob }), ofT2),
  "ask again for": (store) => store.advance("READY1", step("askAgain", again), ofT2),
  refuse: (store) => store.advance("READY1", step("refuse", { outcome: failed }), ofT2),
  drift: (store) => store.advance("READY1", step("drift", { drift: [] }), ofT2),
  claim: (store) => store.advance("READY1", step("claim", {}), ofT2),
  end: (store) => store.advance("SENT11", step("succeed", { outcome: done }), ofT2),
  doubt: (store) => store.advance("SENT11", step("doubt", { outcome: done }), ofT2),
  "give up": (store) => store.advance("SENT11", step("giveUp", { outcome: done }), ofT2),
  "claim a part of": (store) => store.advance("MANY11/1", step("claim", {}), ofT2),
};

test.each(Object.entries(moves))("it can't %s a request of another workspace", async (_what, attempt) => {
  const unchanged = await dump();

  const { kind, change } = (await attempt(mine)) as { kind: string; change: unknown }; // what `advance` gives

  expect([kind, change]).toEqual(["late", undefined]);
  expect(await dump()).toBe(unchanged);
});

test("a workload of the same name runs in both at once, and neither hears of the other's request", async () => {
  const same = { teamId: "T2", workload: { kind: "service", region: "us", name: "web-SENT11", uid: "u" } } as const;
  await mine.insertChange(approvedChange("OURS11", same), ofT2);

  expect((await mine.advance("OURS11", step("claim", {}), ofT2)).kind).toBe("moved");
});

test("an Undo of another workspace's request marks nothing there", async () => {
  const row = () => all.find({ id: "SENT11" });
  const was = await row();

  await mine.insertChange(approvedChange("OURS12", { teamId: "T2", undoOf: "SENT11" }), ofT2);

  expect(await row()).toEqual(was);
});

test("a workspace that is closed takes nothing of another with it", async () => {
  const theirs = async () => [
    await all.accountsFor(seeker),
    await all.bindingOf("T1", "C1"),
    await all.find({ id: "WAITS1" }),
  ];
  const was = await theirs();

  await all.closeWorkspace({ teamId: "T2", by: bob });

  expect(await theirs()).toEqual(was);
  expect(await all.installationOf("T1")).toBeDefined();
});
