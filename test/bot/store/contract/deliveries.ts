import { expect, test } from "vitest";
import { createSealer, newKey, readKeyring } from "../../../../src/bot/accounts/seal.ts";
import { atOnce, type Bench, deliveryOf, takeOne } from "./bench.ts";

const delivery = deliveryOf("d1");

export function deliveriesContract({ replica, db }: Bench): void {
  test("of many deliveries of the same click at once, one replica has it, once", async () => {
    const replicas = [await replica("a"), await replica("b")];

    const accepted = await atOnce(50, replicas, (store) => store.accept(delivery));

    expect(accepted.filter(Boolean)).toMatchObject([{ kind: "delivery", key: "d1", teamId: "T1", attempts: 1 }]);
  });

  test("what a living replica works on is not taken from it, and what it left is taken once, when its lease is over", async () => {
    const [a, b, c] = [await replica("a"), await replica("b"), await replica("c")];
    await a.accept(delivery);
    expect(await takeOne(b, "delivery")).toBeUndefined();
    for (const store of [b, c]) store.later(20_100);

    const taken = await atOnce(8, [b, c], (store) => takeOne(store, "delivery"));

    expect(taken.filter(Boolean)).toMatchObject([{ key: "d1", payload: delivery.payload, attempts: 2 }]);
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

  test("finished work is not taken, what it asked for is gone, and its repetition is still known", async () => {
    const [a, b] = [await replica("a"), await replica("b")];
    const due = await a.accept(delivery);

    if (due !== undefined) await a.finishDelivery(due);
    b.later(20_100);

    expect(await takeOne(b, "delivery")).toBeUndefined();
    expect(await db().selectFrom("due").selectAll().execute()).toEqual([]);
    expect(await b.accept(delivery)).toBeUndefined();
  });

  test("a remembered id is known, and nobody begins it", async () => {
    const [a, b] = [await replica("a"), await replica("b")];
    const first = await a.remember("d1");
    const again = await b.remember("d1");
    b.later(20_100);

    expect([first, again]).toEqual([true, false]);
    expect(await takeOne(b, "delivery")).toBeUndefined();
    expect([await b.isKnown("d1"), await b.isKnown("d2")]).toEqual([true, false]);
    expect(await b.accept(delivery)).toBeUndefined();
  });

  test("a dropped delivery is begun by nobody, whether stored before, after, or by another replica", async () => {
    const [a, b, c] = [await replica("a"), await replica("b"), await replica("c")];
    await a.accept(delivery);
    await b.accept({ ...deliveryOf("d2"), token: "of another replica" });
    for (const id of ["d1", "d2", "d3"]) await a.drop(deliveryOf(id));
    const late = await a.accept(deliveryOf("d3"));
    c.later(20_100);

    expect(late).toBeUndefined();
    // What another replica had taken stays with it, and so with whoever follows.
    expect((await takeOne(c, "delivery"))?.key).toBe("d2");
    expect(await takeOne(c, "delivery")).toBeUndefined();
  });

  test("messages are known for eight days, because they can be edited", async () => {
    const a = await replica("a");
    await a.remember("said:T1:C1:1.2");
    const passes = async (hours: number): Promise<boolean> => {
      a.later(hours * 3_600_000);
      await a.prune();
      return a.isKnown("said:T1:C1:1.2");
    };

    expect([await passes(7 * 24 + 20), await passes(5)]).toEqual([true, false]);
  });

  test("finished deliveries are forgotten after an hour, unfinished ones never", async () => {
    const a = await replica("a");
    const first = await a.accept(delivery);
    await a.accept(deliveryOf("d2"));
    if (first !== undefined) await a.finishDelivery(first);

    a.later(59 * 60_000);
    await a.prune();
    const before = await a.accept(delivery);
    a.later(11 * 60_000);
    await a.prune();

    expect(before).toBeUndefined();
    expect(await db().selectFrom("delivery").select("id").execute()).toEqual([]);
    expect(await a.isKnown("d2")).toBe(true);
  });

  test("only what Gantry sealed is carried out", async () => {
    const a = await replica("a", { sealer: createSealer(readKeyring(newKey())) });
    await a.accept(delivery);
    await a.accept(deliveryOf("d2"));
    await db().updateTable("due").set({ payload: delivery.payload }).where("key", "=", "d2").execute();
    a.later(20_100);

    const taken = await a.takeDue({ kind: "delivery", leaseMs: 1_000, most: 2 });

    expect(Object.fromEntries(taken.map(({ key, payload }) => [key, payload]))).toEqual({
      d1: delivery.payload,
      d2: undefined,
    });
  });
}
