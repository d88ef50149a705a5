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
  hold({ lane: "redraws" }, ...labels(40));

  await until(() => begun.length >= 8);
  await turns();
  const atOnce = status().redraws;
  release();
  await idle();

  expect(atOnce).toMatchObject({ running: 8, waiting: 32 });
  expect(begun).toEqual(labels(40));
});

test("a full lane holds up no other lane", async () => {
  const { hold, begun, status } = lanesIn();
  for (const lane of ["redraws", "watching", "sweeping", "decisions"] as const) hold({ lane }, ...labels(200, lane));
  await until(() => status().watching.running === 128 && status().decisions.running === 32);

  hold(people, "help");
  await until(() => begun.includes("help"));

  expect(status()).toMatchObject({ redraws: { running: 8 }, sweeping: { running: 16 }, people: { running: 1 } });
});

test("people take turns: the slow commands of some don't delay another person's", async () => {
  const { hold, begun, status } = lanesIn();
  for (const owner of labels(10, "U")) hold({ ...people, owner }, ...labels(50, `${owner} `));
  await until(() => begun.length >= 40);

  hold({ ...people, owner: "dana" }, "help");
  await until(() => begun.includes("help"));

  expect(begun).toHaveLength(41);
  expect(begun.slice(0, 11)).toEqual([...labels(10, "U").map((owner) => `${owner} 0`), "U0 1"]);
  expect(status().people).toMatchObject({ running: 41, waiting: 460 });
});

test("the jobs of one person run in order, a few at once", async () => {
  const { hold, begun, release, idle } = lanesIn();
  hold({ ...people, owner: "dana" }, ...labels(12));

  await until(() => begun.length >= 4);
  await turns();
  const atOnce = begun.length;
  release();
  await idle();

  expect(atOnce).toBe(4);
  expect(begun).toEqual(labels(12));
});

const crowd = labels(40);

test("a job begins in the next turn of the event loop, however quickly interactions come in", async () => {
  const { arrived, hold, begun } = lanesIn({ quietMs: 0, isFlood: true });
  arrived();
  hold(people, "first");

  await nextTurn();

  expect(begun).toEqual(["first"]);
});

test("while interactions come in, a job begins where another one has ended", async () => {
  const { arrived, hold, begun, release } = lanesIn({ quietMs: 0, isFlood: true });
  arrived();
  hold(people, "first");
  await nextTurn();
  arrived();
  hold(people, "second");
  await turns();
  const begunBeside = [...begun];

  release();
  await turns();

  expect(begunBeside).toEqual(["first"]);
  expect(begun).toEqual(["first", "second"]);
});

test("when one job has ended, another begins in its place; the others wait for a lull", async () => {
  const { add, hold, begun } = lanesIn({ quietMs: 0, isFlood: true });
  const { promise: ended, resolve: end } = Promise.withResolvers<void>();
  add(people, () => ended);
  await nextTurn();
  hold(people, "second", "third");
  await turns();
  const begunBefore = [...begun];

  end();
  await turns();

  expect(begunBefore).toEqual([]);
  expect(begun).toEqual(["second"]);
});

test("when many more jobs wait than have ended, they wait for a lull", async () => {
  const { hold, begun, release } = lanesIn({ quietMs: 0, isFlood: true });
  hold(people, "first");
  await nextTurn();
  hold(people, ...labels(18));

  release();
  await turns();

  expect(begun).toEqual(["first"]);
});

test("while interactions come in, a crowd of jobs waits for a lull", async () => {
  const weather = { quietMs: 0, isFlood: true };
  const { hold, begun } = lanesIn(weather);
  hold(people, ...crowd);

  await turns();
  const begunBefore = begun.length;
  weather.quietMs = 20;
  await until(() => begun.length > 0);
  await turns();
  const begunInFlood = begun.length;
  weather.isFlood = false;
  await until(() => begun.length === crowd.length);

  expect(begunBefore).toBe(0);
  expect(begunInFlood).toBe(1);
});

test("outside a flood, five quiet milliseconds are enough for a crowd", async () => {
  const weather = { quietMs: 4, isFlood: false };
  const { hold, begun } = lanesIn(weather);
  hold(people, ...crowd);

  await turns();
  const begunBefore = begun.length;
  weather.quietMs = 5;
  await until(() => begun.length === crowd.length);

  expect(begunBefore).toBe(0);
});

test("without a lull, a crowd begins after a second, and a job that waits for the service doesn't stop the next", async () => {
  const { hold, begun } = lanesIn({ quietMs: 0, isFlood: true });
  const since = performance.now();
  hold({ lane: "watching" }, "watch");
  hold(people, ...crowd);

  await until(() => begun.length === 1);
  const firstMs = performance.now() - since;
  await until(() => begun.length === 2);

  expect(firstMs).toBeGreaterThan(900);
  expect(performance.now() - since).toBeGreaterThan(1_800);
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
