import { expect, test } from "vitest";
import type { Telling } from "../../../../src/bot/store/store.ts";
import { step } from "../../../../src/bot/workflow/lifecycle.ts";
import type { NewChange } from "../../../../src/bot/workflow/ports.ts";
import { ann, approvedChange, atOnce, type Bench, bob, event, pendingChange } from "./bench.ts";

const workload = { kind: "service", region: "us", name: "web", uid: "uid-1" } as const; // a literal kind
const card = { channelId: "C1", ts: "1.000001" };

function given<Value>(value: Value | undefined): Value {
  if (value === undefined) throw new Error("there was nothing to do");
  return value;
}

export function tellingsContract({ replica }: Bench): void {
  test("a requester without a card is told after three seconds, by one of many who want to", async () => {
    const [a, b] = [await replica("a"), await replica("b")];
    await a.addChange(approvedChange("AAA111"), event("requested"));
    const early = await b.overdueNews();
    const tooEarly = await a.beginTelling("AAA111", { isOverdue: true });
    for (const store of [a, b]) store.later(3_100);

    const due = await b.overdueNews();
    const begun = await atOnce(20, [a, b], (store) => store.beginTelling("AAA111", { isOverdue: true }));
    const rights = begun.filter((each) => each !== undefined);
    const during = await b.overdueNews();
    const { token, change }: Telling = given(rights[0]);
    await a.markTold("AAA111", { token, version: change.version, news: "running" });

    expect([early, tooEarly]).toEqual([[], undefined]);
    expect(due).toEqual([{ id: "AAA111", teamId: "T1" }]);
    expect(rights).toMatchObject([{ change: { id: "AAA111" }, told: undefined }]);
    expect([during, await a.overdueNews()]).toEqual([[], []]);
    expect(await b.beginTelling("AAA111", { isOverdue: false })).toBeUndefined();
  });

  test("a card that shows the newest version delivers the news; a card that stays as it was doesn't", async () => {
    const a = await replica("a");
    for (const [id, isShown] of [
      ["AAA111", true],
      ["BBB222", false],
    ] as const) {
      await a.addChange(pendingChange(id), event("requested"));
      const { token, change, newest } = given(await a.beginDrawing(id));
      await a.markDrawn(id, { token, version: change.version, card, toldSeq: newest, isShown });
    }
    a.later(20_000);

    expect((await a.overdueNews()).map(({ id }) => id)).toEqual(["BBB222"]);
  });

  test("what happens while somebody tells the requester is owed again, with what they know by then", async () => {
    const a = await replica("a");
    await a.addChange(approvedChange("AAA111"), event("requested"));
    const { token, change } = given(await a.beginTelling("AAA111", { isOverdue: false }));
    await a.cancel("AAA111", ann, event("cancelled"));
    await a.markTold("AAA111", { token, version: change.version, news: "running" });
    a.later(10_100);

    expect(await a.overdueNews()).toEqual([{ id: "AAA111", teamId: "T1" }]);
    expect(await a.beginTelling("AAA111", { isOverdue: true })).toMatchObject({
      told: "running",
      change: { state: "cancelled" },
    });
  });

  test("whoever dies while telling is followed by another replica after fifteen seconds, and a failed try comes later", async () => {
    const [a, b] = [await replica("a"), await replica("b")];
    await a.addChange(approvedChange("AAA111"), event("requested"));
    const first = given(await a.beginTelling("AAA111", { isOverdue: false }));
    for (const store of [a, b]) store.later(10_000);
    const renewed = given(await a.holdTelling("AAA111", first.token));
    for (const store of [a, b]) store.later(10_000);
    const during = await b.overdueNews();
    for (const store of [a, b]) store.later(6_000);

    const second = given(await b.beginTelling("AAA111", { isOverdue: true }));
    const isLost = (await a.holdTelling("AAA111", renewed)) === undefined;
    await a.markTold("AAA111", { token: renewed, version: 1, news: "running" });
    await b.postponeTelling("AAA111", second.token, 30_000);
    const waiting = await b.overdueNews();
    for (const store of [a, b]) store.later(30_100);

    expect([during, isLost, waiting]).toEqual([[], true, []]);
    expect(await b.overdueNews()).toEqual([{ id: "AAA111", teamId: "T1" }]);
  });

  test("a request is not added while an unanswered one of the same person for the same workload has no card", async () => {
    const a = await replica("a");
    const again = (id: string, other: Partial<NewChange> = {}) =>
      a.insertChange(approvedChange(id, { workload, unlessUnansweredMs: 60_000, ...other }), event("requested"));
    await a.addChange(approvedChange("AAA111", { workload }), event("requested"));

    const repeated = await again("BBB222");
    const ofOthers = await again("CCC333", { requester: bob });
    const ofAnother = await again("DDD444", { op: "stopService" });
    const { token, change } = given(await a.beginTelling("AAA111", { isOverdue: false }));
    await a.cancel("AAA111", ann, event("cancelled"));
    const unansweredEnd = await again("EEE555");
    await a.markTold("AAA111", { token, version: change.version, news: "running" });
    const next = given(await a.beginTelling("AAA111", { isOverdue: false }));
    await a.markTold("AAA111", { token: next.token, version: next.change.version, news: "ended" });
    const afterwards = await again("FFF666");
    a.later(61_000);
    const later = await again("GGG777");

    expect([repeated, unansweredEnd]).toMatchObject([
      { unanswered: { id: "AAA111" } },
      { unanswered: { id: "AAA111" } },
    ]);
    expect(await a.findChange("BBB222")).toBeUndefined();
    expect([ofOthers, ofAnother, afterwards, later]).toMatchObject([
      { id: "CCC333" },
      { id: "DDD444" },
      { id: "FFF666" },
      { id: "GGG777" },
    ]);
  });

  test("nobody is told of a part, or of a workspace that removed the app", async () => {
    const a = await replica("a");
    await a.addChange(approvedChange("AAA111", { parts: [approvedChange("")], diff: [] }), event("requested"));
    const part = await a.advance("AAA111", step("claim", {}), undefined);
    await a.advance("AAA111/1", step("claim", {}), undefined);
    await a.addChange(approvedChange("BBB222", { teamId: "T2" }), event("requested", { teamId: "T2" }));
    await a.closeWorkspace({ teamId: "T2", by: ann });
    a.later(60_000);

    expect(part.kind).toBe("moved");
    expect((await a.overdueNews()).map(({ id }) => id)).toEqual(["AAA111"]);
  });
}
