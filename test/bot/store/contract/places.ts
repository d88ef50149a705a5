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
    // Rounded to milliseconds twice.
    expect(Number(changed?.boundAt) - Number(read?.boundAt)).toBeGreaterThan(59_900);
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

  test("a profile is there for all replicas, with its age, until it is forgotten", async () => {
    const [a, b] = [await replica("a"), await replica("b")];
    const inBerlin = { ...dana, zone: "Europe/Berlin" };
    await a.saveProfiles("T1", [{ ...inBerlin, ageMs: 2_000 }, alex]);
    for (const each of [a, b]) each.later(60_000);

    const [read] = await b.profilesOf("T1", ["U0DANA", "U0NOBODY"]);
    await b.forgetProfile("T1", "U0DANA");

    expect(read).toEqual({ ...inBerlin, ageMs: expect.any(Number) });
    // Rounded to milliseconds.
    expect(read?.ageMs).toBeGreaterThan(61_900);
    expect(read?.ageMs).toBeLessThan(92_000);
    expect(await a.profilesOf("T1", ["U0DANA", "U0ALEX"])).toMatchObject([alex].map(({ userId }) => ({ userId })));
  });

  test("what Slack said earlier doesn't replace what it said later, whichever is stored first", async () => {
    const a = await replica("a");
    await a.saveProfiles("T1", [{ ...dana, standing: "guest", ageMs: 1_000 }]);
    await a.saveProfiles("T1", [{ ...dana, ageMs: 5_000 }]);
    const kept = await a.profilesOf("T1", ["U0DANA"]);
    await a.saveProfiles("T1", [{ ...dana, name: "Dana Rey", ageMs: 0 }]);

    expect(kept).toMatchObject([{ standing: "guest" }]);
    expect(await a.profilesOf("T1", ["U0DANA"])).toMatchObject([{ name: "Dana Rey", standing: "member" }]);
  });

  test("somebody who changed in one workspace is read again in the others", async () => {
    const a = await replica("a");
    for (const team of ["T1", "T2", "T3"]) await a.saveProfiles(team, [dana, alex]);

    await a.forgetElsewhere("T1", "U0DANA");

    const found = async (team: string) =>
      (await a.profilesOf(team, ["U0DANA", "U0ALEX"])).map(({ userId }) => userId).toSorted();
    expect(await found("T1")).toEqual(["U0ALEX", "U0DANA"]);
    expect([await found("T2"), await found("T3")]).toEqual([["U0ALEX"], ["U0ALEX"]]);
  });

  test("profiles of thousands of people are stored and read, and those that nobody uses any more go away", async () => {
    const a = await replica("a");
    const many = Array.from({ length: 1_200 }, (_, at) => ({ ...dana, userId: `U${at}` }));
    await a.saveProfiles("T1", many);
    const all = await a.profilesOf(
      "T1",
      many.map(({ userId }) => userId),
    );
    a.later(3 * 24 * 60 * 60_000);
    await a.saveProfiles("T1", [alex]);
    await a.prune();

    expect(all).toHaveLength(1_200);
    expect(await a.profilesOf("T1", ["U1", "U1199", "U0ALEX"])).toMatchObject([{ userId: "U0ALEX" }]);
  });
}

const dana = { userId: "U0DANA", name: "Dana Reyes", standing: "member", isAdmin: false, ageMs: 0 } as const; // a literal standing
const alex = { userId: "U0ALEX", name: "Alex Kim", standing: "member", isAdmin: true, ageMs: 0 } as const; // the same
