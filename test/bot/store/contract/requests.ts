import { expect, test } from "vitest";
import {
  ann,
  approvedChange,
  atOnce,
  bob,
  type Bench,
  event,
  ofId,
  pendingChange,
  storyOf,
  terms,
  votes,
} from "./bench.ts";

export function requestsContract({ replica, db }: Bench): void {
  test("what was asked for comes back as it was, also with everything that can be left out", async () => {
    const a = await replica("a");
    const plain = pendingChange("AAA111", {
      reason: undefined,
      workload: { kind: "job", region: "us", name: "night", uid: undefined },
      account: { owner: { kind: "user", userId: "U1" }, username: "ann" },
      terms: { ...terms, cardIn: "C9", mention: "nobody" },
      breakGlass: true,
      undoOf: "ZZZ999",
      diff: [],
    });
    const full = approvedChange("BBB222");

    await a.addChange(plain, event("requested"));
    await a.addChange(full, event("requested"));

    const found = await a.findChange("AAA111");
    expect(found).toMatchObject({ ...plain, version: 1, votes: [], isUndone: false, card: undefined });
    expect(Number(found?.expiresAt) - Number(found?.createdAt)).toBeGreaterThanOrEqual(3_600_000);
    expect(Number(found?.expiresAt) - Number(found?.createdAt)).toBeLessThan(3_601_000);
    expect(await a.changeOfDelivery("delivery-BBB222")).toMatchObject({
      ...full,
      approvedAt: expect.any(Date),
      expiresAt: undefined,
    });
    expect(await a.findChange("CCC333")).toBeUndefined();
  });

  test("times are the database's, to the millisecond, in UTC", async () => {
    const a = await replica("a");
    const change = await a.addChange(pendingChange("AAA111"), event("requested"));

    const row = await db().selectFrom("change").select("created_at").executeTakeFirstOrThrow();

    expect(row.created_at).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/u);
    expect(Math.abs(Date.now() - change.createdAt.getTime())).toBeLessThan(60_000);
  });

  test("metrics count what waits in all workspaces, and how long the oldest has waited", async () => {
    const a = await replica("a");
    expect(await a.waiting()).toEqual({ count: 0, oldestMs: undefined, watchLagMs: undefined });
    await a.addChange(pendingChange("AAA111"), event("requested"));
    a.later(30 * 60_000);
    await a.addChange(pendingChange("BBB222", { teamId: "T2" }), event("requested", { teamId: "T2" }));
    await a.addChange(approvedChange("CCC333"), event("requested"));

    const { count, oldestMs = 0 } = await a.waiting();
    expect(count).toBe(2);
    expect(oldestMs).toBeGreaterThanOrEqual(30 * 60_000);
    expect(oldestMs).toBeLessThan(31 * 60_000);

    // The older one can't be approved any more.
    a.later(31 * 60_000);
    expect(await a.waiting()).toMatchObject({ count: 1 });
  });

  test("whoever lists what waits sees what another replica did since", async () => {
    const [a, b] = [await replica("a"), await replica("b")];
    const needsTwo = { ...terms, votes: 2 };
    for (const id of ["AAA111", "BBB222", "CCC333"]) {
      await a.addChange(pendingChange(id, { terms: needsTwo }), event("requested"));
    }
    const before = ofId(await a.pendingChanges("T1"));

    await b.vote("AAA111", bob, votes);
    await b.reject("BBB222", { who: bob, reason: "no" }, event("rejected"));
    for (const due of await b.takeDue({ kind: "post", leaseMs: 60_000, most: 9 })) {
      if (due.key === "CCC333") await b.savePost(due, { card: { channelId: "C1", ts: "1.1" } });
    }
    await b.moveChannel({ teamId: "T1", from: "C1", to: "C2", token: undefined });
    await b.addChange(pendingChange("DDD444"), event("requested"));
    await b.addChange(pendingChange("EEE555", { teamId: "T2" }), event("requested", { teamId: "T2" }));

    const after = await a.pendingChanges("T1");
    const whole = await Promise.all(ofId(after).map((id) => b.findChange(id)));
    expect(before).toEqual(["AAA111", "BBB222", "CCC333"]);
    expect(ofId(after)).toEqual(["AAA111", "CCC333", "DDD444"]);
    expect(after).toEqual(whole);
  });

  test("a waiting request that can't be read isn't listed, and hides no other", async () => {
    const a = await replica("a");
    await a.addChange(pendingChange("AAA111"), event("requested"));
    await a.addChange(pendingChange("BBB222"), event("requested"));

    await db().updateTable("change").set({ account_owner: "{" }).where("id", "=", "AAA111").execute();

    expect(ofId(await a.pendingChanges("T1"))).toEqual(["BBB222"]);
  });

  test("a delivery that is worked on twice asks once", async () => {
    const replicas = [await replica("a"), await replica("b")];

    const added = await atOnce(20, replicas, (store, at) =>
      store.addChange(pendingChange(`ID${at}`, { deliveryId: "d1" }), event("requested")),
    );

    const ids = new Set(ofId(added));
    expect(ids.size).toBe(1);
    const [id = ""] = ids;
    expect(await replicas[0]?.history({ teamId: "T1", limit: 50 })).toMatchObject([
      { kind: "requested", changeId: id },
    ]);
  });

  test("those that wait are listed oldest first, with their votes, without what is over or somebody else's", async () => {
    const a = await replica("a");
    const two = { terms: { ...terms, votes: 2 } };
    await a.addChange(pendingChange("OLD", two), event("requested"));
    await a.addChange(pendingChange("LATE", { terms: { ...terms, expiresMs: 1_000 } }), event("requested"));
    await a.addChange(pendingChange("ELSE", { teamId: "T2" }), event("requested"));
    await a.addChange(approvedChange("RUNS"), event("requested"));
    a.later(2_000);
    await a.addChange(pendingChange("NEW"), event("requested"));
    await a.vote("OLD", bob, votes);

    const pending = await a.pendingChanges("T1");

    expect(ofId(pending)).toEqual(["OLD", "NEW"]);
    expect(pending[0]?.votes).toEqual([{ ...bob, at: expect.any(Date) }]);
  });

  test("requests that wait are listed as they are found one by one, those for several workloads too", async () => {
    const a = await replica("a");
    const parts = [approvedChange("", { diff: ["a"] }), approvedChange("", { diff: ["b"] })];
    await a.addChange(pendingChange("ONE111", { reason: "too slow", diff: ["1 → 2"] }), event("requested"));
    await a.addChange(pendingChange("TWO222", { parts }), event("requested"));

    const pending = await a.pendingChanges("T1");

    expect(pending).toEqual([await a.findChange("ONE111"), await a.findChange("TWO222")]);
    expect(pending[0]).toMatchObject({ reason: "too slow", diff: ["1 → 2"] });
  });

  test("no column holds more than its type says: a token that came along is left out", async () => {
    const a = await replica("a");
    const careless = {
      ...pendingChange("AAA111"),
      token: "tok-0815-secret",
      account: {
        owner: { kind: "user", userId: "U1", token: "tok-0815-secret" },
        username: "ann",
        token: "tok-0815-secret",
      },
      requester: { ...ann, token: "tok-0815-secret" },
      terms: { ...terms, note: "tok-0815-secret" },
    } as ReturnType<typeof pendingChange>; // as somebody who spreads too much would hand it over

    const carelessEvent = { ...event("requested"), token: "tok-0815-secret" };
    await a.addChange(careless, carelessEvent);

    const rows = [
      await db().selectFrom("change").selectAll().execute(),
      await db().selectFrom("event").selectAll().execute(),
    ];
    expect(JSON.stringify(rows)).not.toContain("tok-0815-secret");
    expect(await a.findChange("AAA111")).toMatchObject({ account: { owner: { kind: "user", userId: "U1" } } });
  });

  test("text with a NUL, an emoji and quotes is stored as text", async () => {
    const a = await replica("a");

    const change = await a.addChange(
      pendingChange("AAA111", { reason: 'it\'s \0 "down" 🔥; drop table change', diff: ["a\0b"] }),
      event("requested", { result: "x\0y" }),
    );

    expect(change).toMatchObject({ reason: 'it\'s  "down" 🔥; drop table change', diff: ["a\0b"] });
    expect(await storyOf(a, "AAA111")).toEqual(["requested"]);
  });

  test("what waits for votes must say whose", async () => {
    const a = await replica("a");

    const added = a.addChange(pendingChange("AAA111", { terms: undefined }), event("requested"));

    await expect(added).rejects.toThrow(/needs the terms/u);
  });

  test("a row that was changed by hand is named, and does not keep the others from being carried on", async () => {
    const a = await replica("a");
    await a.addChange(approvedChange("BAD"), event("requested"));
    await a.addChange(approvedChange("GOOD"), event("requested"));

    await db()
      .updateTable("change")
      .set({ diff: "{secret", created_at: "yesterday" })
      .where("id", "=", "BAD")
      .execute();

    await expect(a.findChange("BAD")).rejects.toThrow(
      /^Change BAD in the database cannot be read \((?=.*created_at)(?=.*diff: is no JSON)(?!.*secret).*restore the database/u,
    );
    expect(ofId(await a.openChanges())).toEqual(["GOOD"]);
  });

  test("a Change is undone once, and its card offers no Undo from then on", async () => {
    const replicas = [await replica("a"), await replica("b")];
    await replicas[0]?.addChange(approvedChange("AAA111"), event("requested"));

    const undos = await atOnce(6, replicas, (store, at) =>
      store.addChange({ ...pendingChange(`UNDO${at}`), undoOf: "AAA111" }, event("requested")),
    );

    expect(new Set(ofId(undos)).size).toBe(1);
    expect(await replicas[1]?.findChange("AAA111")).toMatchObject({ isUndone: true, version: 2 });
  });

  test("an Undo that came to nothing can be asked for again", async () => {
    const a = await replica("a");
    await a.addChange(approvedChange("AAA111"), event("requested"));
    await a.addChange({ ...pendingChange("BBB222"), undoOf: "AAA111" }, event("requested"));

    await a.reject("BBB222", { who: { userId: "U2", name: "Bob Ray" }, reason: undefined }, event("rejected"));

    expect(await a.findChange("AAA111")).toMatchObject({ isUndone: false, version: 3 });
  });
}
