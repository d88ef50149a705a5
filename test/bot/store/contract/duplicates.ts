import { expect, test } from "vitest";
import {
  ann,
  approvedChange,
  atOnce,
  bob,
  type Bench,
  cleo,
  event,
  ofId,
  pendingChange,
  storyOf,
  terms,
  votes,
} from "./bench.ts";

export function duplicatesContract({ replica }: Bench): void {
  test("of many simultaneous Undos of one Change, one is added, and the others get that one", async () => {
    const replicas = [await replica("a"), await replica("b")];
    await replicas[0]?.addChange(approvedChange("AAA111"), event("requested"));

    const added = await atOnce(20, replicas, (store, at) =>
      store.addChange(approvedChange(`UNDO${at}`, { undoOf: "AAA111" }), event("requested")),
    );

    const [winner, ...others] = new Set(ofId(added));
    expect(others).toEqual([]);
    expect(await replicas[1]?.undoOf("AAA111")).toMatchObject({ id: winner, undoOf: "AAA111" });
    expect(await storyOf(replicas[0] ?? (await replica("c")), winner ?? "")).toEqual(["requested"]);
  });

  test.each(["rejected", "cancelled", "expired"] as const)("an Undo that was %s makes way for another", async (how) => {
    const a = await replica("a");
    const by = { userId: "U2", name: "Bob Ray" };
    await a.addChange(approvedChange("AAA111"), event("requested"));
    await a.addChange(pendingChange("BBB222", { undoOf: "AAA111" }), event("requested"));
    if (how === "rejected") await a.reject("BBB222", { who: by, reason: undefined }, event("rejected"));
    if (how === "cancelled") await a.cancel("BBB222", by, event("cancelled"));
    if (how === "expired") {
      a.later(3_700_000);
      await a.expireDue(600_000, () => event("expired"));
    }

    expect(await a.undoOf("AAA111")).toBeUndefined();
    const again = await a.addChange(pendingChange("CCC333", { undoOf: "AAA111" }), event("requested"));
    expect(again.id).toBe("CCC333");
  });

  test("of many simultaneous duplicates, one is added, and the others get that one", async () => {
    const replicas = [await replica("a"), await replica("b")];

    const added = await atOnce(20, replicas, (store, at) =>
      store.addChange(pendingChange(`WAIT${at}`, { waitKey: "equal" }), event("requested")),
    );

    expect(new Set(ofId(added)).size).toBe(1);
    expect(await replicas[0]?.pendingChanges("T1")).toHaveLength(1);
    expect((await replicas[1]?.waitingLike("equal"))?.id).toBe(added[0]?.id);
  });

  test("a request no longer blocks duplicates once it is decided or expired", async () => {
    const a = await replica("a");
    await a.addChange(pendingChange("AAA111", { waitKey: "equal" }), event("requested"));
    await a.vote("AAA111", bob, votes);
    expect(await a.waitingLike("equal")).toBeUndefined();
    await a.addChange(pendingChange("BBB222", { waitKey: "equal" }), event("requested"));

    a.later(3_700_000);

    expect(await a.waitingLike("equal")).toBeUndefined();
    const third = await a.addChange(pendingChange("CCC333", { waitKey: "equal" }), event("requested"));
    expect(third.id).toBe("CCC333");
  });

  test("a Change that may no longer run is pending again, with the current terms and the approvals that still count", async () => {
    const a = await replica("a");
    await a.addChange(pendingChange("AAA111", { terms: { ...terms, votes: 2 } }), event("requested"));
    await a.vote("AAA111", bob, votes);
    await a.vote("AAA111", cleo, votes);
    const { version = 0 } = (await a.findChange("AAA111")) ?? {};

    const result = await a.returnToPending({ ...stricter, version, counting: [cleo.userId] }, event("returned"));

    expect(result).toMatchObject({ kind: "pending", change: { state: "pending", votes: [cleo], notice: "Because." } });
    expect(await a.findChange("AAA111")).toMatchObject({
      state: "pending",
      votes: [cleo],
      terms: { votes: 3 },
      rule: "three eyes",
      notice: "Because.",
      approvedAt: undefined,
      expiresAt: expect.any(Date),
    });
    expect(await a.openChanges()).toEqual([]);
    // Whose vote was taken away may vote again, and the third one approves it.
    await a.vote("AAA111", bob, votes);
    expect(await a.vote("AAA111", ann, votes)).toMatchObject({
      change: { state: "approved", votes: [cleo, bob, ann] },
    });
  });

  test("of many simultaneous returns to pending one succeeds, and later events are not undone", async () => {
    const replicas = [await replica("a"), await replica("b")] as const; // a pair
    const [a] = replicas;
    await a.addChange(approvedChange("AAA111"), event("requested"));
    const back = { ...stricter, version: 1, counting: [] };

    const results = await atOnce(10, replicas, (store) => store.returnToPending(back, event("returned")));

    expect(results.map(({ kind }) => kind).toSorted()).toEqual([
      ...Array.from({ length: 9 }, () => "moved"),
      "pending",
    ]);
    for (const who of [ann, bob, cleo]) await a.vote("AAA111", who, votes);
    expect(await a.returnToPending(back, event("returned"))).toEqual({ kind: "moved" });
    expect(await a.findChange("AAA111")).toMatchObject({ state: "approved", votes: [ann, bob, cleo] });
    expect(await a.claim("AAA111", event("claimed"))).toMatchObject({ kind: "claimed" });
  });

  test("a Change that can't be pending next to a duplicate stays unchanged", async () => {
    const a = await replica("a");
    await a.addChange(approvedChange("AAA111", { waitKey: "equal" }), event("requested"));
    await a.addChange(pendingChange("BBB222", { waitKey: "equal" }), event("requested"));

    const result = await a.returnToPending({ ...stricter, version: 1, counting: [] }, event("returned"));

    expect(result).toMatchObject({ kind: "duplicate", earlier: { id: "BBB222" } });
    expect(await a.findChange("AAA111")).toMatchObject({ state: "approved", terms: undefined });
  });
}

const stricter = { id: "AAA111", rule: "three eyes", terms: { ...terms, votes: 3 }, notice: "Because." };
