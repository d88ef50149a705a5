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
