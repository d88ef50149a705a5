import { expect, test } from "vitest";
import { makeReconnects } from "../../../../../src/service/engines/kubernetes/cache/reflection.ts";
import { stillClock } from "../../../../support/test-clock.ts";

const never = new AbortController().signal;

test("all who wait go one after the other, with the time between them", async () => {
  const clock = stillClock();
  const reconnects = makeReconnects(clock);
  const at: number[] = [];
  const all = Promise.all(
    Array.from({ length: 5 }, async () => {
      await reconnects.turn(never, () => false);
      at.push(clock.elapsedMs());
    }),
  );

  await clock.passMs(4_000);

  await all;
  expect(at).toEqual([0, 1_000, 2_000, 3_000, 4_000]);
});

test("whoever has a reader waiting goes first, also if the reader came later", async () => {
  const clock = stillClock();
  const reconnects = makeReconnects(clock);
  const order: string[] = [];
  const readers = new Set<string>();
  const turn = async (name: string) => {
    await reconnects.turn(never, () => readers.has(name));
    order.push(name);
  };

  const all = Promise.all([turn("first"), turn("second"), turn("third")]);
  readers.add("third");
  await clock.passMs(2_000);
  await all;

  expect(order).toEqual(["first", "third", "second"]);
});

test("one that gives up doesn't use its turn", async () => {
  const clock = stillClock();
  const reconnects = makeReconnects(clock);
  const leaving = new AbortController();
  await reconnects.turn(never, () => false);
  const gone = reconnects.turn(leaving.signal, () => false);
  const stays = reconnects.turn(never, () => false);

  leaving.abort(new Error("closed"));

  await expect(gone).rejects.toThrow("closed");
  await clock.passMs(1_000);
  await stays;
  await expect(reconnects.turn(leaving.signal, () => false)).rejects.toThrow("closed");
});
