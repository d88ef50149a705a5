import { sql } from "kysely";
import { pino } from "pino";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openSqlite } from "../../../src/platform/database/sqlite.ts";
import { workspaceStore } from "../../../src/bot/compose/workspaces/workspace.ts";
import type { WorkspaceStore } from "../../../src/bot/store/store.ts";
import { openStore } from "../../../src/bot/store/open-store.ts";
import { type Steps, withSteps } from "../../bot/store/support/steps.ts";
import type { Tables } from "../../../src/bot/store/schema/tables.ts";
import type { Incident, Seen } from "../../../src/bot/watch/incident.ts";
import type { Placing, Round, RoundResult } from "../../../src/bot/workflow/stored.ts";
import type { StoredPost } from "../../../src/bot/workflow/posts.ts";
import type { Due } from "../../../src/bot/workflow/due-kinds.ts";
import { step } from "../../../src/bot/workflow/lifecycle.ts";
import { ann, approvedChange, bob, done, event, pendingChange, terms } from "../../bot/store/contract/bench.ts";

// T1 has something in every table. Each attempt is made with the store of T2, as its people and its cards have it.

const db = openSqlite<Tables>(":memory:");
const seeker = { teamId: "T1", userId: "U1", channelId: "C1" };
const account = { teamId: "T1", username: "acme", sealedToken: "sealed", linkedBy: "U1" };
const day = "2026-11-22";
const profile = { userId: "U1", name: "Ann", standing: "member", isAdmin: true, ageMs: 0 } as const; // a literal standing
const limits = { perOwner: 9, perPlace: 9 };
const watch = {
  id: "w1",
  teamId: "T1",
  owner: ann,
  source: "person",
  account: { owner: { kind: "workspace" }, username: "acme" },
  target: { kind: undefined, names: "*", region: "us" },
  place: { kind: "channel", channelId: "C1" },
  events: ["failing"],
  afterMs: 0,
  quiet: undefined,
  digest: undefined,
} as const; // literal kinds
const follow = {
  id: "f1",
  teamId: "T1",
  channelId: "C1",
  requesterId: "U1",
  sealed: "sealed",
  limits: { perPerson: 9, perChannel: 9, perWorkspace: 9 },
  leaseMs: 30_000,
};
const muted = { teamId: "T1", place: watch.place, names: "web", by: ann, forMs: 3_600_000 };
const list = { teamId: "T1", account: "acme", region: "us", kind: "service" } as const; // a literal kind
const incident: Incident = {
  ...list,
  id: "i1",
  name: "web",
  cause: "failing",
  shared: undefined,
  openedAt: new Date(0),
  overAt: undefined,
  end: undefined,
  times: 1,
  seen: undefined,
  unseenSince: undefined,
  overUnseenSince: undefined,
  restartsBefore: undefined,
  changedBefore: undefined,
};
const found: RoundResult = {
  isRead: true,
  everyMs: 10_000,
  changed: [],
  gone: [],
  incidents: [incident],
  notices: [],
};
const tell = [{ id: "i1", groupKey: "failing", joins: "young" as const }];
const placing: Placing = { teamId: "T1", place: "C1", tell, wait: [], drop: [] };
let due: Due;
let round: Round;
let alert: string;
let postDue: Due;
let post: StoredPost;
const ofT2 = event("requested", { teamId: "T2" });
const part = (id: string) => approvedChange(id, { workload: { kind: "service", region: "us", name: id, uid: "u" } });

let all: Steps;
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
  const log = pino({ level: "silent" });
  all = withSteps(await openStore({ kind: "shared", db, flavour: "sqlite", replicaId: "a", log }));
  await all.insertChange(pendingChange("WAITS1", { waitKey: "same-effect" }), event("requested"));
  await all.insertChange(approvedChange("READY1"), event("requested"));
  await all.insertChange(approvedChange("SENT11"), event("requested"));
  await all.claim("SENT11", event("claimed"));
  await all.insertChange(approvedChange("DONE11", { deliveryId: "d-done" }), event("requested"));
  await all.claim("DONE11", event("claimed"));
  await all.settle("DONE11", done, event("done"));
  await all.insertChange(approvedChange("UNDO11", { undoOf: "DONE11" }), event("requested"));
  await all.insertChange({ ...approvedChange("MANY11"), parts: [part("one"), part("two")] }, event("requested"));
  await all.carry("MANY11", "claim", {}, undefined);
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
  await all.addWatch(watch, limits, event("watched"));
  await all.mute(muted, event("muted"));
  await all.syncRounds("us");
  due = given((await all.takeDue({ kind: "round", leaseMs: 60_000, most: 1 }))[0]);
  round = given(await all.roundOf(due));
  const notice = { place: "C1", id: "i1", event: undefined, countsAt: new Date(0), dueAt: new Date(0), isOld: false };
  const seen = { ...nothingSeen, kind: round.kind, name: "web" };
  await all.endRound(round, {
    ...found,
    changed: [{ seen, change: undefined }],
    notices: [notice, { ...notice, place: "C2" }],
  });
  await all.placeNotices(placing);
  postDue = given((await all.takeDue({ kind: "post", leaseMs: 60_000, most: 1 }))[0]);
  post = given(await all.postOf(postDue));
  alert = post.key;
  await all.beginFollow(follow);
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

const nothingSeen: Omit<Seen, "kind" | "name"> = {
  uid: undefined,
  level: "failing",
  words: "failing",
  facts: undefined,
  reason: undefined,
  cause: "failing",
  shared: undefined,
  restarts: undefined,
  ready: undefined,
  size: undefined,
  images: undefined,
  revision: undefined,
};

function given<Value>(value: Value | undefined): Value {
  if (value === undefined) throw new Error("there was nothing");
  return value;
}

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
  watch: "below",
  mute: "below",
  observation: "below, as rounds",
  seen: "below",
  incident: "below",
  notice: "below",
  alert: "below",
  post: "below",
  told_place: "below, with the notices of its place",
  follow: "below",
  vote: "below, with its change",
  due: "below",
  delivery: "found by Slack's own ids alone, and sealed",
  installation: "only the installer and the sweep read it; each token is sealed for its workspace",
  org_workspace: "the same",
  moved_channel:
    "written for its own workspace alone; the sweep reads it, and its ids change only that workspace's policy",
  audit_chain: "numbers and digests of the history of all workspaces; only the operator's program reads it",
  audit_receiver: "how far a receiver of the operator is",
  restored_backup: "nothing of a workspace",
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
  "write its history": (store) => store.addEvent(event("refused")),
  "list its waiting requests": (store) => store.pendingChanges("T1"),
  "read its history": (store) => store.history({ teamId: "T1", limit: 10 }),
  "read the history of its workload": (store) =>
    store.history({ teamId: "T1", workload: { name: "web", account: undefined }, limit: 10 }),
  "read what applies to its people": (store) => store.impliedFor(seeker),
  "replace an account of it": (store) => store.saveAccount({ ...account, owner: { kind: "workspace" } }, ofT2),
  "delete its workspace account": (store) => store.removeAccount("T1", { kind: "workspace" }, ofT2),
  "delete a person's account of it": (store) => store.removeAccount("T1", { kind: "user", userId: "U1" }, ofT2),
  "seal an account of it again": (store) => store.resealAccount(linked, "other"),
  "read its channel's binding": (store) => store.bindingOf("T1", "C1"),
  "bind its channel": (store) => store.bind(seeker, { isLocked: false, boundBy: bob }, ofT2),
  "unbind its channel": (store) => store.unbind(seeker, ofT2),
  "move its channel": (store) => store.moveChannel({ teamId: "T1", from: "C1", to: "C2", token: undefined }),
  "set a person's region of it": (store) => store.setRegion("T1", "U1", "beijing1"),
  "add a watch to it": (store) => store.addWatch(watch, limits, ofT2),
  "add a watch with history of it": (store) => store.addWatch({ ...watch, teamId: "T2" }, limits, event("watched")),
  "end its watch by its full name": (store) => store.removeWatch({ id: "w1", teamId: "T1" }, ofT2),
  "pause its watch by its full name": (store) =>
    store.loseWatch({ id: "w1", teamId: "T1" }, { why: "Bob says", event: ofT2 }),
  "resume its watch by its full name": (store) => store.resumeWatch({ id: "w1", teamId: "T1" }, ofT2),
  "replace the watches of its file": (store) => store.setFileWatches("T1", []),
  "replace watches of its file by the way": (store) => store.setFileWatches("T2", [watch]),
  "read its watch by its full name": (store) => store.findWatch({ id: "w1", teamId: "T1" }),
  "go on with its work": (store) => store.holdDue(due),
  "begin a round of it": (store) => store.roundOf(due),
  "go on with its follow": (store) => store.followOf({ ...due, kind: "follow", key: "f1" }),
  "write to its follow": (store) => store.saveFollow(due, { sealed: "other", headTs: undefined, nextMs: 1 }),
  "end its follow": (store) => store.endFollow(due, {}),
  "read how long its jobs took": (store) => store.completedJobs({ teamId: "T1", account: "x", region: "us" }),
  "read what was requested about its workloads": (store) =>
    store.changesAbout({ teamId: "T1", account: "x", region: "us", kind: "job" }, ["nightly"]),
  "read when it was looked at": (store) => store.lastPolls("T1"),
  "list its watches": (store) => store.watchesOf({ teamId: "T1", ownerId: "U1", place: "C1" }),
  "mute a workload of it": (store) => store.mute(muted, ofT2),
  "unmute a workload of it": (store) => store.unmute(muted, ofT2),
  "follow a log of it": (store) => store.beginFollow(follow),
  "stop a follow of it by its full name": (store) => store.stopFollow({ id: "f1", teamId: "T1" }, "Bob"),
  "read a follow of it": (store) => store.sealedFollow({ id: "f1", teamId: "T1" }),
  "list its mutes": (store) => store.mutesOf("T1"),
  "list watches of its list": (store) => store.watchesOn(list, "us"),
  "make a round of it due": (store) => store.hint(list),
  "read what was seen of it": (store) => store.keptOf(list),
  "read its incidents": (store) => store.incidentsOf(list, 1_000),
  "end a round of it": (store) => store.endRound(round, found),
  "write an incident of it": (store) =>
    store.endRound({ ...round, teamId: "T2", due: { ...round.due, teamId: "T2" } }, found),
  "read what is due in its channel": (store) => store.dueNotices({ teamId: "T1", place: "C1" }),
  "place what is due in its channel": (store) => store.placeNotices(placing),
  "read its message": (store) => store.postOf(postDue),
  "change its message": (store) => store.savePost(postDue, { sentKeys: ["lines"] }),
  "deliver its message again": (store) => store.deliverAgain(postDue),
  "remove its message": (store) => store.removePost(postDue),
  "schedule a message of it": (store) => store.postDue(postDue, post),
  "be on its alert by its full name": (store) =>
    store.passAlert({ id: alert, teamId: "T1" }, { by: bob, to: bob, at: new Date() }, event("taken")),
  "read what its alert lists by its full name": (store) => store.alertOf({ id: alert, teamId: "T1" }),
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

/** A lease of the other workspace, as if it were one of this. */
const leaseOf = (id: string): Due => ({ ...all.lease(id), teamId: "T2" });
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
  "a card to draw": (store) => store.changeToDraw({ id: "WAITS1", teamId: "T2" }, () => true),
  "anything implied under the same ids": async (store) =>
    Object.values(await store.impliedFor({ ...seeker, teamId: "T2" })).find((each) => each !== undefined),
  "a binding of a channel with the same id": (store) => store.bindingOf("T2", "C1"),
  history: async (store) => (await store.history({ teamId: "T2", limit: 10 }))[0],
  "waiting requests": async (store) => (await store.pendingChanges("T2"))[0],
  "the profile of a person with the same id": async (store) => (await store.profilesOf("T2", ["U1"]))[0],
  "a watch by its id": (store) => store.removeWatch({ id: "w1", teamId: "T2" }, ofT2),
  "watches of a person and a channel with the same ids": async (store) =>
    (await store.watchesOf({ teamId: "T2", ownerId: "U1", place: "C1" }))[0],
  "a watch to read by its id": (store) => store.findWatch({ id: "w1", teamId: "T2" }),
  "a follow by its id": (store) => store.followOf({ ...due, kind: "follow", key: "f1", teamId: "T2" }),
  "a follow's content": (store) => store.sealedFollow({ id: "f1", teamId: "T2" }),
  mutes: async (store) => (await store.mutesOf("T2"))[0],
  "watches of a list with the same name": async (store) => (await store.watchesOn({ ...list, teamId: "T2" }, "us"))[0],
  "a workload that was seen": async (store) => (await store.keptOf({ ...list, teamId: "T2" }))?.get("web"),
  incidents: async (store) => (await store.incidentsOf({ ...list, teamId: "T2" }, 1_000))[0],
  "a round with its token": async (store) =>
    (await store.endRound(
      { ...round, teamId: "T2", due: { ...round.due, teamId: "T2" } },
      { ...found, incidents: [] },
    )) || undefined,
  "what is due in a channel with the same id": async (store) =>
    (await store.dueNotices({ teamId: "T2", place: "C2" }))[0],
  "what is due there to place": (store) => store.placeNotices({ ...placing, teamId: "T2", place: "C2" }),
  "a message by its id": (store) => store.postOf({ ...postDue, teamId: "T2" }),
  "a message to deliver again": (store) => store.deliverAgain({ ...postDue, teamId: "T2" }),
  "a message where to store a card": async (store) =>
    (await store.savePost({ ...postDue, teamId: "T2", token: "another" }, { card: { channelId: "C1", ts: "1.1" } })) ===
    "lost"
      ? undefined
      : "stored",
  "to be on an alert by its id": async (store) =>
    (await store.passAlert(
      { id: alert, teamId: "T2" },
      { by: bob, to: bob, at: new Date() },
      { ...event("taken"), teamId: "T2" },
    )) === "gone"
      ? undefined
      : "passed",
  "an alert by its id": (store) => store.alertOf({ id: alert, teamId: "T2" }),
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
  "ask again for": (store) => store.advance("READY1", step("askAgain", { ...again, due: leaseOf("READY1") }), ofT2),
  refuse: (store) => store.advance("READY1", step("refuse", { due: leaseOf("READY1"), outcome: failed }), ofT2),
  drift: (store) => store.advance("READY1", step("drift", { due: leaseOf("READY1"), drift: [] }), ofT2),
  claim: (store) => store.advance("READY1", step("claim", { due: leaseOf("READY1") }), ofT2),
  end: (store) =>
    store.advance("SENT11", step("succeed", { due: leaseOf("SENT11"), next: "over", outcome: done }), ofT2),
  doubt: (store) => store.advance("SENT11", step("doubt", { due: leaseOf("SENT11"), outcome: done }), ofT2),
  "give up": (store) =>
    store.advance("SENT11", step("giveUp", { due: leaseOf("SENT11"), next: "over", outcome: done }), ofT2),
  "claim a part of": (store) => store.advance("MANY11/1", step("claim", { due: leaseOf("MANY11/1") }), ofT2),
};

test.each(Object.entries(moves))("it can't %s a request of another workspace", async (_what, attempt) => {
  const unchanged = await dump();

  const { kind, change } = (await attempt(mine)) as { kind: string; change: unknown }; // what `advance` gives

  expect([kind, change]).toEqual(["late", undefined]);
  expect(await dump()).toBe(unchanged);
});

test("a workload of the same name runs in both at once, and neither hears of the other's request", async () => {
  const same = { teamId: "T2", workload: { kind: "service", region: "us", name: "web-SENT11", uid: "u" } } as const;
  const added = await mine.insertChange(approvedChange("OURS11", same), ofT2);
  if (added === "taken" || "unanswered" in added || added.due === undefined) throw new Error("it wasn't added");

  expect((await mine.advance("OURS11", step("claim", { due: added.due }), ofT2)).kind).toBe("moved");
});

test("an Undo of another workspace's request marks nothing there", async () => {
  const row = () => all.find({ id: "SENT11" });
  const was = await row();

  await mine.insertChange(approvedChange("OURS12", { teamId: "T2", undoOf: "SENT11" }), ofT2);

  expect(await row()).toEqual(was);
});

test("a workspace that is closed takes nothing of another with it", async () => {
  const theirs = async () => [
    await all.impliedFor(seeker),
    await all.bindingOf("T1", "C1"),
    await all.watchesOf({ teamId: "T1", ownerId: "U1" }),
    await all.mutesOf("T1"),
    await all.sealedFollow({ id: "f1", teamId: "T1" }),
    await all.find({ id: "WAITS1" }),
  ];
  const was = await theirs();

  await all.closeWorkspace({ teamId: "T2", by: bob });

  expect(await theirs()).toEqual(was);
  expect(await all.installationOf("T1")).toBeDefined();
});
