import { expect, test } from "vitest";
import type { NewWatch } from "../../../../src/bot/workflow/stored.ts";
import { ann, atOnce, bob, type Bench, event, takeOne } from "./bench.ts";

const limits = { perOwner: 3, perPlace: 4 };
const watched = event("watched", { result: "failing, recovered" });
const unwatched = event("unwatched");

function watch(id: string, other: Partial<NewWatch> = {}): NewWatch {
  return {
    id,
    teamId: "T1",
    owner: ann,
    source: "person",
    account: { owner: { kind: "channel", channelId: "C1" }, username: "acme" },
    target: { kind: undefined, names: "shop-*", region: "us" },
    place: { kind: "channel", channelId: "C1" },
    events: ["failing", "recovered"],
    afterMs: 120_000,
    quiet: { from: "22:00", to: "07:00", zone: "Asia/Shanghai" },
    digest: undefined,
    ...other,
  };
}

const dm = { place: { kind: "dm" } } as const; // a literal kind
const ofBob = { owner: bob };
const web = { target: { kind: "service", names: "web", region: "us" } } as const; // a literal kind
const digest = { digest: { days: "weekdays", at: "09:00", zone: "UTC" }, events: [] } as const; // literal days

export function watchesContract({ replica, db }: Bench): void {
  test("a watch is added, is there for all replicas, and ends, each with its event", async () => {
    const [a, b] = [await replica("a"), await replica("b")];

    const added = await a.addWatch(watch("w1"), limits, watched);
    const read = [await b.watchesOf({ teamId: "T1", ownerId: "U1" }), await b.allWatches()];
    const removed = await b.removeWatch({ id: "w1", teamId: "T1" }, unwatched);
    const again = await a.removeWatch({ id: "w1", teamId: "T1" }, unwatched);

    const whole = [{ ...watch("w1"), createdAt: expect.any(Date) }];
    expect(added).toEqual({ kind: "added", id: "w1" });
    expect(read).toEqual([whole, whole]);
    expect([removed, again]).toEqual([...whole, undefined]);
    expect(await a.allWatches()).toEqual([]);
    expect((await a.history({ teamId: "T1", limit: 9 })).map(({ kind }) => kind)).toEqual(["unwatched", "watched"]);
  });

  test("asked for once more, it changes if something is different, and stays as it is otherwise", async () => {
    const a = await replica("a");
    await a.addWatch(watch("w1"), limits, watched);

    const same = await a.addWatch(watch("w2"), limits, watched);
    const changed = await a.addWatch(watch("w3", { afterMs: 0, quiet: undefined }), limits, watched);

    expect([same, changed]).toEqual([{ kind: "same" }, { kind: "changed", id: "w1" }]);
    expect(await a.allWatches()).toMatchObject([{ id: "w1", afterMs: 0, quiet: undefined }]);
    expect(await a.history({ teamId: "T1", limit: 9 })).toHaveLength(2);
  });

  test.each<[string, Partial<NewWatch>]>([
    ["another person", ofBob],
    ["another place", dm],
    ["other workloads", web],
    ["another kind", { target: { kind: "job", names: "shop-*", region: "us" } }],
    ["another region", { target: { kind: undefined, names: "shop-*", region: "beijing1" } }],
    ["a digest", digest],
  ])("%s makes it another watch", async (_what, other) => {
    const a = await replica("a");
    await a.addWatch(watch("w1"), limits, watched);

    expect(await a.addWatch(watch("w2", other), limits, watched)).toEqual({ kind: "added", id: "w2" });
    const both = (await a.allWatches()).toSorted((one, two) => (one.id < two.id ? -1 : 1));
    expect(both).toMatchObject([{ id: "w1" }, watch("w2", other)]);
  });

  test("of many who ask for the same at once, one has added it", async () => {
    const [a, b] = [await replica("a"), await replica("b")];

    const done = await atOnce(6, [a, b], (store, at) => store.addWatch(watch(`w${at}`), limits, watched));

    expect(done.filter(({ kind }) => kind === "added")).toHaveLength(1);
    expect(await a.allWatches()).toHaveLength(1);
    expect(await a.history({ teamId: "T1", limit: 9 })).toHaveLength(1);
  });

  test("neither a person nor a place has more than its share, and one that is there can still be changed", async () => {
    const a = await replica("a");
    const named = (names: string) => ({ target: { kind: undefined, names, region: "us" } });
    for (const at of [1, 2, 3]) await a.addWatch(watch(`w${at}`, named(`shop-${at}`)), limits, watched);
    await a.addWatch(watch("file", { ...named("shop-9"), source: "file" }), limits, watched);
    await a.addWatch(watch("w4", { ...named("shop-4"), ...ofBob }), limits, watched);

    const own = await a.addWatch(watch("w5", { ...named("shop-5"), ...dm }), limits, watched);
    const here = await a.addWatch(watch("w5", { ...named("shop-5"), ...ofBob }), limits, watched);
    const changed = await a.addWatch(watch("w6", { ...named("shop-1"), afterMs: 0 }), limits, watched);

    expect([own, here, changed]).toEqual([
      { kind: "full", by: "owner" },
      { kind: "full", by: "place" },
      { kind: "changed", id: "w1" },
    ]);
  });

  test("people see their own and what tells in their channel; other workspaces see nothing of it", async () => {
    const a = await replica("a");
    await a.addWatch(watch("here"), limits, watched);
    await a.addWatch(watch("own", dm), limits, watched);
    await a.addWatch(watch("bobs", ofBob), limits, watched);
    await a.addWatch(watch("bobs own", { ...ofBob, ...dm }), limits, watched);
    const seen = async (where: Parameters<typeof a.watchesOf>[0]) =>
      (await a.watchesOf(where)).map(({ id }) => id).toSorted();

    expect(await seen({ teamId: "T1", ownerId: "U1", place: "C1" })).toEqual(["bobs", "here", "own"]);
    expect(await seen({ teamId: "T1", ownerId: "U1" })).toEqual(["here", "own"]);
    expect(await seen({ teamId: "T1", ownerId: "U3", place: "C1" })).toEqual(["bobs", "here"]);
    expect(await seen({ teamId: "T2", ownerId: "U1", place: "C1" })).toEqual([]);
    expect(await a.removeWatch({ id: "here", teamId: "T2" }, event("unwatched", { teamId: "T2" }))).toBeUndefined();
  });

  test("what the file says, only the file ends", async () => {
    const a = await replica("a");
    await a.addWatch(watch("w1", { source: "file" }), limits, watched);

    expect(await a.removeWatch({ id: "w1", teamId: "T1" }, unwatched)).toBeUndefined();
    expect(await a.allWatches()).toHaveLength(1);
  });

  test("one of the file is paused and goes on, once each, and its lists aren't read meanwhile", async () => {
    const [a, b] = [await replica("a"), await replica("b")];
    const id = { id: "f1", teamId: "T1" };
    const list = { teamId: "T1", account: "acme", region: "us", kind: "service" } as const; // a literal kind
    const read = async () => (await b.watchesOn(list, "us")).length;
    await a.setFileWatches("T1", [watch("f1", { source: "file" }), watch("f2", { source: "file", ...digest })]);
    await a.addWatch(watch("w1", { ...web, ...ofBob }), limits, watched);
    const before = await read();

    const pause = { why: "policy no longer allows it here", event: unwatched };
    const paused = await atOnce(4, [a, b], (store) => store.loseWatch(id, pause));
    await a.loseWatch({ ...id, id: "f2" }, pause);
    const meanwhile = await read();
    // The owner has another name by now.
    await a.setFileWatches("T1", [watch("f3", { source: "file" }), watch("f2", { source: "file", ...digest })]);
    const replaced = (await a.allWatches()).find((each) => each.id === "f3");
    const resumed = await atOnce(4, [a, b], (store) => store.resumeWatch({ ...id, id: "f3" }, watched));
    await b.resumeWatch({ ...id, id: "f2" }, watched);

    expect(paused.filter(Boolean)).toHaveLength(1);
    expect([before, meanwhile, await read()]).toEqual([2, 1, 2]);
    expect(replaced?.pausedWhy).toBe("policy no longer allows it here");
    expect(resumed.filter(Boolean)).toHaveLength(1);
    expect((await a.history({ teamId: "T1", limit: 9 })).map(({ kind }) => kind)).toEqual([
      "watched",
      "watched",
      "unwatched",
      "unwatched",
      "watched",
    ]);
  });

  test("what became of a watch is due with its end, once", async () => {
    const [a, b] = [await replica("a"), await replica("b")];
    const at = { id: "w1", teamId: "T1" };
    await a.addWatch(watch("w1"), limits, watched);
    const loss = { why: "she left the channel", event: unwatched };

    const lost = await atOnce(4, [a, b], (store) => store.loseWatch(at, loss));
    const news = await b.takeDue({ kind: "watch news", leaseMs: 60_000, most: 9 });

    expect([lost.filter(Boolean), await a.allWatches()]).toEqual([[true], []]);
    expect(news.map(({ teamId, payload = "" }) => [teamId, JSON.parse(payload)])).toMatchObject([
      ["T1", { place: { channelId: "C1" }, owner: ann, target: { names: "shop-*" }, why: loss.why }],
    ]);
  });

  test("workloads are muted in a place for a while, or until somebody lifts it", async () => {
    const a = await replica("a");
    const here = { teamId: "T1", place: { kind: "channel", channelId: "C1" }, names: "web", by: ann } as const; // a literal kind
    const own = { teamId: "T1", place: { kind: "dm", userId: "U1" }, names: "*", by: ann } as const; // the same
    await a.mute({ ...here, forMs: 60_000 }, event("muted"));
    const [first] = await a.mutesOf("T1");
    await a.mute({ ...here, forMs: 3_600_000, by: bob }, event("muted"));
    await a.mute({ ...own, forMs: 60_000 }, event("muted"));
    const now = await a.mutesOf("T1");
    a.later(120_000);
    const later = await a.mutesOf("T1");
    const lifted = [await a.unmute(here, event("unmuted")), await a.unmute(here, event("unmuted"))];

    expect(Number(now[1]?.until) - Number(first?.until)).toBeGreaterThan(3_000_000);
    expect(now).toMatchObject([
      { place: { kind: "dm", userId: "U1" }, names: "*", by: ann },
      { place: { kind: "channel", channelId: "C1" }, names: "web", by: bob },
    ]);
    expect(later).toMatchObject([{ names: "web" }]);
    expect([await a.mutesOf("T2"), await a.mutesOf("T1"), lifted]).toEqual([[], [], [true, false]]);
  });

  test("the same mute a moment later changes nothing, unless it is over by then or somebody else mutes", async () => {
    const a = await replica("a");
    const place = { kind: "channel", channelId: "C1" } as const; // a literal kind
    const mute = (forMs: number, by = ann) => a.mute({ teamId: "T1", place, names: "web", by, forMs }, event("muted"));

    expect(await mute(60_000)).toBe(true);
    a.later(30_000);
    expect(await mute(60_000)).toBe(false);
    expect(await mute(60_000, bob)).toBe(true);
    a.later(90_000);
    expect(await mute(60_000, bob)).toBe(true);
    expect(await mute(600_000, bob)).toBe(true);
    expect(await mute(60_000, bob)).toBe(true);
  });

  test("mutes that are over go away", async () => {
    const a = await replica("a");
    const place = { kind: "channel", channelId: "C1" } as const; // a literal kind
    await a.mute({ teamId: "T1", place, names: "web", by: ann, forMs: 60_000 }, event("muted"));

    await a.mute({ teamId: "T1", place, names: "api", by: ann, forMs: 3_600_000 }, event("muted"));

    a.later(61_000);
    await a.endMutes();

    expect(await a.mutesOf("T1")).toMatchObject([{ names: "api" }]);
    a.later(3_600_000);
    await a.endMutes();
    expect(await db().selectFrom("mute").selectAll().execute()).toEqual([]);
  });

  test("a channel that gets another id keeps its watches and mutes, each once", async () => {
    const a = await replica("a");
    const moved = { place: { kind: "channel", channelId: "C2" } } as const; // a literal kind
    await a.addWatch(watch("old"), limits, watched);
    await a.addWatch(watch("only old", web), limits, watched);
    await a.addWatch(watch("new", moved), limits, watched);
    for (const channelId of ["C1", "C2"]) {
      const place = { kind: "channel", channelId } as const; // a literal kind
      await a.mute({ teamId: "T1", place, names: "web", by: ann, forMs: 60_000 }, event("muted"));
    }

    await a.moveChannel({ teamId: "T1", from: "C1", to: "C2", token: undefined });

    const stay = (await a.allWatches()).toSorted((one, other) => (one.id < other.id ? -1 : 1));
    expect(stay).toMatchObject([
      { id: "new", ...moved },
      { id: "only old", ...moved, account: { owner: { channelId: "C2" } } },
    ]);
    expect(await a.mutesOf("T1")).toMatchObject([{ place: { channelId: "C2" } }]);
  });

  test("a watch whose row is damaged keeps no other from being read", async () => {
    const a = await replica("a");
    await a.addWatch(watch("broken"), limits, watched);
    await a.addWatch(watch("whole", web), limits, watched);
    await db().updateTable("watch").set({ events: "[" }).where("id", "=", "broken").execute();

    expect(await a.allWatches()).toMatchObject([{ id: "whole" }]);
    expect(await a.watchesOf({ teamId: "T1", ownerId: "U1" })).toMatchObject([{ id: "whole" }]);
  });

  test("a workspace that removes Gantry keeps neither", async () => {
    const a = await replica("a");
    const place = { kind: "dm", userId: "U1" } as const; // a literal kind
    await a.addWatch(watch("w1"), limits, watched);
    await a.addWatch(watch("w2", { teamId: "T2" }), limits, event("watched", { teamId: "T2" }));
    await a.mute({ teamId: "T1", place, names: "web", by: ann, forMs: 60_000 }, event("muted"));

    await a.closeWorkspace({ teamId: "T1", by: ann });

    expect(await a.allWatches()).toMatchObject([{ id: "w2" }]);
    expect(await a.mutesOf("T1")).toEqual([]);
  });

  test("a digest is due from its watch on, and begins anew when its terms change or it goes on after a pause", async () => {
    const a = await replica("a");
    const payload = "its next time";
    const take = async () => {
      const due = await takeOne(a, "digest");
      if (due !== undefined) await a.delayDue(due, { ms: 3_600_000, payload });
      return due && [due.key, due.payload];
    };
    await a.addWatch(watch("w0"), limits, watched);
    await a.addWatch(watch("w1", digest), limits, watched);
    const added = await take();
    const same = [await a.addWatch(watch("w2", digest), limits, watched), await take()];
    await a.addWatch(watch("w2", { digest: { ...digest.digest, at: "10:00" }, events: [] }), limits, watched);
    const changed = await take();
    await a.setFileWatches("T1", [watch("f1", { source: "file", ...digest })]);
    const ofFile = await take();
    await a.loseWatch({ id: "f1", teamId: "T1" }, { why: "policy", event: unwatched });
    await a.resumeWatch({ id: "f1", teamId: "T1" }, watched);

    expect([added, same, changed]).toEqual([
      ["w1", undefined],
      [{ kind: "same" }, undefined],
      ["w1", undefined],
    ]);
    expect([ofFile, await take()]).toEqual([
      ["f1", undefined],
      ["f1", undefined],
    ]);
  });
}
