import { expect, test } from "vitest";
import { ann, type Bench, cardsDue, event, pendingChange, terms } from "./bench.ts";

const old = { teamId: "T1", channelId: "C1" };
const move = { teamId: "T1", from: "C1", to: "C2", token: undefined };
const bound = event("bound", { workload: undefined });
const locked = { names: "shop-*", isLocked: true, boundBy: ann };
const open = { region: "us", isLocked: false, boundBy: ann };

export function movesContract({ replica }: Bench): void {
  test("a channel that gets another id keeps its binding, its account and its requests", async () => {
    const a = await replica("a");
    const owner = { kind: "channel", channelId: "C1" } as const;
    const account = { teamId: "T1", owner, username: "team", sealedToken: "for C1", linkedBy: "U1" };
    await a.bind(old, locked, bound);
    await a.saveAccount(account, event("connected", { workload: undefined }));
    const request = { channelId: "C1", terms: { ...terms, cardIn: "C1" }, account: { owner, username: "team" } };
    await a.insertChange(pendingChange("AAA111", request), event("requested"));
    await a.insertChange(pendingChange("BBB222", { channelId: "C3", teamId: "T1" }), event("requested"));
    await a.insertChange(
      pendingChange("CCC333", { channelId: "C1", teamId: "T2" }),
      event("requested", { teamId: "T2" }),
    );
    const stale = await a.moveChannel({ ...move, token: { was: "another", now: "for C2" } });

    const done = await a.moveChannel({ ...move, token: { was: "for C1", now: "for C2" } });
    const again = await a.moveChannel(move);

    expect([stale, done, again]).toEqual([false, true, true]);
    await a.moveChannel({ ...move, from: "C2", to: "C4" });
    await a.moveChannel({ ...move, from: "C4", to: "C2" });
    const moves = (await a.movedChannels()).filter(({ from }) => from === "C1");
    expect(moves).toEqual([{ teamId: "T1", from: "C1", to: "C2" }]);
    expect(await a.bindingOf("T1", "C1")).toBeUndefined();
    expect(await a.bindingOf("T1", "C2")).toMatchObject({ names: "shop-*", isLocked: true });
    const seeker = { teamId: "T1", userId: "U1" };
    expect((await a.impliedFor({ ...seeker, channelId: "C1" })).channel).toBeUndefined();
    expect((await a.impliedFor({ ...seeker, channelId: "C2" })).channel).toMatchObject({ sealedToken: "for C2" });
    expect(await a.find({ id: "AAA111" })).toMatchObject({
      channelId: "C2",
      terms: { cardIn: "C2" },
      account: { owner: { kind: "channel", channelId: "C2" } },
    });
    expect(await a.find({ id: "BBB222" })).toMatchObject({ channelId: "C3" });
    expect(await a.find({ id: "CCC333" })).toMatchObject({ channelId: "C1" });
  });

  test("a card that is drawn while its channel gets another id stays one card, in the channel with the new id", async () => {
    const a = await replica("a");
    await a.insertChange(pendingChange("AAA111", { channelId: "C1" }), event("requested"));
    const [due] = await a.takeDue({ kind: "post", leaseMs: 60_000, most: 1 });
    if (due === undefined) throw new Error("there is no card to draw");
    const card = { channelId: "C1", ts: "1.1" };
    await a.savePost(due, { card });

    await a.moveChannel(move);

    expect(await a.savePost(due, { card })).toBe("lost");
    expect((await a.find({ id: "AAA111" }))?.card).toEqual({ channelId: "C2", ts: "1.1" });
    expect(await a.postOf(due)).toMatchObject({ place: "C2" });
    expect(await cardsDue(a)).toEqual(["AAA111"]);
  });

  test.each([
    ["a lock stays, over a newer binding without one", locked, open, { isLocked: true }],
    ["a newer lock stays", locked, { ...locked, names: "new-*" }, { names: "new-*" }],
    ["a newer binding stays, over one without a lock", open, { ...open, region: "beijing1" }, { region: "beijing1" }],
  ])("%s", async (...story) => {
    const [, before, newer, kept] = story;
    const a = await replica("a");
    await a.bind(old, before, bound);
    await a.bind({ ...old, channelId: "C2" }, newer, bound);

    await a.moveChannel(move);

    expect(await a.bindingOf("T1", "C2")).toMatchObject(kept);
    expect(await a.bindingOf("T1", "C1")).toBeUndefined();
  });
}
