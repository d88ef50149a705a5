import { expect, test } from "vitest";
import { ann, atOnce, bob, type Bench, event } from "./bench.ts";

const ops = { teamId: "T1", channelId: "C1" };
const shop = { region: "beijing1", account: "team", names: "shop-*", isLocked: true, boundBy: ann };
const bound = event("bound", { workload: undefined, result: "region beijing1" });
const unbound = event("unbound", { workload: undefined });

export function placesContract({ replica }: Bench): void {
  test("a channel is bound, bound to something else, and unbound, each with its event", async () => {
    const a = await replica("a");
    const before = await a.bindingOf("T1", "C1");

    const first = await a.bind(ops, shop, bound);
    const read = await a.bindingOf("T1", "C1");
    a.later(60_000);
    const second = await a.bind(ops, { region: "us", isLocked: false, boundBy: bob }, bound);
    const changed = await a.bindingOf("T1", "C1");
    const removed = [await a.unbind(ops, unbound), await a.unbind(ops, unbound)];

    expect([before, first, second, removed]).toEqual([undefined, true, true, [true, false]]);
    expect(read).toEqual({ ...shop, boundAt: expect.any(Date) });
    expect(changed).toEqual({
      region: "us",
      account: undefined,
      names: undefined,
      isLocked: false,
      boundBy: bob,
      boundAt: expect.any(Date),
    });
    expect(Number(changed?.boundAt) - Number(read?.boundAt)).toBeGreaterThanOrEqual(60_000);
    expect(await a.bindingOf("T1", "C1")).toBeUndefined();
    const kinds = (await a.history({ teamId: "T1", limit: 10 })).map(({ kind }) => kind);
    expect(kinds).toEqual(["unbound", "bound", "bound"]);
  });

  test("a channel that is bound to just that already stays as it is, and nothing happened", async () => {
    const a = await replica("a");
    await a.bind(ops, shop, bound);

    const again = await a.bind(ops, { ...shop, boundBy: bob }, bound);

    expect(again).toBe(false);
    expect(await a.bindingOf("T1", "C1")).toMatchObject({ boundBy: ann });
    expect(await a.history({ teamId: "T1", limit: 10 })).toHaveLength(1);
  });

  test.each([
    ["the region", { ...shop, region: undefined }],
    ["the account", { ...shop, account: "other" }],
    ["the names", { ...shop, names: undefined }],
    ["the lock", { ...shop, isLocked: false }],
  ])("%s alone makes a difference", async (_what, other) => {
    const a = await replica("a");
    await a.bind(ops, shop, bound);

    expect(await a.bind(ops, other, bound)).toBe(true);
    expect(await a.bindingOf("T1", "C1")).toMatchObject(other);
  });

  test("of many who bind to the same at once, one has done it", async () => {
    const [a, b] = [await replica("a"), await replica("b")];

    const done = await atOnce(6, [a, b], (store) => store.bind(ops, shop, bound));

    expect(done.filter(Boolean)).toHaveLength(1);
    expect(await a.history({ teamId: "T1", limit: 10 })).toHaveLength(1);
  });

  test("another channel, and the same one of another workspace, are not bound by it", async () => {
    const a = await replica("a");
    await a.bind(ops, shop, bound);

    expect(await a.bindingOf("T1", "C2")).toBeUndefined();
    expect(await a.bindingOf("T2", "C1")).toBeUndefined();
    expect(await a.unbind({ teamId: "T2", channelId: "C1" }, unbound)).toBe(false);
    expect(await a.bindingOf("T1", "C1")).toMatchObject({ region: "beijing1" });
  });

  test("somebody's own region is theirs, is replaced, and is taken away", async () => {
    const [a, b] = [await replica("a"), await replica("b")];
    await a.setRegion("T1", "U1", "us");
    await a.setRegion("T1", "U1", "beijing1");
    const own = await b.settingsOf("T1", "U1");
    const others = [await b.settingsOf("T1", "U2"), await b.settingsOf("T2", "U1")];

    await b.setRegion("T1", "U1", undefined);
    await b.setRegion("T1", "U1", undefined);

    expect(own).toEqual({ region: "beijing1" });
    expect([...others, await a.settingsOf("T1", "U1")]).toEqual(
      Array.from({ length: 3 }, () => ({ region: undefined })),
    );
  });
}
