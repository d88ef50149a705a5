import { expect, test } from "vitest";
import type { Drawing } from "../../../../src/bot/workflow/ports.ts";
import { step } from "../../../../src/bot/workflow/lifecycle.ts";
import { approvedChange, atOnce, type Bench, bob, done, event, pendingChange, terms, votes } from "./bench.ts";

const card = { channelId: "C1", ts: "1.000001" };

function drawnAsSeen({ change, token, newest }: Drawing) {
  return { token, version: change.version, card, toldSeq: newest };
}

function given(drawing: Drawing | undefined): Drawing {
  if (drawing === undefined) throw new Error("there was nothing to draw");
  return drawing;
}

export function drawingsContract({ replica }: Bench): void {
  test("a new Change is drawn by one of many who want to, and then there is nothing to draw", async () => {
    const [a, b] = [await replica("a"), await replica("b")];
    await a.addChange(pendingChange("AAA111"), event("requested"));
    const before = await b.undrawn();

    const begun = await atOnce(20, [a, b], (store) => store.beginDrawing("AAA111"));
    const during = await b.undrawn();
    const rights = begun.filter((each) => each !== undefined);
    const again = await a.markDrawn("AAA111", drawnAsSeen(given(rights[0])));

    expect(before).toEqual([{ id: "AAA111", teamId: "T1" }]);
    expect(rights).toMatchObject([
      { posts: 0, change: { id: "AAA111", version: 1 }, newEvents: [{ kind: "requested" }] },
    ]);
    expect(during).toEqual([]);
    expect(again).toBe(false);
    expect(await a.undrawn()).toEqual([]);
    expect(await a.beginDrawing("AAA111")).toBeUndefined();
    expect(await b.findChange("AAA111")).toMatchObject({ card });
  });

  test("what happens while it is drawn is drawn next, and only that is told", async () => {
    const a = await replica("a");
    await a.addChange(pendingChange("AAA111", { terms: { ...terms, votes: 2 } }), event("requested"));
    const first = given(await a.beginDrawing("AAA111"));
    await a.vote("AAA111", bob, votes);

    const again = await a.markDrawn("AAA111", drawnAsSeen(first));
    const second = given(await a.beginDrawing("AAA111"));

    expect(again).toBe(true);
    expect(second).toMatchObject({
      posts: 1,
      change: { version: 2, votes: [bob], card },
      newEvents: [{ kind: "voted" }],
    });
    expect(await a.markDrawn("AAA111", drawnAsSeen(second))).toBe(false);
  });

  test("a refused vote is told in the thread, though nothing moved", async () => {
    const a = await replica("a");
    await a.addChange(pendingChange("AAA111"), event("requested"));
    await a.markDrawn("AAA111", drawnAsSeen(given(await a.beginDrawing("AAA111"))));

    await a.addEvent(event("vote-refused", { changeId: "AAA111" }));

    expect(await a.undrawn()).toEqual([{ id: "AAA111", teamId: "T1" }]);
    expect(given(await a.beginDrawing("AAA111")).newEvents).toMatchObject([{ kind: "vote-refused" }]);
  });

  test("what could not be told stays to be told", async () => {
    const a = await replica("a");
    await a.addChange(pendingChange("AAA111"), event("requested"));
    const drawing = given(await a.beginDrawing("AAA111"));

    const again = await a.markDrawn("AAA111", { ...drawnAsSeen(drawing), toldSeq: undefined });

    expect(again).toBe(true);
    expect(given(await a.beginDrawing("AAA111")).newEvents).toMatchObject([{ kind: "requested" }]);
  });

  test("a thread that has some replies gets the others of the same news first, from any replica", async () => {
    const [a, b] = [await replica("a"), await replica("b")];
    await a.addChange(pendingChange("AAA111", { terms: { ...terms, votes: 2 } }), event("requested"));
    const { token, newest = 0, told } = given(await a.beginDrawing("AAA111"));
    await a.holdDrawing("AAA111", token, { card, told: { upTo: newest, keys: ["story"] } });
    await a.postponeDrawing("AAA111", token, { ms: 0 });
    await a.vote("AAA111", bob, votes);

    const second = given(await b.beginDrawing("AAA111"));
    const again = await b.markDrawn("AAA111", drawnAsSeen(second));
    const third = given(await b.beginDrawing("AAA111"));

    expect(told).toEqual([]);
    expect(second).toMatchObject({ told: ["story"], newest, newEvents: [{ kind: "requested" }] });
    expect(again).toBe(true);
    expect(third).toMatchObject({ told: [], newEvents: [{ kind: "voted" }] });
  });

  test("whoever takes too long loses the right; what they drew late is drawn anew", async () => {
    const [a, b] = [await replica("a"), await replica("b")];
    await a.addChange(pendingChange("AAA111"), event("requested"));
    const slow = given(await a.beginDrawing("AAA111"));
    b.later(30_100);
    const quick = given(await b.beginDrawing("AAA111"));
    await b.markDrawn("AAA111", { ...drawnAsSeen(quick), card: { channelId: "C1", ts: "2.0" } });

    const again = await a.markDrawn("AAA111", drawnAsSeen(slow));

    expect(again).toBe(true);
    expect(await b.findChange("AAA111")).toMatchObject({ card: { ts: "2.0" } });
    expect(await b.undrawn()).toEqual([{ id: "AAA111", teamId: "T1" }]);
    expect(given(await b.beginDrawing("AAA111"))).toMatchObject({ posts: 1, newEvents: [] });
  });

  test("a message that was posted late is the card, when there is no other yet", async () => {
    const [a, b] = [await replica("a"), await replica("b")];
    await a.addChange(pendingChange("AAA111"), event("requested"));
    const slow = given(await a.beginDrawing("AAA111"));
    b.later(30_100);
    const quick = given(await b.beginDrawing("AAA111"));
    await b.postponeDrawing("AAA111", quick.token, { ms: 0 });

    await a.markDrawn("AAA111", drawnAsSeen(slow));

    expect(given(await b.beginDrawing("AAA111"))).toMatchObject({ posts: 1, change: { card }, newEvents: [] });
  });

  test("storing where a card was posted comes first and renews the right to draw", async () => {
    const [a, b] = [await replica("a"), await replica("b")];
    await a.addChange(pendingChange("AAA111"), event("requested"));
    const { token } = given(await a.beginDrawing("AAA111"));
    for (const store of [a, b]) store.later(20_000);

    const held = await a.holdDrawing("AAA111", token, { card });
    for (const store of [a, b]) store.later(20_000);

    expect(held).toBe("held");
    expect(await b.beginDrawing("AAA111")).toBeUndefined();
    expect(await b.findChange("AAA111")).toMatchObject({ card });
    for (const store of [a, b]) store.later(11_000);
    expect(given(await b.beginDrawing("AAA111"))).toMatchObject({ posts: 1, change: { card } });
    expect(await a.holdDrawing("AAA111", token)).toBe("lost");
  });

  test("of two cards that were posted by accident, the first one that is stored is the card", async () => {
    const [a, b] = [await replica("a"), await replica("b")];
    await a.addChange(pendingChange("AAA111"), event("requested"));
    const slow = given(await a.beginDrawing("AAA111"));
    for (const store of [a, b]) store.later(30_100);
    const quick = given(await b.beginDrawing("AAA111"));

    const first = await a.holdDrawing("AAA111", slow.token, { card });
    const second = await b.holdDrawing("AAA111", slow.token, { card: { channelId: "C1", ts: "2.0" } });
    const right = await b.holdDrawing("AAA111", quick.token);

    expect([first, second, right]).toEqual(["adopted", "lost", "held"]);
    expect(await b.findChange("AAA111")).toMatchObject({ card });
  });

  test("a card whose answer was lost counts as a post, and the posted events stay posted", async () => {
    const a = await replica("a");
    await a.addChange(pendingChange("AAA111"), event("requested"));
    const { token, newest } = given(await a.beginDrawing("AAA111"));

    await a.postponeDrawing("AAA111", token, { ms: 0, isPosted: true, toldSeq: newest });

    expect(given(await a.beginDrawing("AAA111"))).toMatchObject({ posts: 1, newEvents: [] });
  });

  test("a card that was posted anew counts as a second message", async () => {
    const a = await replica("a");
    await a.addChange(pendingChange("AAA111"), event("requested"));
    await a.markDrawn("AAA111", drawnAsSeen(given(await a.beginDrawing("AAA111"))));
    await a.vote("AAA111", bob, votes);

    const anew = { ...drawnAsSeen(given(await a.beginDrawing("AAA111"))), card: { channelId: "C1", ts: "2.0" } };
    await a.markDrawn("AAA111", anew);
    await a.cancel("AAA111", bob, event("cancelled"));

    expect(given(await a.beginDrawing("AAA111"))).toMatchObject({ posts: 2, change: { card: { ts: "2.0" } } });
  });

  test("a drawing that is put off waits, for everybody, and an old right puts nothing off", async () => {
    const [a, b] = [await replica("a"), await replica("b")];
    await a.addChange(pendingChange("AAA111"), event("requested"));
    const { token } = given(await a.beginDrawing("AAA111"));

    await a.postponeDrawing("AAA111", token, { ms: 30_000 });
    const early = [await b.undrawn(), await b.beginDrawing("AAA111")];
    for (const store of [a, b]) store.later(30_100);
    const right = given(await b.beginDrawing("AAA111"));
    await a.postponeDrawing("AAA111", token, { ms: 60_000 });

    expect(early).toEqual([[], undefined]);
    expect(await b.markDrawn("AAA111", drawnAsSeen(right))).toBe(false);
  });

  test("a card that can stand nowhere is not tried again, whatever happens", async () => {
    const a = await replica("a");
    await a.addChange(approvedChange("AAA111"), event("requested"));
    const drawing = given(await a.beginDrawing("AAA111"));

    const again = await a.markDrawn("AAA111", { ...drawnAsSeen(drawing), card: undefined });
    await a.claim("AAA111", event("claimed"));

    expect(again).toBe(false);
    expect(await a.undrawn()).toEqual([]);
    expect(await a.beginDrawing("AAA111")).toBeUndefined();
  });
  test("whoever ends a change draws its card, unless somebody else does or it can stand nowhere", async () => {
    const [a, b] = [await replica("a"), await replica("b")];
    const ended = step("succeed", { outcome: done, draws: true });
    for (const id of ["FREE11", "DRAWN1", "NOWHERE"]) {
      await a.addChange(approvedChange(id), event("requested"));
      await a.claim(id, event("claimed"));
    }
    const other = given(await b.beginDrawing("DRAWN1"));
    const drawing = given(await b.beginDrawing("NOWHERE"));
    await b.markDrawn("NOWHERE", { ...drawnAsSeen(drawing), card: undefined });

    expect(await a.advance("FREE11", ended, event("done"))).toMatchObject({ drawing: { change: { state: "done" } } });
    expect(await b.beginDrawing("FREE11")).toBeUndefined();
    for (const id of ["DRAWN1", "NOWHERE"]) {
      const advanced = await a.advance(id, ended, event("done"));
      expect(advanced).toMatchObject({ kind: "moved", change: { state: "done" } });
      expect(advanced, id).not.toHaveProperty("drawing");
    }
    expect(await a.beginDrawing("DRAWN1")).toBeUndefined();
    // Whoever drew it is told that there is something new.
    expect(await b.markDrawn("DRAWN1", drawnAsSeen(other))).toBe(true);
  });
}
