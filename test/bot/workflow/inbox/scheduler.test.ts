import { setImmediate as nextTurn } from "node:timers/promises";
import { expect, test } from "vitest";
import { labels, lanesIn, turns } from "../../../support/held-lanes.ts";
import { until } from "../../../support/until.ts";

const people = { lane: "people" } as const;

test("a job begins after the ack, and idle waits for it", async () => {
  const { add, idle } = lanesIn();
  const done: string[] = [];

  add(people, async () => void done.push("job"));
  done.push("ack");
  await idle();

  expect(done).toEqual(["ack", "job"]);
});

test("a lane runs as many jobs as it has places, and all of them in order", async () => {
  const { hold, begun, release, idle, status } = lanesIn();
  hold({ lane: "decisions" }, ...labels(64));

  await until(() => begun.length >= 32);
  await turns();
  const atOnce = status().decisions;
  release();
  await idle();

  expect(atOnce).toMatchObject({ running: 32, waiting: 32 });
  expect(begun).toEqual(labels(64));
});

test("a full lane holds up no other lane", async () => {
  const { hold, begun, status } = lanesIn();
  for (const lane of ["due", "decisions"] as const) hold({ lane }, ...labels(300, lane));
  await until(() => status().due.running === 256 && status().decisions.running === 32);

  hold(people, "help");
  await until(() => begun.includes("help"));

  expect(status().people).toMatchObject({ running: 1 });
});

test("people take turns: the slow commands of some don't delay another person's", async () => {
  const { hold, begun, status } = lanesIn();
  for (const owner of labels(10, "U")) hold({ ...people, owner }, ...labels(50, `${owner} `));
  await until(() => begun.length >= 80);

  hold({ ...people, owner: "dana" }, "help");
  await until(() => begun.includes("help"));

  expect(begun).toHaveLength(81);
  expect(begun.slice(0, 11)).toEqual([...labels(10, "U").map((owner) => `${owner} 0`), "U0 1"]);
  expect(status().people).toMatchObject({ running: 81, waiting: 420 });
});

test("the jobs of one person run in order, a few at once", async () => {
  const { hold, begun, release, idle } = lanesIn();
  hold({ ...people, owner: "dana" }, ...labels(12));

  await until(() => begun.length >= 8);
  await turns();
  const atOnce = begun.length;
  release();
  await idle();

  expect(atOnce).toBe(8);
  expect(begun).toEqual(labels(12));
});

const crowd = labels(40);

/** More than people type. */
const flood = 100;

test("a job begins in the next turn of the event loop, however quickly interactions come in", async () => {
  const { arrive, hold, begun } = lanesIn();
  arrive(flood);
  hold(people, "first");

  await nextTurn();

  expect(begun).toEqual(["first"]);
});

test("beside a job, none begins in a turn in which an interaction came in: there may be more in the socket", async () => {
  const { arrive, hold, begun } = lanesIn();
  hold(people, "first", "second");
  await nextTurn();

  arrive(1);
  await nextTurn();
  const begunBeside = [...begun];
  await nextTurn();

  expect(begunBeside).toEqual(["first"]);
  expect(begun).toEqual(["first", "second"]);
});

test("while interactions come in, three jobs run beside each other, and the next begins where one has ended", async () => {
  const { add, arrive, hold, begun } = lanesIn();
  arrive(1);
  const { promise: ended, resolve: end } = Promise.withResolvers<void>();
  add(people, () => ended);
  hold(people, ...crowd);
  await turns();
  const begunBefore = [...begun];

  end();
  await turns();

  expect(begunBefore).toEqual(["0", "1"]);
  expect(begun).toEqual(["0", "1", "2"]);
});

test("a job that waits for the service doesn't hold up the next", async () => {
  const { arrive, comeIn, hold, begun } = lanesIn();
  arrive(1);
  hold(people, ...crowd);
  await turns();
  const begunBefore = begun.length;

  // The next look after it.
  await comeIn(1, 6);

  expect([begunBefore, begun.length]).toEqual([3, 6]);
});

test("in a flood, when many more jobs wait than are answered, they wait for a lull", async () => {
  const { arrive, clock, hold, begun } = lanesIn();
  arrive(flood);
  hold(people, ...crowd);

  await clock.passMs(1);
  await turns();
  const begunBefore = begun.length;
  await clock.passMs(1);
  await until(() => begun.length === crowd.length);

  expect(begunBefore).toBe(0);
});

test("in a flood in which few jobs wait, they begin", async () => {
  const { arrive, hold, begun } = lanesIn();
  arrive(flood);
  hold(people, ...labels(16));

  await turns();

  expect(begun).toEqual(["0", "1", "2"]);
});

test("in a flood without a lull, a job of a crowd begins every tenth of a second, whoever waits for the service", async () => {
  const { arrive, comeIn, hold, begun } = lanesIn();
  arrive(flood);
  hold({ lane: "due" }, "watch");
  hold(people, ...crowd);
  await turns();
  const counts = [begun.length];
  for (let tenth = 0; tenth < 3; tenth += 1) {
    await comeIn(2, 100);
    counts.push(begun.length);
  }

  expect(counts).toEqual([0, 1, 2, 3]);
});

test("jobs in a pause leave their places to others, and count again afterwards", async () => {
  const { add, hold, begun, status } = lanesIn();
  const { promise: pause, resolve: end } = Promise.withResolvers<void>();
  const { promise: never } = Promise.withResolvers<void>();
  for (const label of labels(32, "pausing ")) {
    add({ lane: "decisions" }, async (_, outsideLane) => {
      await outsideLane(pause);
      begun.push(label);
      await never;
    });
  }
  hold({ lane: "decisions" }, ...labels(33));

  await until(() => begun.length === 32);
  const inPause = status().decisions;
  end();
  await until(() => begun.length === 64);

  expect(inPause).toMatchObject({ running: 32, waiting: 1 });
  expect(status().decisions).toMatchObject({ running: 64, waiting: 1 });
});

test("idle waits for a job in a pause", async () => {
  const { add, idle } = lanesIn();
  const { promise: pause, resolve: end } = Promise.withResolvers<void>();
  let isIdle = false;
  add(people, (_, outsideLane) => outsideLane(pause));
  await turns();

  const waiting = idle().then(() => (isIdle = true));
  await turns();
  const wasIdle = isIdle;
  end();
  await waiting;

  expect(wasIdle).toBe(false);
});

test("more than a lane can hold is refused instead of being forgotten, and other lanes have room", async () => {
  const { add, hasRoom, idle } = lanesIn();
  let done = 0;

  const taken = labels(6_000).filter(() => add(people, async () => void (done += 1))).length;
  const room = [hasRoom(people), hasRoom({ lane: "decisions" })];
  await idle();

  expect(taken).toBe(5_000);
  expect(room).toEqual([false, true]);
  expect(done).toBe(5_000);
});

test("one person can't fill a lane", async () => {
  const { add, hasRoom } = lanesIn();

  const taken = labels(6_000).filter(() => add({ ...people, owner: "dana" }, () => Promise.resolve())).length;

  expect(taken).toBe(2_500);
  expect(hasRoom({ ...people, owner: "dana" })).toBe(false);
  expect(hasRoom({ ...people, owner: "alex" })).toBe(true);
});
