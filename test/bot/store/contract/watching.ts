import type { Who } from "../../../../src/bot/changes/stored-change.ts";
import { expect, test } from "vitest";
import type { Incident, Kept, Seen } from "../../../../src/bot/watch/incident.ts";
import type { NewNotice, NewWatch, Placing, Round, RoundResult } from "../../../../src/bot/workflow/stored.ts";
import type { StoredPost } from "../../../../src/bot/workflow/posts.ts";
import { atOnce, type Bench, event, ann, type Replica, takeOne, placesDue } from "./bench.ts";

const limits = { perOwner: 100, perPlace: 100 };
const list = { teamId: "T1", account: "acme", region: "beijing1", kind: "service" } as const; // a literal kind
const MINUTE = 60_000;

function watch(id: string, other: Partial<NewWatch> = {}): NewWatch {
  return {
    id,
    teamId: "T1",
    owner: ann,
    source: "person",
    account: { owner: { kind: "workspace" }, username: "acme" },
    target: { kind: "service", names: "*", region: "beijing1" },
    place: { kind: "channel", channelId: "C1" },
    events: ["failing"],
    afterMs: 0,
    quiet: undefined,
    digest: undefined,
    ...other,
  };
}

const seen: Seen = {
  kind: "service",
  name: "web",
  uid: "u1",
  level: "failing",
  words: "keeps crashing",
  facts: "exit 1, 4 restarts",
  reason: "lost its database",
  cause: "crash-loop",
  shared: undefined,
  restarts: 4,
  ready: 0,
  size: 1,
  images: ["app:1"],
  revision: undefined,
};
const kept: Kept = { seen, change: { at: "2026-11-26T10:00:00.000Z", words: "image app:0 → app:1" } };

function incident(id: string, other: Partial<Incident> = {}): Incident {
  return {
    ...list,
    id,
    name: `web-${id}`,
    cause: "crash-loop",
    shared: undefined,
    openedAt: new Date("2026-11-26T10:00:00Z"),
    overAt: undefined,
    end: undefined,
    times: 1,
    seen,
    unseenSince: undefined,
    overUnseenSince: undefined,
    restartsBefore: 1,
    changedBefore: undefined,
    ...other,
  };
}

const long = new Date("2026-11-26T00:00:00Z");
const noticeOf = (id: string, place = "C1", other: Partial<NewNotice> = {}): NewNotice => ({
  place,
  id,
  event: undefined,
  countsAt: long,
  dueAt: long,
  isOld: false,
  ...other,
});

const nothing: RoundResult = { isRead: true, everyMs: 10_000, changed: [], gone: [], incidents: [], notices: [] };

async function planted(store: Replica, ...watches: readonly NewWatch[]): Promise<void> {
  for (const each of watches) await store.addWatch(each, limits, event("watched"));
  await store.syncRounds("us");
}

function given<Value>(value: Value | undefined): Value {
  if (value === undefined) throw new Error("there was nothing to do");
  return value;
}

/** Takes the round that is due longest. */
async function takeRound(store: Replica): Promise<Round | undefined> {
  const due = await takeOne(store, "round");
  return due && store.roundOf(due);
}

/** Ends the next round with what was found. */
async function found(store: Replica, result: Partial<RoundResult>): Promise<Round> {
  const round = given(await takeRound(store));
  expect(await store.endRound(round, { ...nothing, ...result })).toBe(true);
  return round;
}

function placing(ids: readonly string[], other: Partial<Placing> = {}): Placing {
  const tell = ids.map((id) => ({ id, groupKey: "crash-loop", joins: "young" as const })); // a literal word
  return { teamId: "T1", place: "C1", tell, wait: [], drop: [], ...other };
}

/** The message that is due longest. */
async function takenPost(store: Replica): Promise<StoredPost | undefined> {
  const due = await takeOne(store, "post");
  return due && store.postOf(due);
}

export function watchingContract({ replica, db }: Bench): void {
  /** A replica, and one watch. */
  async function watched(): Promise<Replica> {
    const a = await replica("a");
    await planted(a, watch("w1"));
    return a;
  }
  /** Incidents with these ids are found, and due in the first place. */
  const failing = (store: Replica, ...ids: readonly string[]) =>
    found(store, { incidents: ids.map((id) => incident(id)), notices: ids.map((id) => noticeOf(id)) });
  /** Oldest first. */
  const alerts = async (): Promise<readonly string[]> => {
    const rows = await db().selectFrom("alert").select("id").orderBy("created_at").execute();
    return rows.map(({ id }) => id);
  };
  const alertWith = async (notice: string): Promise<string | null> => {
    const row = await db().selectFrom("notice").select("alert_id").where("id", "=", notice).executeTakeFirstOrThrow();
    return row.alert_id;
  };

  test("each watched list has one round, which one of many replicas takes", async () => {
    const [a, b] = [await replica("a"), await replica("b")];
    await planted(a, watch("w1"), watch("w2", { owner: { userId: "U2", name: "Bob" } }));
    await b.syncRounds("us");

    const taken = await atOnce(20, [a, b], (store) => takeRound(store));

    const rounds = taken.filter((each) => each !== undefined);
    expect(rounds).toMatchObject([{ ...list, polledAt: undefined, failures: 0, version: 0 }]);
    const round = given(rounds[0]);
    expect(await a.endRound(round, nothing)).toBe(true);
    expect(await takeRound(a)).toBeUndefined();
    expect(await a.waiting()).toMatchObject({ watchLagMs: 0 });
    b.later(10_001);
    expect((await b.waiting()).watchLagMs).toBeGreaterThan(0);
    expect(await takeRound(b)).toMatchObject({ polledAt: round.at, everyMs: 10_000, version: 0 });
  });

  test("a watch of everything reads services and jobs, a digest reads nothing", async () => {
    const a = await replica("a");
    const digest = { days: "daily", at: "09:00", zone: "UTC" } as const; // literal days
    await planted(a, watch("w1", { target: { kind: undefined, names: "*", region: "beijing1" } }));
    await planted(a, watch("w2", { target: { kind: "service", names: "*", region: "beijing2" }, digest }));

    const rounds = [await takeRound(a), await takeRound(a), await takeRound(a)];

    expect(rounds[2]).toBeUndefined();
    expect(rounds.map((each) => `${each?.kind} ${each?.region}`)).toEqual(
      expect.arrayContaining(["job us", "service beijing1"]),
    );
  });

  test("what rounds found is placed after the last of those that are on, or due", async () => {
    const a = await replica("a");
    await planted(a, watch("w1", { target: { kind: undefined, names: "*", region: "beijing1" } }));
    const first = given(await takeRound(a));
    const placedAfter = async (round: Round, result: Partial<RoundResult>): Promise<string | undefined> => {
      expect(await a.endRound(round, { ...nothing, ...result })).toBe(true);
      await a.placeAfterRound();
      return (await takeOne(a, "place"))?.key;
    };

    const news = {
      incidents: [incident("1")],
      notices: [noticeOf("1"), noticeOf("2", "C2", { dueAt: new Date("2099-01-01") })],
    };
    const early = await placedAfter(first, news);
    const late = await placedAfter(given(await takeRound(a)), {});

    expect([early, late]).toEqual([undefined, "T1 C1"]);
    expect(await takeOne(a, "place")).toBeUndefined();
  });

  test("what is seen is kept, and only for who has the round", async () => {
    const [a, b] = [await watched(), await replica("b")];
    const stopped = given(await takeRound(a));
    b.later(61_000);
    const taken = given(await takeRound(b));

    expect(await a.endRound(stopped, { ...nothing, changed: [kept], incidents: [incident("1")] })).toBe(false);
    expect((await a.keptOf(list))?.size).toBe(0);
    expect(await b.endRound(taken, { ...nothing, changed: [kept], incidents: [incident("1")] })).toBe(true);

    expect(await a.keptOf(list)).toEqual(new Map([["web", kept]]));
    expect(await a.incidentsOf(list, MINUTE)).toEqual([incident("1")]);
    b.later(20_000);
    await found(b, { gone: ["web"] });
    expect((await a.keptOf(list))?.size).toBe(0);
  });

  test("a failed look keeps the time of the last good one", async () => {
    const a = await watched();
    const first = await found(a, {});
    a.later(11_000);
    await found(a, { isRead: false });
    a.later(11_000);

    expect(await takeRound(a)).toMatchObject({ polledAt: first.at, failures: 1 });
  });

  test("a hint makes a round due at once, also one that comes while a round is on", async () => {
    const a = await watched();
    const round = given(await takeRound(a));
    a.later(5);
    await a.hint(list);
    await a.endRound(round, nothing);

    const next = given(await takeRound(a));
    await a.endRound(next, nothing);
    expect(await takeRound(a)).toBeUndefined();
    a.later(5);
    await a.hint(list);
    expect(await takeRound(a)).toBeDefined();
  });

  test("incidents end that nobody watches any more", async () => {
    const a = await watched();
    await found(a, { changed: [kept], incidents: [incident("1")] });

    await a.removeWatch({ id: "w1", teamId: "T1" }, event("unwatched"));
    await a.syncRounds("us");

    expect(await a.incidentsOf(list, MINUTE)).toMatchObject([{ id: "1", end: "unwatched", overAt: expect.any(Date) }]);
    expect((await a.keptOf(list))?.size).toBe(0);
    a.later(20_000);
    expect(await takeRound(a)).toBeUndefined();
  });

  test("a round whose key nobody can read is removed, and the others go on", async () => {
    const a = await replica("a");
    const row = { kind: "round", team_id: "T1", attempts: 0, at: "2026-01-01", created_at: "2026-01-01" } as const; // a literal kind
    await db()
      .insertInto("due")
      .values({ ...row, key: "no list" })
      .execute();
    await planted(a, watch("w1"));

    expect(await takeRound(a)).toMatchObject(list);
    expect(await takeRound(a)).toBeUndefined();
  });

  test("an incident is told once to each place, and what is known keeps its time", async () => {
    const a = await watched();
    await found(a, { incidents: [incident("1")], notices: [noticeOf("1"), noticeOf("1", "C2")] });
    expect(await placesDue(a)).toEqual(["T1 C1", "T1 C2"]);
    expect(await a.dueNotices({ teamId: "T1", place: "C1" })).toMatchObject([{ id: "1", subject: { name: "web-1" } }]);

    await a.placeNotices(placing(["1"]));
    await a.placeNotices(placing(["1"]));
    a.later(20_000);
    await found(a, { notices: [noticeOf("1"), noticeOf("1", "C2", { isOld: true, dueAt: new Date() })] });

    expect(await a.dueNotices({ teamId: "T1", place: "C1" })).toEqual([]);
    expect(await a.dueNotices({ teamId: "T1", place: "C2" })).toMatchObject([{ id: "1", countsAt: long }]);
    const [alert = "", ...others] = await alerts();
    expect(others).toEqual([]);
    expect(await a.alertOf({ id: alert, teamId: "T1" })).toMatchObject({ incidents: [{ id: "1" }], events: [] });
    expect(await takenPost(a)).toMatchObject({ kind: "alert", key: alert, place: "C1", posts: 0 });
  });

  test("two replicas that place the same notices make one message", async () => {
    const [a, b] = [await watched(), await replica("b")];
    await failing(a, "1", "2", "3");

    await atOnce(10, [a, b], (store) => store.placeNotices(placing(["1", "2", "3"])));

    expect(await alerts()).toHaveLength(1);
    expect(await a.takeDue({ kind: "post", leaseMs: 30_000, most: 9 })).toHaveLength(1);
  });

  test("the same cause within a minute joins the card; another one waits for half a minute", async () => {
    const a = await watched();
    await failing(a, "1", "2", "3", "4");
    const other = (id: string) => placing([], { tell: [{ id, groupKey: "image r.io", joins: "young" }] });

    await a.placeNotices(placing(["1"]));
    a.later(10_000);
    await a.placeNotices(placing(["2"]));
    await a.placeNotices(other("3"));
    const [first] = await alerts();
    const early = await alertWith("3");
    a.later(21_000);
    await a.placeNotices(other("3"));
    a.later(30_000);
    await a.placeNotices(placing(["4"]));

    expect(await alertWith("2")).toBe(first);
    expect(early).toBeNull();
    expect(new Set([first, await alertWith("3"), await alertWith("4")]).size).toBe(3);
  });

  test("a second failure of a kind is news of its own; of a storm, it joins the card", async () => {
    const a = await watched();
    await failing(a, "1", "2", "3", "4", "5");
    const alone = (...ids: string[]) =>
      placing([], { tell: ids.map((id) => ({ id, groupKey: "crash-loop", joins: "storm" as const })) }); // a literal word

    await a.placeNotices(alone("1"));
    a.later(31_000);
    await a.placeNotices(alone("2", "3", "4"));
    a.later(10_000);
    await a.placeNotices(alone("5"));

    const [first, storm] = [await alertWith("1"), await alertWith("2")];
    expect(storm).not.toBe(first);
    expect([await alertWith("4"), await alertWith("5")]).toEqual([storm, storm]);
  });

  test("what joins any card of its sort does it while that lasts", async () => {
    const a = await watched();
    await failing(a, "1", "2", "3");
    const away = (id: string) => placing([], { tell: [{ id, groupKey: "api-away", joins: "open" }] });

    await a.placeNotices(away("1"));
    a.later(10 * MINUTE);
    await a.placeNotices(away("2"));
    await found(a, { incidents: ["1", "2"].map((id) => incident(id, { overAt: new Date(), end: "recovered" })) });
    await a.placeNotices(away("3"));

    const first = await alertWith("1");
    expect(await alertWith("2")).toBe(first);
    expect(await alertWith("3")).not.toBe(first);
  });

  test("nothing joins an alert whose message was deleted", async () => {
    const a = await watched();
    await failing(a, "1", "2");
    await a.placeNotices(placing(["1"]));
    await a.removePost(given(await takeOne(a, "post")));

    a.later(31_000);
    await a.placeNotices(placing(["2"]));

    expect(await alerts()).toHaveLength(2);
  });

  test("what joined an alert whose message is gone is due again, unless the message told it", async () => {
    const a = await watched();
    await failing(a, "1", "2");
    await a.placeNotices(placing(["1", "2"]));

    await a.removePost(given(await takeOne(a, "post")), ["2"]);

    expect((await a.dueNotices({ teamId: "T1", place: "C1" })).map(({ id }) => id)).toEqual(["2"]);
  });

  test("what has to wait or isn't told any more", async () => {
    const a = await watched();
    await failing(a, "1", "2");

    await a.placeNotices(
      placing([], { wait: [{ id: "1", until: new Date(Date.now() + MINUTE), isMuted: true }], drop: ["2"] }),
    );

    expect(await placesDue(a)).toEqual([]);
    a.later(MINUTE + 1_000);
    expect(await a.dueNotices({ teamId: "T1", place: "C1" })).toMatchObject([{ id: "1", wasMuted: true }]);
  });

  test("the message of an alert is due again when its incident moves, and when its watchers change", async () => {
    const a = await watched();
    await failing(a, "1");
    await a.placeNotices(placing(["1"]));
    const isDue = async () => {
      const due = await takeOne(a, "post");
      if (due !== undefined) await a.endDue(due);
      return due !== undefined;
    };
    expect([await isDue(), await isDue()]).toEqual([true, false]);

    a.later(11_000);
    await found(a, { incidents: [incident("1", { times: 2 })] });
    expect(await isDue()).toBe(true);
    await a.addWatch(watch("w2", { owner: { userId: "U2", name: "Bob" } }), limits, event("watched"));
    expect(await isDue()).toBe(true);
    await a.addWatch(watch("w3", { place: { kind: "channel", channelId: "C2" } }), limits, event("watched"));
    expect(await isDue()).toBe(false);
    await a.removeWatch({ id: "w2", teamId: "T1" }, event("unwatched"));
    expect(await isDue()).toBe(true);
    await a.loseWatch({ id: "w1", teamId: "T1" }, { why: "they left", event: event("unwatched") });
    expect(await isDue()).toBe(true);
    await a.setFileWatches("T1", [watch("f1", { source: "file" })]);
    await a.setFileWatches("T1", []);
    expect(await isDue()).toBe(true);

    a.later(11_000);
    await found(a, { incidents: [incident("1", { overAt: new Date(), end: "recovered" })] });
    expect(await isDue()).toBe(true);
    await a.removeWatch({ id: "w3", teamId: "T1" }, event("unwatched"));
    expect(await isDue()).toBe(false);
  });

  test("a mute in its place, its end and its expiry each draw the message of an open incident, also while it rests", async () => {
    const a = await watched();
    await failing(a, "1");
    await a.placeNotices(placing(["1"]));
    const drawn = async (): Promise<boolean> => {
      const due = await takeOne(a, "post");
      if (due === undefined) return false;
      const post = await a.postOf(due);
      await a.savePost(due, { restMs: MINUTE, isOver: true });
      return post?.restUntil === undefined;
    };
    const mute = { teamId: "T1", place: { kind: "channel", channelId: "C1" }, names: "*", by: ann } as const; // literals
    expect([await drawn(), await drawn()]).toEqual([true, false]);

    await a.mute({ ...mute, forMs: MINUTE }, event("muted"));
    expect([await drawn(), await drawn()]).toEqual([true, false]);
    await a.unmute(mute, event("unmuted"));
    expect(await drawn()).toBe(true);
    await a.mute({ ...mute, forMs: MINUTE }, event("muted"));
    await a.mute({ ...mute, place: { kind: "channel", channelId: "C2" }, forMs: 9 * MINUTE }, event("muted"));
    expect(await drawn()).toBe(true);
    await a.endMutes();
    expect(await drawn()).toBe(false);
    a.later(MINUTE + 1_000);
    await a.endMutes();
    expect(await drawn()).toBe(true);
  });

  test("somebody is on an alert once, and its message doesn't rest then", async () => {
    const a = await watched();
    await failing(a, "1");
    await a.placeNotices(placing(["1"]));
    const due = given(await takeOne(a, "post"));
    await a.savePost(due, { restMs: MINUTE });
    await a.endDue(due);
    const [id = ""] = await alerts();

    const takes = (teamId: string) =>
      a.passAlert({ id, teamId }, { by: ann, to: ann, at: new Date() }, { ...event("taken"), teamId });
    expect(await takes("T2")).toBe("gone");
    expect(await takes("T1")).toBe("passed");
    expect(await takes("T1")).not.toBe("passed");
    const events = await a.history({ teamId: "T1", limit: 9 });
    expect(events.filter(({ kind }) => kind === "taken")).toHaveLength(1);
    expect(await a.alertOf({ id, teamId: "T1" })).toMatchObject({ taken: { userId: "U1", name: "Ann Lee" } });
    expect(await a.alertOf({ id, teamId: "T2" })).toBeUndefined();
    expect((await takenPost(a))?.restUntil).toBeUndefined();
  });

  test("an incident is taken over, handed over and left; the later click counts, and one that is done again does nothing", async () => {
    const a = await watched();
    await failing(a, "1");
    await a.placeNotices(placing(["1"]));
    const [id = ""] = await alerts();
    const start = Date.now();
    const bob = { userId: "U2", name: "Bob" };
    const passes = (by: Who, to: Who | undefined, seconds: number): Promise<string> => {
      const at = new Date(start + seconds * 1_000);
      return a.passAlert({ id, teamId: "T1" }, { by, to, at }, event(to === by ? "taken" : "handed-over"));
    };
    const taken = async () => (await a.alertOf({ id, teamId: "T1" }))?.taken;

    expect(await passes(ann, undefined, 1)).toBe("not-theirs");
    expect(await passes(ann, ann, 2)).toBe("passed");
    expect(await passes(bob, bob, 4)).toBe("passed");
    expect(await taken()).toMatchObject({ ...bob, from: ann, isHanded: false });
    // Ann clicked before Bob took it, and her click from before is done again.
    expect([await passes(ann, ann, 3), await passes(ann, ann, 2), await passes(ann, undefined, 3)]).toEqual(
      Array.from({ length: 3 }, () => "late"),
    );
    expect(await passes(ann, undefined, 5)).toBe("not-theirs");
    expect([await passes(bob, ann, 6), await passes(bob, ann, 6)]).toEqual(["passed", "late"]);
    expect(await taken()).toMatchObject({ ...ann, from: bob, isHanded: true });
    expect([await passes(ann, undefined, 7), await passes(ann, undefined, 7)]).toEqual(["passed", "late"]);
    expect(await taken()).toBeUndefined();
    expect(await passes(bob, bob, 8)).toBe("passed");
    expect(await taken()).toMatchObject({ ...bob, from: undefined, isHanded: false });
    const events = await a.history({ teamId: "T1", limit: 9 });
    expect(events.filter(({ kind }) => kind === "taken" || kind === "handed-over")).toHaveLength(5);

    // A replica of an earlier version knows only who is on it.
    expect(await passes(bob, ann, 9)).toBe("passed");
    const cyd = { taken_by: "U3", taken_name: "Cyd", taken_at: new Date(start + 10_000).toISOString() };
    await db().updateTable("alert").set(cyd).where("id", "=", id).execute();
    expect(await taken()).toMatchObject({ userId: "U3", name: "Cyd", from: undefined, isHanded: false });
  });

  test("nobody takes, hands over or leaves an incident that is over; a click that was done before stays silent", async () => {
    const a = await watched();
    await failing(a, "1", "2");
    await a.placeNotices(placing(["1", "2"]));
    const [id = ""] = await alerts();
    const start = Date.now();
    const passes = (by: Who, to: Who | undefined, seconds: number): Promise<string> =>
      a.passAlert({ id, teamId: "T1" }, { by, to, at: new Date(start + seconds * 1_000) }, event("taken"));
    const over = { overAt: new Date(), end: "recovered" } as const; // a literal end

    a.later(11_000);
    await found(a, { incidents: [incident("1", over), incident("2")] });
    expect(await passes(ann, ann, 1)).toBe("passed");
    a.later(11_000);
    await found(a, { incidents: [incident("2", over)] });

    expect(await passes(ann, ann, 1)).toBe("late");
    const bob = { userId: "U2", name: "Bob" };
    expect([await passes(bob, bob, 2), await passes(ann, bob, 2), await passes(ann, undefined, 2)]).toEqual(
      Array.from({ length: 3 }, () => "over"),
    );
    expect((await a.alertOf({ id, teamId: "T1" }))?.taken).toMatchObject(ann);
  });

  test("people, looks and deliveries that meet at one alert don't wait for each other", async () => {
    const [a, b] = [await watched(), await replica("b")];
    await failing(a, "1");
    await a.placeNotices(placing(["1"]));
    const [id = ""] = await alerts();
    for (let turn = 0; turn < 8; turn += 1) {
      a.later(61_000);
      b.later(61_000);
      const [due, round] = [await takeOne(a, "post"), await takeRound(b)];
      const who = { userId: `U${turn}`, name: "Ann Lee" };
      const all = [
        b.passAlert({ id, teamId: "T1" }, { by: who, to: who, at: new Date() }, event("taken")),
        ...(due === undefined ? [] : [a.savePost(due, { sentKeys: [`${turn}`] }).then(() => a.endDue(due))]),
        ...(round === undefined
          ? []
          : [b.endRound(round, { ...nothing, incidents: [incident("1", { times: turn })], notices: [noticeOf("1")] })]),
        a.placeNotices(placing(["1"])),
      ];
      expect((await Promise.allSettled(all)).map(({ status }) => status)).toEqual(all.map(() => "fulfilled"));
    }
  });

  test("what is long over goes away", async () => {
    const a = await watched();
    const over = { overAt: new Date(), end: "recovered" } as const; // a literal end
    await found(a, {
      incidents: [incident("1", over), incident("2")],
      notices: [noticeOf("1"), noticeOf("2", "C2")],
    });
    await a.placeNotices(placing(["1"]));

    a.later(31 * 24 * 60 * MINUTE);
    await a.prune();

    const rows = await Promise.all(
      (["incident", "notice", "alert", "post"] as const).map((table) => db().selectFrom(table).select("id").execute()), // names of tables
    );
    expect(rows.map((each) => each.map(({ id }) => id))).toEqual([["2"], ["2"], [], []]);
    expect(await a.dueKinds()).not.toContain("post");
  });
}
