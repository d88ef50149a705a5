import { expect, test } from "vitest";
import { makeReconnects } from "../../../../../src/service/engines/kubernetes/cache/reconnects.ts";

const never = new AbortController().signal;

test("all who wait go one after the other, with the time between them", async () => {
  const startedAt = performance.now();
  const reconnects = makeReconnects({ everyMs: 40 });
  const at: number[] = [];

  await Promise.all(
    Array.from({ length: 5 }, async () => {
      await reconnects.turn(never, () => false);
      at.push(performance.now() - startedAt);
    }),
  );

  // Since the start and not since the one before, which a busy machine may have told late.
  expect(at.every((ms, before) => ms >= 40 * before - 1)).toBe(true);
});

test("whoever has a reader waiting goes first, also if the reader came later", async () => {
  const reconnects = makeReconnects({ everyMs: 20 });
  const order: string[] = [];
  const readers = new Set<string>();
  const turn = async (name: string) => {
    await reconnects.turn(never, () => readers.has(name));
    order.push(name);
  };

  const all = Promise.all([turn("first"), turn("second"), turn("third")]);
  readers.add("third");
  await all;

  expect(order).toEqual(["first", "third", "second"]);
});

test("one that gives up doesn't use its turn", async () => {
  const reconnects = makeReconnects({ everyMs: 20 });
  const leaving = new AbortController();
  await reconnects.turn(never, () => false);
  const gone = reconnects.turn(leaving.signal, () => false);
  const stays = reconnects.turn(never, () => false);

  leaving.abort(new Error("closed"));

  await expect(gone).rejects.toThrow("closed");
  await stays;
  await expect(reconnects.turn(leaving.signal, () => false)).rejects.toThrow("closed");
});
