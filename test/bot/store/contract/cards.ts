import { expect, test } from "vitest";
import type { Due } from "../../../../src/bot/workflow/due-kinds.ts";
import type { ListKey, NewChange } from "../../../../src/bot/workflow/stored.ts";
import type { SavedPost } from "../../../../src/bot/workflow/posts.ts";
import {
  ann,
  approvedChange,
  type Bench,
  bob,
  cardsDue,
  done,
  event,
  pendingChange,
  type Replica,
  takeOne,
  terms,
  votes,
} from "./bench.ts";

const workload = { kind: "service", region: "us", name: "web", uid: "uid-1" } as const; // a literal kind
const card = { channelId: "C1", ts: "1.000001" };
const idOf = (id: string) => ({ id, teamId: "T1" });

async function taken(store: Replica): Promise<Due> {
  const due = await takeOne(store, "post");
  if (due === undefined) throw new Error("nothing is due");
  return due;
}

/** Slack took the card, and it shows all. */
async function posts(store: Replica, saved: SavedPost = {}): Promise<Due> {
  const due = await taken(store);
  await store.savePost(due, { card, posts: 1, isOver: true, ...saved });
  return due;
}

/** A change that ran, and a card that is there. */
async function ran(store: Replica, id: string): Promise<void> {
  await store.addChange(approvedChange(id), event("requested"));
  await store.claim(id, event("claimed"));
  await store.settle(id, done, event("done"));
  await posts(store);
}

export function cardsContract({ replica }: Bench): void {
  test("a request that waits has a card to post, in the channel that its terms name", async () => {
    const a = await replica("a");
    await a.addChange(pendingChange("AAA111", { terms: { ...terms, cardIn: "C9" } }), event("requested"));
    const due = await taken(a);

    expect(due).toMatchObject({ key: "AAA111", teamId: "T1" });
    expect(await a.postOf(due)).toMatchObject({
      kind: "change",
      key: "AAA111",
      place: "C9",
      fallback: ann.userId,
      posts: 0,
    });
    expect((await a.findChange("AAA111"))?.card).toBeUndefined();
    await a.savePost(due, { card, posts: 1, isOver: true });
    expect((await a.findChange("AAA111"))?.card).toEqual({ ...card, channelId: "C9" });
    expect(await cardsDue(a)).toEqual([]);
  });

  test("what needs no approval has none before it has run, unless it takes long", async () => {
    const a = await replica("a");
    for (const id of ["AAA111", "BBB222"]) {
      await a.addChange(approvedChange(id), event("requested"));
      await a.claim(id, event("claimed"));
    }

    expect(await cardsDue(a)).toEqual([]);
    expect([await a.showChange(idOf("BBB222")), await a.showChange(idOf("BBB222"))]).toEqual([true, false]);
    expect(await a.showChange({ id: "AAA111", teamId: "T2" })).toBe(false);
    expect(await cardsDue(a)).toEqual(["BBB222"]);
    await a.settle("AAA111", done, event("done"));
    expect((await cardsDue(a)).toSorted()).toEqual(["AAA111", "BBB222"]);
  });

  test("whoever ends a change posts its card, unless it has one", async () => {
    const [a, b] = [await replica("a"), await replica("b")];
    const ended = { outcome: done, drawsForMs: 30_000 };
    for (const id of ["FREE11", "DRAWN1"]) {
      await a.addChange(approvedChange(id), event("requested"));
      await a.claim(id, event("claimed"));
    }
    await a.showChange(idOf("DRAWN1"));
    const drawn = await posts(a);

    const [free, other] = [
      await a.carry("FREE11", "succeed", ended, event("done")),
      await a.carry("DRAWN1", "succeed", ended, event("done")),
    ];

    expect(free).toMatchObject({
      change: { state: "done" },
      card: { post: { id: "FREE11", posts: 1, card: undefined } },
    });
    expect(other).toMatchObject({ change: { state: "done", card }, card: undefined });
    expect(drawn.key).toBe("DRAWN1");
    expect(await cardsDue(b)).toEqual(["DRAWN1"]);
    // Whoever posts it was killed.
    b.later(31_000);
    expect((await cardsDue(b)).toSorted()).toEqual(["DRAWN1", "FREE11"]);
  });

  test("what happens while a card is drawn is drawn next, with all that happened up to then", async () => {
    const a = await replica("a");
    await a.addChange(pendingChange("AAA111", { terms: { ...terms, votes: 2 } }), event("requested"));
    const due = await taken(a);
    const before = await a.changeToDraw(idOf("AAA111"), () => true);
    await a.vote("AAA111", bob, votes);
    await a.savePost(due, { card, posts: 1, isOver: true });

    expect(before).toMatchObject({ change: { version: 1 }, events: [{ kind: "requested" }] });
    expect(await cardsDue(a)).toEqual(["AAA111"]);
    const after = await a.changeToDraw(idOf("AAA111"), () => true);
    expect(after).toMatchObject({ change: { votes: [bob] }, events: [{ kind: "requested" }, { kind: "voted" }] });
    expect(await a.changeToDraw({ id: "AAA111", teamId: "T2" }, () => true)).toBeUndefined();
    expect(await a.changeToDraw(idOf("AAA111"), () => false)).toMatchObject({ events: [] });
  });

  test("a refused vote is told in the thread, though nothing moved", async () => {
    const a = await replica("a");
    await a.addChange(pendingChange("AAA111"), event("requested"));
    await posts(a);

    await a.addEvent(event("vote-refused", { changeId: "AAA111" }));

    expect(await cardsDue(a)).toEqual(["AAA111"]);
  });

  test("an Undo changes the card of what it takes back, and so does its end", async () => {
    const a = await replica("a");
    await ran(a, "AAA111");
    await a.addChange({ ...pendingChange("BBB222"), undoOf: "AAA111" }, event("requested"));
    expect((await cardsDue(a)).toSorted()).toEqual(["AAA111", "BBB222"]);
    await posts(a);
    await posts(a);

    await a.reject("BBB222", { who: bob, reason: undefined }, event("rejected"));

    expect((await cardsDue(a)).toSorted()).toEqual(["AAA111", "BBB222"]);
  });

  test("a quiet look leaves the card as it is", async () => {
    const a = await replica("a");
    await ran(a, "AAA111");
    const progress = { kind: "watching", line: "", excerpt: [] } as const; // a literal kind

    await a.carry("AAA111", "observe", { progress, isNews: false }, undefined);
    expect(await cardsDue(a)).toEqual([]);
    await a.carry("AAA111", "observe", { progress, isNews: true }, undefined);
    expect(await cardsDue(a)).toEqual(["AAA111"]);
  });

  test("a request is not added while an unanswered one of the same person for the same workload has no card", async () => {
    const a = await replica("a");
    const again = (id: string, other: Partial<NewChange> = {}) =>
      a.insertChange(approvedChange(id, { workload, unlessUnansweredMs: 60_000, ...other }), event("requested"));
    await a.addChange(approvedChange("AAA111", { workload }), event("requested"));

    const repeated = await again("BBB222");
    const ofOthers = await again("CCC333", { requester: bob });
    const ofAnother = await again("DDD444", { op: "stopService" });
    await a.cancel("AAA111", ann, event("cancelled"));
    const unansweredEnd = await again("EEE555");
    const due = await taken(a);
    const news = {
      kind: "requester",
      key: "AAA111 ended",
      teamId: "T1",
      payload: undefined,
      place: "U1",
      fallback: undefined,
    } as const; // a literal kind
    await a.savePost(due, { sentKeys: ["ended"], also: [news] });
    const beforeItWasSaid = await again("FFF666");
    const said = await takeOne(a, "requester");
    if (said !== undefined) await a.removePost(said);
    const afterwards = await again("GGG777");
    a.later(61_000);
    const later = await again("HHH888");

    for (const each of [repeated, unansweredEnd, beforeItWasSaid]) {
      expect(each).toMatchObject({ unanswered: { id: "AAA111" } });
    }
    expect(await a.findChange("BBB222")).toBeUndefined();
    expect([ofOthers, ofAnother, afterwards, later]).toMatchObject([
      { change: { id: "CCC333" } },
      { change: { id: "DDD444" } },
      { change: { id: "GGG777" } },
      { change: { id: "HHH888" } },
    ]);
  });

  test.each([
    ["in a direct message that they asked for", approvedChange("AAA111", { workload, notifies: true }), "asked"],
    ["that their job runs", approvedChange("AAA111", { workload, op: "createJob" }), "running"],
  ])("a request can be repeated once its requester was told %s", async (_what, change, told) => {
    const a = await replica("a");
    const again = (id: string) =>
      a.insertChange({ ...change, id, deliveryId: id, unlessUnansweredMs: 60_000 }, event("requested"));
    await a.addChange(change, event("requested"));
    await a.claim("AAA111", event("claimed"));
    await a.settle("AAA111", done, event("done"));

    expect(await again("BBB222")).toMatchObject({ unanswered: { id: "AAA111" } });
    await a.savePost(await taken(a), { sentKeys: [told] });
    expect(await again("CCC333")).toMatchObject({ change: { id: "CCC333" } });
  });

  test("a card that is stored at the moment in which its lease is lost stays the card", async () => {
    const [a, b] = [await replica("a"), await replica("b")];
    await a.addChange(pendingChange("AAA111"), event("requested"));
    const slow = await taken(a);
    b.later(41_000);

    const [saved] = await Promise.all([a.savePost(slow, { card, isOver: true }), takeOne(b, "post")]);

    const isStored = (await a.findChange("AAA111"))?.card !== undefined;
    expect(saved === "lost").toBe(!isStored);
  });

  test("a workspace that removed the app has no card to draw, and what is out of date is drawn when the app is back", async () => {
    const a = await replica("a");
    await ran(a, "SHOWN1");
    for (const id of ["POSTED", "UNSEEN"]) await a.addChange(pendingChange(id), event("requested"));
    await posts(a);
    await a.announce("T1", { id: "MUTED1", channelId: "C1", payload: "{}" });

    await a.closeWorkspace({ teamId: "T1", by: ann });
    expect(await cardsDue(a)).toEqual([]);

    const none = { enterpriseId: undefined, expiresAt: undefined };
    const app = { name: "Acme", appId: "A1", botUserId: "UBOT", scopes: [], sealedTokens: "sealed", installedBy: "U1" };
    await a.saveInstallation({ id: "T1", isOrgWide: false, ...none, ...app });
    expect(await cardsDue(a)).toEqual(["POSTED"]);
  });

  test("the card of a job is shown as it is when nothing is left to draw", async () => {
    const a = await replica("a");
    const job = { kind: "job", region: "us", name: "nightly", uid: undefined } as const; // a literal kind
    await a.addChange(approvedChange("AAA111", { op: "createJob", workload: job }), event("requested"));
    await a.claim("AAA111", event("claimed"));
    await a.settle("AAA111", done, event("done"));
    const isDrawn = async () =>
      (await a.changesAbout({ teamId: "T1", account: "acme", region: "us", kind: "job" }, ["nightly"])).map(
        (each) => each.isDrawn,
      );

    expect(await isDrawn()).toEqual([false]);
    await posts(a);
    expect(await isDrawn()).toEqual([true]);
    await a.addEvent(event("health", { changeId: "AAA111" }));
    expect(await isDrawn()).toEqual([false]);
    await posts(a, { isBlocked: true });
    expect(await isDrawn()).toEqual([false]);
  });

  test("what was requested about services of a list, while it is followed or in trouble, for 25 minutes", async () => {
    const a = await replica("a");
    const list: ListKey = { teamId: "T1", account: "acme", region: "us", kind: "service" };
    const names = ["web-WELL11", "web-FAILS1", "web-GOES11", "web-QUEUED"];
    for (const id of ["WELL11", "FAILS1", "GOES11", "OTHER1"]) await ran(a, id);
    await a.addChange(pendingChange("QUEUED"), event("requested"));
    for (const [id, kind] of [
      ["WELL11", "reached"],
      ["FAILS1", "trouble"],
    ] as const) {
      await a.carry(id, "follow", { health: { kind, line: "", excerpt: [] }, isNews: true, next: "over" }, undefined);
    }
    const about = async (of: Partial<ListKey> = {}) =>
      (await a.changesAbout({ ...list, ...of }, names)).map(({ change }) => change.id).toSorted();

    expect(await about()).toEqual(["FAILS1", "GOES11"]);
    const others: Partial<ListKey>[] = [{ teamId: "T2" }, { account: "b" }, { region: "eu" }, { kind: "job" }];
    for (const other of others) expect(await about(other)).toEqual([]);
    a.later(25 * 60_000 + 1_000);
    expect(await about()).toEqual([]);
  });
}
