import { setImmediate as turn } from "node:timers/promises";
import { expect, test } from "vitest";
import { backOffMs, fewAtOnce, orAborted, restUnlessAborted, within } from "../../src/platform/waiting.ts";
import { stillClock } from "../support/test-clock.ts";

const never = new Promise<never>(() => undefined);

test("work that ends in time gives its result, and what is late isn't asked", async () => {
  const clock = stillClock();
  const unreachable = () => expect.unreachable();
  expect(await within(60_000, Promise.resolve("done"), unreachable, clock)).toBe("done");
  await expect(within(60_000, Promise.reject(new Error("broken")), unreachable, clock)).rejects.toThrow("broken");
});

test("work that takes too long gives what stands for it, or the error it throws", async () => {
  const clock = stillClock();
  const late = within(60_000, never, () => "late", clock);
  const failed = within(
    60_000,
    never,
    () => {
      throw new Error("not stored within a minute");
    },
    clock,
  ).catch((error: unknown) => error);
  await clock.passMs(60_000);

  expect(await late).toBe("late");
  expect(await failed).toMatchObject({ message: "not stored within a minute" });
});

test("work that fails after its time has nobody who waits, and ends no process", async () => {
  const clock = stillClock();
  const { promise, reject } = Promise.withResolvers<string>();
  const late = within(60_000, promise, () => "late", clock);
  await clock.passMs(60_000);
  expect(await late).toBe("late");
  reject(new Error("too late to matter"));
  await turn();
});

test("an aborted signal ends the wait for work, with its reason, whether it was aborted before or meanwhile", async () => {
  const control = new AbortController();
  const waiting = orAborted(never, control.signal);
  control.abort(new Error("the bot stops"));
  await expect(waiting).rejects.toThrow("the bot stops");
  await expect(orAborted(Promise.resolve("done"), control.signal)).rejects.toThrow("the bot stops");
  await expect(restUnlessAborted(never, control.signal)).resolves.toBeUndefined();
});

test("a rest that fails by itself is not taken for an aborted one", async () => {
  const { signal } = new AbortController();
  await expect(restUnlessAborted(Promise.reject(new Error("no clock")), signal)).rejects.toThrow("no clock");
  expect(await orAborted(Promise.resolve("done"), signal)).toBe("done");
});

const growth = { firstMs: 500, longestMs: 30_000, jitter: 0.5 };

test.each([
  [0, 250, 500],
  [1, 250, 500],
  [2, 500, 1_000],
  [7, 15_000, 30_000],
  [5_000, 15_000, 30_000],
])("after %i failures the next try is between %i and %i ms away", (failures, least, most) => {
  expect(backOffMs(failures, growth, () => 0)).toBe(least);
  expect(backOffMs(failures, growth, () => 1)).toBe(most);
});

test("without jitter it is exact, with all of it anything down to nothing", () => {
  expect(backOffMs(3, { ...growth, jitter: 0 }, () => 0.3)).toBe(2_000);
  expect(backOffMs(3, { ...growth, jitter: 1 }, () => 0)).toBe(0);
});

test("those who failed together draw different pauses", () => {
  expect(new Set(Array.from({ length: 50 }, () => backOffMs(4, growth))).size).toBeGreaterThan(1);
});

test("few at once: never more than so many are on their way, and the results are in order", async () => {
  let running = 0;
  let most = 0;

  const results = await fewAtOnce([5, 1, 4, 2, 3], 2, async (each) => {
    most = Math.max(most, (running += 1));
    for (let turns = each; turns > 0; turns -= 1) await Promise.resolve();
    running -= 1;
    return each * 10;
  });

  expect(results).toEqual([50, 10, 40, 20, 30]);
  expect(most).toBe(2);
  expect(await fewAtOnce([], 2, () => Promise.reject(new Error("nothing to do")))).toEqual([]);
});

test("few at once: after an error, those that are left don't begin", async () => {
  const begun: number[] = [];
  const second = Promise.withResolvers<void>();

  const all = fewAtOnce([1, 2, 3, 4], 2, async (each) => {
    begun.push(each);
    if (each === 1) throw new Error("one failed");
    await second.promise;
  });

  await expect(all).rejects.toThrow("one failed");
  second.resolve();
  await turn();
  expect(begun).toEqual([1, 2]);
});
