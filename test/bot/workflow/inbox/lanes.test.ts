import { setImmediate as nextTurn } from "node:timers/promises";
import { expect, test } from "vitest";
import { labels, lanesIn, turns } from "../../../support/held-lanes.ts";
import { until } from "../../../support/until.ts";

const people = { lane: "people" } as const;

test("a lane tells how many jobs run and wait, and the age of the oldest", async () => {
  const { hold, begun, status, clock } = lanesIn();
  hold({ lane: "decisions" }, ...labels(33));
  await until(() => begun.length === 32);
  await clock.passMs(20);

  expect(status().decisions).toEqual({ running: 32, waiting: 1, oldestMs: 20 });
  expect(status().people).toEqual({ running: 0, waiting: 0, oldestMs: 0 });
});

test("work outside the lanes is counted, too", async () => {
  const { track, idle } = lanesIn();
  let isDone = false;
  void track(nextTurn().then(() => (isDone = true)));

  await idle();

  expect(isDone).toBe(true);
});

test("work outside the lanes that fails while nobody awaits it ends the process as any other error", async () => {
  const { track } = lanesIn();
  const others = process.rawListeners("unhandledRejection");
  process.removeAllListeners("unhandledRejection");
  try {
    const reason = new Promise<unknown>((resolve) => process.once("unhandledRejection", resolve));
    void track(Promise.reject(new Error("broke")));

    await expect(Promise.race([reason, turns()])).resolves.toEqual(new Error("broke"));
  } finally {
    process.removeAllListeners("unhandledRejection");
    for (const other of others) process.on("unhandledRejection", other);
  }
});

test("a job that throws is reported, and the next job runs", async () => {
  const { add, idle, errors } = lanesIn();
  let done = 0;

  add({ lane: "due" }, () => Promise.reject(new Error("broke")));
  await idle();
  add({ lane: "due" }, async () => void (done += 1));
  await idle();

  expect(errors).toEqual([new Error("broke")]);
  expect(done).toBe(1);
});

test("a drain lets jobs end by themselves, and aborts only those that don't", async () => {
  const drain = { graceMs: 20_000, goodbyeMs: 10_000 };
  const fast = lanesIn({ drain });
  fast.add(people, () => nextTurn());
  expect(await fast.drain()).toEqual({ aborted: 0, left: 0 });
  expect(fast.isStopping()).toBe(true);

  const slow = lanesIn({ drain });
  const said: string[] = [];
  slow.add({ lane: "due" }, async (signal) => {
    const { promise, resolve } = Promise.withResolvers<void>();
    signal.addEventListener("abort", () => resolve());
    await promise;
    said.push("goodbye");
  });
  const drained = slow.drain();
  await slow.clock.passMs(19_999);
  const saidBefore = said.length;
  await slow.clock.passMs(1);
  expect(await drained).toEqual({ aborted: 1, left: 0 });
  expect(saidBefore).toBe(0);
  expect(said).toEqual(["goodbye"]);
});

test("a drain gives every waiting job its turn to say goodbye, without a lull and past the limits of a person", async () => {
  const { add, arrive, drain: stop, clock } = lanesIn({ drain: { graceMs: 0, goodbyeMs: 20_000 } });
  let goodbyes = 0;
  arrive(100);
  for (const _ of labels(50)) {
    add({ ...people, owner: "dana" }, async (signal) => void (goodbyes += signal.aborted ? 1 : 0));
  }

  const drained = stop();
  await clock.passMs(0);

  expect(await drained).toEqual({ aborted: 50, left: 0 });
  expect(goodbyes).toBe(50);
});

test("a drain ends even when a job ignores its abort", async () => {
  const { add, drain: stop, clock } = lanesIn();
  add(people, () => new Promise(() => undefined));

  const drained = stop();
  await clock.passMs(60);

  expect(await drained).toEqual({ aborted: 1, left: 1 });
});
