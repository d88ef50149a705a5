import { setImmediate as nextTurn, setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import { createInflight } from "../../../src/workflow/inbox/lanes.ts";
import { createWorkQueue } from "../../../src/workflow/inbox/scheduler.ts";
import { until } from "../../support/until.ts";

const limits = { graceMs: 30, goodbyeMs: 30 };

function inflight(more: Partial<typeof limits> = {}) {
  const errors: unknown[] = [];
  return { errors, ...createInflight({ ...limits, ...more }, (error) => void errors.push(error)) };
}

test("work begins after the ack, and idle waits for it", async () => {
  const { start, idle } = inflight();
  const done: string[] = [];

  start(async () => void done.push("work"));
  done.push("ack");
  await idle();

  expect(done).toEqual(["ack", "work"]);
});

type Weather = { quietMs: number; isFlood: boolean };

/** A queue whose arrivals are what the test says. */
function queueIn(weather: Weather) {
  const { promise: release, resolve } = Promise.withResolvers<void>();
  const begun: number[] = [];
  const queue = createWorkQueue(
    { onError: () => undefined, onDone: () => undefined },
    { count: () => undefined, quietMs: () => weather.quietMs, isFlood: () => weather.isFlood },
  );
  const add = (count: number): void => {
    for (let at = 0; at < count; at += 1) {
      queue.add(async () => {
        begun.push(at);
        await release;
      });
    }
  };
  return { ...queue, add, begun, release: resolve };
}

/** Long enough for a queue to have looked several times. */
async function looks(): Promise<void> {
  for (let look = 0; look < 5; look += 1) await sleep(3);
}

test("so much runs at once and no more, and all of it is done in order", async () => {
  const { add, begun, release, size } = queueIn({ quietMs: 1_000, isFlood: false });
  add(40);

  await until(() => begun.length >= 16);
  await looks();
  const atOnce = begun.length;
  release();
  await until(() => size() === 0);

  expect(atOnce).toBe(16);
  expect(begun).toEqual(Array.from({ length: 40 }, (_, at) => at));
});

test("while interactions come in, work waits for a lull", async () => {
  const weather = { quietMs: 0, isFlood: true };
  const { add, begun } = queueIn(weather);
  add(3);

  await looks();
  const begunBefore = begun.length;
  weather.quietMs = 20;
  await until(() => begun.length > 0);
  await looks();
  const begunInFlood = begun.length;
  weather.isFlood = false;
  await until(() => begun.length === 3);

  expect(begunBefore).toBe(0);
  expect(begunInFlood).toBe(1);
});

test("outside a flood, two quiet milliseconds are enough", async () => {
  const weather = { quietMs: 1, isFlood: false };
  const { add, begun } = queueIn(weather);
  add(3);

  await looks();
  const begunBefore = begun.length;
  weather.quietMs = 2;
  await until(() => begun.length > 0);

  expect(begunBefore).toBe(0);
  expect(begun).toHaveLength(3);
});

test("without a lull, work goes on after a second all the same", async () => {
  const { add, begun } = queueIn({ quietMs: 0, isFlood: true });
  const since = performance.now();
  add(2);

  await until(() => begun.length === 1);

  expect(performance.now() - since).toBeGreaterThan(900);
  expect(performance.now() - since).toBeLessThan(5_000);
});

test("aborted work does not wait for a lull", async () => {
  const { add, begun, abort } = queueIn({ quietMs: 0, isFlood: true });
  add(50);

  abort();
  await until(() => begun.length > 0);

  expect(begun).toHaveLength(50);
});

test("more than can wait is refused instead of being forgotten", async () => {
  const { start, idle } = inflight();
  let done = 0;

  const taken = Array.from({ length: 6_000 }, () => start(async () => void (done += 1))).filter(Boolean).length;
  await idle();

  expect(taken).toBe(5_000);
  expect(done).toBe(5_000);
});

test("work that throws is reported, and what comes after it is done", async () => {
  const { start, idle, errors } = inflight();
  let done = false;

  start(() => Promise.reject(new Error("broke")));
  start(async () => void (done = true));
  await idle();

  expect(errors).toEqual([new Error("broke")]);
  expect(done).toBe(true);
});

test("a drain lets work end by itself, and aborts only what does not", async () => {
  const quick = inflight({ graceMs: 20_000 });
  quick.start(() => nextTurn());
  expect(await quick.drain()).toEqual({ aborted: 0, left: 0 });
  expect(quick.isStopping()).toBe(true);

  const slow = inflight({ goodbyeMs: 20_000 });
  const said: string[] = [];
  slow.start(async (signal) => {
    const { promise, resolve } = Promise.withResolvers<void>();
    signal.addEventListener("abort", () => resolve());
    await promise;
    said.push("goodbye");
  });
  expect(await slow.drain()).toEqual({ aborted: 1, left: 0 });
  expect(said).toEqual(["goodbye"]);
});

test("a drain ends even when work does not heed its abort", async () => {
  const { start, drain } = inflight();
  start(() => new Promise(() => undefined));

  expect(await drain()).toEqual({ aborted: 1, left: 1 });
});
