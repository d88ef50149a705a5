import { expect, test } from "vitest";
import type { NewChange } from "../../../../src/bot/workflow/stored.ts";
import {
  ann,
  approvedChange,
  type Bench,
  bob,
  cardsDue,
  done,
  event,
  ofId,
  pendingChange,
  takeOne,
  unknown,
  votes,
} from "./bench.ts";

const names = ["web", "worker", "shop"];
const parts = names.map((name) =>
  approvedChange("", {
    workload: { kind: "service", region: "us", name, uid: `uid-${name}` },
    diff: [`${name} restarts`],
  }),
);
const failed = { kind: "failed", why: "It had no effect.", next: "Ask again." } as const; // a literal kind

function forSeveral(id: string, other: Partial<NewChange> = {}): NewChange {
  return approvedChange(id, { parts, diff: [], ...other });
}

const watching = { kind: "watching", line: "3 of 3 ready", excerpt: [] } as const; // a literal kind
/** A look that isn't the last one; the next one comes in a minute. */
const inAMinute = { progress: watching, isNews: false, next: { ms: 60_000 } };

export function partsContract({ replica, db }: Bench): void {
  test("a request for several workloads is found with its parts in order, each with the row of history of its workload", async () => {
    const a = await replica("a");
    const ten = Array.from({ length: 11 }, (_, at) => ({ ...parts[0], workload: named(`w${at}`) }) as NewChange); // like the first
    await a.addChange(pendingChange("AAA111", { parts: ten, diff: [] }), event("requested"));

    const found = await a.findChange("AAA111");

    expect(found?.parts?.map(({ id, workload, state }) => [id, workload.name, state])).toEqual(
      ten.map(({ workload }, at) => [`AAA111/${at + 1}`, workload.name, "approved"]),
    );
    expect((await a.pendingChanges("T1"))[0]?.parts).toHaveLength(11);
    const story = await a.history({ teamId: "T1", limit: 20 });
    expect(story.map(({ workload, changeId }) => [workload?.name, changeId])).toEqual(
      ten.map(({ workload }) => [workload.name, "AAA111"]).toReversed(),
    );
  });

  test("the same delivery again adds no second request and no second part", async () => {
    const a = await replica("a");
    await a.addChange(forSeveral("AAA111", { deliveryId: "same" }), event("requested"));
    const again = await a.addChange(forSeveral("BBB222", { deliveryId: "same" }), event("requested"));

    expect(again).toMatchObject({ id: "AAA111" });
    expect(await db().selectFrom("change").select("id").execute()).toHaveLength(4);
  });

  test("another change to a workload makes its followed requests due at once, and no others", async () => {
    const a = await replica("a");
    const about = (name: string) => ({ workload: { kind: "service" as const, region: "us", name, uid: "u" } }); // a literal
    for (const [id, name] of [
      ["AAA111", "web"],
      ["BBB222", "worker"],
    ] as const) {
      await a.addChange(approvedChange(id, about(name)), event("requested"));
      await a.carry(id, "claim", {}, event("claimed"));
      await a.carry(id, "succeed", { outcome: done }, event("done"));
      await a.carry(id, "observe", inAMinute, undefined);
    }
    await a.addChange(forSeveral("CCC333"), event("requested"));
    await a.carry("CCC333", "claim", {}, undefined);
    await a.begin("CCC333/1");
    await a.begin("CCC333/2");
    const parts = ["CCC333", "CCC333/1", "CCC333/2"];

    await a.carry("CCC333/1", "claim", {}, event("claimed"));
    await a.carry("CCC333/2", "claim", {}, event("claimed"));
    await a.carry("CCC333/2", "fail", { outcome: failed }, event("failed"));
    expect(ofId(await a.openChanges())).toEqual(parts);
    await a.carry("CCC333/1", "succeed", { outcome: done }, event("done"));
    expect(ofId(await a.openChanges())).toEqual(["AAA111", ...parts]);
    // What was accepted shows at last: from now on it runs.
    await a.carry("AAA111", "observe", inAMinute, undefined);
    const shown = { outcome: done, progress: watching };
    await a.carry("CCC333/1", "confirm", shown, event("confirmed"));
    expect(ofId(await a.openChanges())).toContain("AAA111");
  });

  test("another change to one of its workloads makes that part due at once, and no other", async () => {
    const a = await replica("a");
    await a.addChange(forSeveral("AAA111"), event("requested"));
    await a.carry("AAA111", "claim", {}, undefined);
    for (const part of ["AAA111/1", "AAA111/2", "AAA111/3"]) {
      await a.begin(part);
      await a.carry(part, "claim", {}, event("claimed"));
      await a.carry(part, "succeed", { outcome: done }, event("done"));
      await a.carry(part, "observe", inAMinute, undefined);
    }
    await a.carry("AAA111", "succeed", { outcome: done, next: "over" }, undefined);
    await a.addChange(approvedChange("CCC333", { workload: named("worker") }), event("requested"));
    await a.carry("CCC333", "claim", {}, event("claimed"));
    // What its parts did made the request due once more.
    expect(ofId(await a.openChanges())).toEqual(["AAA111", "CCC333"]);
    await a.endDue(a.lease("AAA111"));

    // It is polled later itself.
    await a.carry("CCC333", "succeed", { outcome: done, next: { ms: 60_000 } }, event("done"));

    expect(ofId(await a.openChanges())).toEqual(["AAA111/2"]);
  });

  test("what a part does makes its request due, which lets the next one begin", async () => {
    const a = await replica("a");
    await a.addChange(forSeveral("AAA111"), event("requested"));
    await a.carry("AAA111", "claim", {}, undefined);
    await a.begin("AAA111/1");
    await a.delayDue(a.lease("AAA111"), { ms: 600_000 });

    await a.carry("AAA111/1", "claim", {}, event("claimed"));
    expect(ofId(await a.openChanges())).toEqual(["AAA111/1"]);
    await a.carry("AAA111/1", "succeed", { outcome: done, next: { ms: 60_000 } }, event("done"));

    expect(ofId(await a.openChanges())).toEqual(["AAA111"]);
    expect((await a.begin("AAA111/2")).kind).toBe("moved");
    // Its turn comes once.
    expect((await a.begin("AAA111/2")).kind).toBe("late");
  });

  test("a request doesn't end while one of its parts is under way", async () => {
    const a = await replica("a");
    await a.addChange(forSeveral("AAA111"), event("requested"));
    await a.carry("AAA111", "claim", {}, undefined);
    await a.begin("AAA111/1");
    await a.carry("AAA111/1", "claim", {}, event("claimed"));

    const early = await a.carry("AAA111", "fail", { outcome: failed }, undefined);
    await a.carry("AAA111/1", "fail", { outcome: failed }, event("failed"));
    const ended = await a.carry("AAA111", "fail", { outcome: failed }, undefined);

    expect([early.kind, ended.kind]).toEqual(["late", "moved"]);
  });

  test("what is followed in the same list and due soon is leased for one poll, and nothing else", async () => {
    const [a, b] = [await replica("a"), await replica("b")];
    const followed = async (id: string, other: Partial<NewChange>, ms: number) => {
      await a.addChange(approvedChange(id, { workload: named(id.toLowerCase()), ...other }), event("requested"));
      await a.carry(id, "claim", {}, event("claimed"));
      await a.carry(id, "succeed", { outcome: done, next: { ms } }, event("done"));
    };
    await followed("NOW111", {}, 15_000);
    await followed("SOON11", {}, 15_000);
    await followed("LATER1", {}, 60_000);
    await followed("THERE1", { workload: { ...named("there"), region: "eu" } }, 15_000);
    await followed("OTHERS", { account: { owner: { kind: "user", userId: "U1" }, username: "else" } }, 15_000);
    await a.addChange(approvedChange("UNSENT", { workload: named("unsent") }), event("requested"));

    const list = { teamId: "T1", account: "acme", region: "us", kind: "service" } as const; // a literal kind
    // Right after a change, its status may be from before it.
    expect(await a.takeFollowed(list, { withinMs: 20_000 })).toEqual({ isShared: false, taken: [] });
    for (const replica of [a, b]) replica.later(2_500);
    const { taken } = await a.takeFollowed(list, { withinMs: 20_000 });

    expect(taken.map(({ key }) => key).toSorted()).toEqual(["NOW111", "SOON11"]);
    const [due] = taken;
    expect(due && (await a.holdDue(due))).toBe(true);
    // They are leased now, and were taken together. By its name, also what is due later.
    expect(await a.takeFollowed(list, { withinMs: 20_000, beside: due })).toEqual({ isShared: true, taken: [] });
    expect(await b.takeFollowed(list, { withinMs: 20_000 })).toEqual({ isShared: false, taken: [] });
    const byName = await b.takeFollowed(list, { withinMs: 0, names: new Set(["later1", "now111"]) });
    expect(byName.taken.map(({ key }) => key)).toEqual(["LATER1"]);
  });

  test("no part begins before its request is claimed, nor by anybody but who carries the request on", async () => {
    const [a, b] = [await replica("a"), await replica("b")];
    await a.addChange(forSeveral("AAA111"), event("requested"));

    const early = await a.begin("AAA111/1");
    await a.carry("AAA111/1", "claim", {}, event("claimed"));
    await a.carry("AAA111", "claim", {}, undefined);
    const foreign = await b.begin("AAA111/1");

    expect([early, foreign].map(({ kind }) => kind)).toEqual(["late", "late"]);
    expect((await a.findChange("AAA111/1"))?.state).toBe("approved");
    expect((await a.begin("AAA111/1")).kind).toBe("moved");
    expect((await b.carry("AAA111/1", "claim", {}, event("claimed"))).kind).toBe("late");
    const own = await a.carry("AAA111/1", "claim", {}, event("claimed"));
    const twice = await a.carry("AAA111/1", "claim", {}, event("claimed"));
    expect([own, twice].map(({ kind }) => kind)).toEqual(["moved", "late"]);
  });

  test("what a replica left in the middle is carried on by another, and the first can't go on", async () => {
    const [a, b] = [await replica("a"), await replica("b")];
    await a.addChange(forSeveral("AAA111"), event("requested"));
    await a.carry("AAA111", "claim", {}, undefined);
    await a.begin("AAA111/1");
    await a.carry("AAA111/1", "claim", {}, event("claimed"));
    b.later(21_000);

    expect(ofId(await b.openChanges())).toEqual(["AAA111", "AAA111/1"]);
    await a.renewDue("change", [a.lease("AAA111"), a.lease("AAA111/1")]);

    expect((await a.carry("AAA111/1", "succeed", { outcome: done }, event("done"))).kind).toBe("late");
    expect((await a.begin("AAA111/2")).kind).toBe("late");
    expect((await b.carry("AAA111/1", "claim", {}, event("claimed"))).kind).toBe("late");
    expect((await b.carry("AAA111/1", "giveUp", { outcome: unknown }, event("unknown"))).kind).toBe("moved");
    expect((await b.begin("AAA111/2")).kind).toBe("moved");
  });

  test("a part takes its workload, and no other: one run at a time", async () => {
    const a = await replica("a");
    await a.addChange(forSeveral("AAA111"), event("requested"));
    for (const name of names) {
      await a.addChange(approvedChange(`ONE${name}`, { workload: named(name) }), event("requested"));
    }
    await a.carry("AAA111", "claim", {}, undefined);
    await a.begin("AAA111/1");
    await a.begin("AAA111/2");
    await a.carry("AAA111/1", "claim", {}, event("claimed"));

    expect((await a.claim("ONEweb", event("claimed"))).kind).toBe("busy");
    expect((await a.claim("ONEworker", event("claimed"))).kind).toBe("claimed");
    expect((await a.carry("AAA111/2", "claim", {}, event("claimed"))).kind).toBe("busy");
    await a.carry("AAA111/1", "succeed", { outcome: done }, event("done"));
    expect((await a.claim("ONEweb", event("claimed"))).kind).toBe("claimed");
  });

  test("each step of a part is told by its request, whose card is drawn again", async () => {
    const a = await replica("a");
    await a.addChange(forSeveral("AAA111"), event("requested"));
    await a.carry("AAA111", "claim", {}, undefined);
    await a.begin("AAA111/1");
    await a.showChange({ id: "AAA111", teamId: "T1" });
    const [due] = await a.takeDue({ kind: "post", leaseMs: 60_000, most: 1 });
    if (due !== undefined) await a.endDue(due);
    const before = (await a.findChange("AAA111"))?.version ?? 0;

    await a.carry("AAA111/1", "claim", {}, event("claimed", { result: "sent" }));

    expect((await a.findChange("AAA111"))?.version).toBeGreaterThan(before);
    expect(await cardsDue(a)).toEqual(["AAA111"]);
    const [newest] = await a.history({ teamId: "T1", limit: 1 });
    expect(newest).toMatchObject({ changeId: "AAA111", kind: "claimed", result: "sent" });
  });

  test("what is about a workload is the part, with the card of its request", async () => {
    const a = await replica("a");
    await a.addChange(forSeveral("AAA111"), event("requested"));
    await a.carry("AAA111", "claim", {}, undefined);
    await a.showChange({ id: "AAA111", teamId: "T1" });
    for (const part of ["AAA111/1", "AAA111/2", "AAA111/3"]) {
      await a.begin(part);
      await a.carry(part, "claim", {}, event("claimed"));
      await a.carry(part, "succeed", { outcome: done }, event("done"));
    }
    await a.carry("AAA111", "succeed", { outcome: done }, undefined);
    const due = await takeOne(a, "post");
    if (due !== undefined) await a.savePost(due, { card: { channelId: "C1", ts: "1.1" }, posts: 1, isOver: true });

    const list = { teamId: "T1", account: "acme", region: "us", kind: "service" } as const; // a literal kind
    const found = await a.changesAbout(list, ["web", "worker"]);

    expect(ofId(found.map(({ change }) => change)).toSorted()).toEqual(["AAA111/1", "AAA111/2"]);
    for (const { change, isDrawn } of found) expect([change.card?.channelId, isDrawn]).toEqual(["C1", true]);
  });

  test.each([
    ["rejected", pendingChange, (a) => a.reject("AAA111", { who: bob, reason: "no" }, event("rejected"))],
    ["cancelled", pendingChange, (a) => a.cancel("AAA111", ann, event("cancelled"))],
  ] as [string, typeof pendingChange, (a: Awaited<ReturnType<Bench["replica"]>>) => Promise<unknown>][])(
    "of a request that was %s, no part is left to be sent",
    async (state, make, end) => {
      const a = await replica("a");
      await a.addChange(make("AAA111", { parts, diff: [] }), event("requested"));

      await end(a);

      const found = await a.findChange("AAA111");
      expect(found?.state).toBe(state);
      expect(found?.parts?.map((part) => part.state)).toEqual(["cancelled", "cancelled", "cancelled"]);
      expect(await a.openChanges()).toEqual([]);
    },
  );

  test("what was not begun when the request ended never is", async () => {
    const a = await replica("a");
    await a.addChange(pendingChange("AAA111", { parts, diff: [] }), event("requested"));
    await a.vote("AAA111", bob, votes);
    await a.carry("AAA111", "claim", {}, undefined);
    await a.begin("AAA111/1");
    await a.carry("AAA111/1", "claim", {}, event("claimed"));
    await a.carry("AAA111/1", "fail", { outcome: failed }, event("failed"));
    await a.begin("AAA111/2");
    await a.carry("AAA111", "fail", { outcome: failed }, undefined);

    expect((await a.findChange("AAA111"))?.parts?.map(({ state }) => state)).toEqual([
      "failed",
      "cancelled",
      "cancelled",
    ]);
    expect((await a.carry("AAA111/2", "claim", {}, event("claimed"))).kind).toBe("late");
  });

  test("a request that is too old goes with its parts", async () => {
    const a = await replica("a", { keepHistoryMs: 86_400_000 });
    await a.addChange(pendingChange("OLD", { parts, diff: [] }), event("requested"));
    await a.cancel("OLD", ann, event("cancelled"));
    await a.addChange(pendingChange("OPEN", { parts, diff: [] }), event("requested"));

    a.later(2 * 86_400_000);
    await a.prune();

    const left = await db().selectFrom("change").select("id").orderBy("id").execute();
    expect(left.map(({ id }) => id)).toEqual(["OPEN", "OPEN/1", "OPEN/2", "OPEN/3"]);
  });
}

function named(name: string) {
  return { kind: "service", region: "us", name, uid: `uid-${name}` } as const; // a literal kind
}
