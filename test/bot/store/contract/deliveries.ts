import { expect, test } from "vitest";
import { atOnce, type Bench } from "./bench.ts";

const delivery = { id: "d1", sealed: "what was asked for, sealed" };

export function deliveriesContract({ replica, db }: Bench): void {
  test("of many deliveries of the same click at once, one replica has it, once", async () => {
    const replicas = [await replica("a"), await replica("b")];

    const accepted = await atOnce(50, replicas, (store) => store.accept(delivery));

    expect(accepted.filter(Boolean)).toHaveLength(1);
  });

  test("what a living replica works on is not taken from it", async () => {
    const [a, b] = [await replica("a"), await replica("b")];
    await a.accept(delivery);

    expect(await b.takeDeliveries()).toEqual([]);
    expect(await a.takeDeliveries()).toEqual([]);
  });

  test("what a replica left behind is taken when its lease is over, by one of the others", async () => {
    const [a, b, c] = [await replica("a"), await replica("b"), await replica("c")];
    await a.accept(delivery);
    for (const store of [b, c]) {
      store.later(20_100);
      await store.beat();
    }

    const taken = await atOnce(8, [b, c], (store) => store.takeDeliveries());

    expect(taken.flat()).toEqual([{ ...delivery, receivedAt: expect.any(Date) }]);
  });

  test("a replica knows if others live: not those that were stopped in order or whose lease is over", async () => {
    const [a, b, c] = [await replica("a"), await replica("b"), await replica("c")];
    const others: string[][] = [];
    const seen = async (): Promise<string[]> => (await a.otherReplicas()).map(({ id }) => id);
    for (const store of [a, b, c]) await store.beat();
    others.push(await seen());

    await b.close();
    others.push(await seen());
    a.later(20_100);

    expect([...others, await seen()]).toEqual([["b", "c"], ["c"], []]);
    expect(await c.otherReplicas()).toHaveLength(1);
  });

  test("what a replica holds that was stopped in order is free at once", async () => {
    const [a, b] = [await replica("a"), await replica("b")];
    await a.accept(delivery);
    await a.accept({ ...delivery, id: "d2" });

    await a.close();

    expect((await b.takeDeliveries()).map(({ id }) => id)).toEqual(["d1", "d2"]);
  });

  test("a replica that was frozen longer than its lease says that it lives before it takes something on", async () => {
    const [a, b] = [await replica("a"), await replica("b")];
    for (const store of [a, b]) store.later(60_000);
    await b.beat();

    await a.accept(delivery);

    expect(await b.takeDeliveries()).toEqual([]);
  });

  test("finished work is not taken, what it asked for is gone, and its repetition is still known", async () => {
    const [a, b] = [await replica("a"), await replica("b")];
    await a.accept(delivery);

    await a.finish("d1");
    await a.close();

    expect(await b.takeDeliveries()).toEqual([]);
    expect(await db().selectFrom("delivery").select(["sealed", "owner"]).execute()).toEqual([
      { sealed: null, owner: null },
    ]);
    expect(await b.accept(delivery)).toBe(false);
  });

  test("a remembered id is known, and nobody begins it", async () => {
    const [a, b] = [await replica("a"), await replica("b")];
    const first = await a.remember("d1");
    const again = await b.remember("d1");
    await a.close();

    expect([first, again]).toEqual([true, false]);
    expect(await b.takeDeliveries()).toEqual([]);
    expect([await b.isKnown("d1"), await b.isKnown("d2")]).toEqual([true, false]);
    expect(await b.accept(delivery)).toBe(false);
  });

  test("a dropped delivery is begun by nobody, whether stored before, after, or by another replica", async () => {
    const [a, b, c] = [await replica("a"), await replica("b"), await replica("c")];
    await a.accept(delivery);
    await b.accept({ ...delivery, id: "d2" });
    for (const id of ["d1", "d2", "d3"]) await a.drop(id);
    const late = await a.accept({ ...delivery, id: "d3" });
    await a.close();
    await b.close();

    expect(late).toBe(false);
    // What another replica had taken stays with it, and so with whoever follows.
    expect((await c.takeDeliveries()).map(({ id }) => id)).toEqual(["d2"]);
  });

  test("messages are known for eight days, because they can be edited", async () => {
    const a = await replica("a");
    await a.remember("said:T1:C1:1.2");
    const passes = async (hours: number): Promise<boolean> => {
      a.later(hours * 3_600_000);
      await a.beat();
      return a.isKnown("said:T1:C1:1.2");
    };

    expect([await passes(7 * 24 + 20), await passes(5)]).toEqual([true, false]);
  });

  test("finished deliveries are forgotten after an hour, unfinished ones never", async () => {
    const a = await replica("a");
    await a.accept(delivery);
    await a.accept({ ...delivery, id: "d2" });
    await a.finish("d1");

    a.later(59 * 60_000);
    await a.beat();
    const before = await a.accept(delivery);
    a.later(11 * 60_000);
    await a.beat();

    expect(before).toBe(false);
    expect(await db().selectFrom("delivery").select("id").execute()).toEqual([{ id: "d2" }]);
  });
}
