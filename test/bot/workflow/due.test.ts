import { setImmediate as nextTurn } from "node:timers/promises";
import { pino } from "pino";
import { machineClock } from "../../../src/platform/clock.ts";
import { expect, onTestFinished, test } from "vitest";
import { StoreError } from "../../../src/bot/errors.ts";
import type { Store } from "../../../src/bot/store/store.ts";
import { beginDue, scheduleDue } from "../../../src/bot/store/due.ts";
import { clockOf } from "../../../src/bot/store/database/session.ts";
import { textSealer } from "../../../src/bot/store/database/text-sealer.ts";
import { createDueLoop, type DueEnd, type DueWork, LeaseLost } from "../../../src/bot/workflow/due.ts";
import { type Due, dueKinds, type DueKindName } from "../../../src/bot/workflow/due-kinds.ts";
import type { Job } from "../../../src/bot/workflow/inbox/lanes.ts";
import { migratedInMemory } from "../../support/migrated-database.ts";
import { dueLoop } from "../../support/due-loop.ts";
import { benchOver } from "../store/contract/bench.ts";

const HOUR = 60 * 60_000;

type Wanted = { readonly work?: Partial<Record<DueKindName, DueWork>>; readonly store?: Partial<Store> };

/** A loop of one replica, over a database in memory. */
async function looping({ work = {}, store: other = {} }: Wanted = {}) {
  const bench = benchOver(async () => {
    const db = await migratedInMemory();
    return { where: { kind: "shared", db, flavour: "sqlite" }, db, remove: () => db.destroy() };
  });
  await bench.begin();
  onTestFinished(bench.end);
  const store = await bench.replica("a");
  const errors: unknown[] = [];
  const logged: unknown[] = [];
  const log = pino({ level: "error" }, { write: (line) => void logged.push(JSON.parse(line)) });
  const loop = dueLoop({ store: { ...store, ...other }, work, log, onError: (error) => void errors.push(error) });
  const schedule = async (kind: DueKindName, ...keys: readonly string[]): Promise<void> => {
    const clock = clockOf("sqlite", () => -5_000);
    const session = {
      db: bench.db(),
      flavour: "sqlite",
      clock,
      textSealer: textSealer(undefined),
      scheduled: { isNow: false },
    } as const; // a literal flavour
    for (const key of keys) await scheduleDue(session, { kind, key, teamId: "T1" });
  };
  const left = async () =>
    (await bench.db().selectFrom("due").select(["key", "attempts", "token"]).orderBy("key").execute()).map(
      ({ key, attempts, token }) => ({ key, attempts, isTaken: token !== null }),
    );
  return { ...loop, store, schedule, left, errors, logged, db: bench.db };
}

test("a kind of work takes no more than its places, and goes on with the rest by itself", async () => {
  let running = 0;
  let most = 0;
  const done: string[] = [];
  const { begin, schedule, lanes, left } = await looping({
    work: {
      async round({ key }) {
        running += 1;
        most = Math.max(most, running);
        for (let turn = 0; turn < 30; turn += 1) await nextTurn();
        running -= 1;
        done.push(key);
        return "done";
      },
    },
  });
  const keys = Array.from({ length: 19 }, (_, at) => `list ${at}`);
  await schedule("round", ...keys);

  // Two sweeps at once.
  await Promise.all([begin(), begin()]);
  await lanes.idle();

  expect(most).toBe(dueKinds.round.atOnce);
  expect(done.toSorted()).toEqual(keys.toSorted());
  expect(await left()).toEqual([]);
});

test("work that a statement schedules begins once the statement is done, whoever made it", async () => {
  const done: string[] = [];
  const { store, lanes } = await looping({ work: { post: async ({ key }) => (done.push(key), "done") } });

  for (const id of ["one", "two"]) await store.announce("T1", { id, channelId: "C1", payload: "{}" });
  await lanes.idle();

  expect(done.toSorted()).toEqual(["one", "two"]);
});

test("whoever waits for a card also waits for the attempt that a sweep began between two others", async () => {
  const drawn: string[] = [];
  const first = Promise.withResolvers<void>();
  const desk = await looping({
    work: {
      async post({ key }) {
        if (drawn.length === 0) await first.promise;
        drawn.push(key);
        return "done";
      },
    },
    store: {
      async endDue(due) {
        const end = await desk.store.endDue(due);
        if (end === "again") await desk.begin();
        return end;
      },
    },
  });
  await desk.schedule("post", "card");
  await desk.begin();

  const isDrawn = desk.finish("post", "card");
  await desk.schedule("post", "card");
  first.resolve();

  expect(await isDrawn).toBe(true);
  expect(drawn).toEqual(["card", "card"]);
});

test("work that fails is logged and comes again, later each time", async () => {
  const { begin, schedule, lanes, left, store, logged, db } = await looping({
    work: { digest: () => Promise.reject(new Error("broken")) },
  });
  await schedule("digest", "w1");
  const waits: number[] = [];
  for (let attempt = 1; attempt <= 3; attempt += 1) {
    await begin();
    await lanes.idle();
    expect(await left()).toEqual([{ key: "w1", attempts: attempt, isTaken: false }]);
    const row = await db().selectFrom("due").select("at").executeTakeFirstOrThrow();
    waits.push(Date.parse(row.at));
    store.later(HOUR);
  }

  const [first = 0, second = 0, third = 0] = waits;
  expect(second - first - HOUR).toBeGreaterThan(0);
  expect(third - second - HOUR).toBeGreaterThan(second - first - HOUR);
  expect(logged).toMatchObject([{ kind: "digest", attempts: 1 }, { attempts: 2 }, { attempts: 3 }]);
});

test("work that has more to do goes on at once, before other work of its kind waits for a sweep", async () => {
  let batches = 3;
  const done: string[] = [];
  const { begin, schedule, lanes, left } = await looping({
    work: {
      async audit({ key, attempts }) {
        done.push(`${key} ${attempts}`);
        batches -= 1;
        return batches > 0 ? { ms: 0 } : "done";
      },
    },
  });
  await schedule("audit", "webhook");

  await begin();
  await lanes.idle();

  expect(done).toEqual(["webhook 1", "webhook 1", "webhook 1"]);
  expect(await left()).toEqual([]);
});

test("an attempt that lost its lease or its database leaves the row as it is", async () => {
  const { begin, schedule, lanes, left, errors, logged } = await looping({
    work: {
      digest: () => Promise.reject(new LeaseLost()),
      follow: () => Promise.reject(new StoreError("the database doesn't answer")),
    },
  });
  await schedule("digest", "w1");
  await schedule("follow", "f1");

  await begin();
  await lanes.idle();

  expect(await left()).toEqual([
    { key: "f1", attempts: 1, isTaken: true },
    { key: "w1", attempts: 1, isTaken: true },
  ]);
  expect([logged, errors]).toEqual([[], [new StoreError("the database doesn't answer")]]);
});

test("work that a stop meets before it began is free for other replicas at once", async () => {
  const own = await looping();
  const begun: string[] = [];
  const aborted: Promise<void>[] = [];
  const stopping = createDueLoop({
    store: own.store,
    lanes: {
      ...own.lanes,
      add: (_job, work) => aborted.push(work(AbortSignal.abort(), (pause) => pause)) > 0,
    },
    log: pino({ level: "silent" }),
    clock: machineClock,
    work: { digest: async ({ key }: Due) => (begun.push(key), "done") } as never, // only this kind is begun
  });
  await own.schedule("digest", "w1");

  await stopping.begin();
  await Promise.all(aborted);

  expect(begun).toEqual([]);
  expect(await own.left()).toEqual([{ key: "w1", attempts: 1, isTaken: false }]);
});

test("a replica that stops takes nothing more", async () => {
  const own = await looping();
  await own.schedule("digest", "w1");

  await own.lanes.drain();
  await own.begin();

  expect(await own.left()).toEqual([{ key: "w1", attempts: 0, isTaken: false }]);
});

/** A loop on the same database, whose lanes are full. */
function loopWithoutRoom({ store, lanes }: Pick<Awaited<ReturnType<typeof looping>>, "store" | "lanes">) {
  const refused: Job[] = [];
  const loop = createDueLoop({
    store,
    lanes: { ...lanes, add: (job) => refused.push(job) === 0 },
    log: pino({ level: "silent" }),
    clock: machineClock,
    work: {} as never, // nothing is begun
  });
  return { loop, refused };
}

test("a full lane is asked once a sweep, however much is due", async () => {
  const own = await looping();
  await own.schedule("digest", ...Array.from({ length: 40 }, (_, at) => `w${at}`));
  const { loop, refused } = loopWithoutRoom(own);

  await loop.begin();
  await own.lanes.idle();

  expect(refused).toHaveLength(dueKinds.digest.atOnce);
});

test("work that finds no place in its lane is put back", async () => {
  const own = await looping();
  const { schedule, left } = own;
  await schedule("digest", "w1");
  const { loop: full } = loopWithoutRoom(own);

  await full.begin();
  await full.renew();

  expect(await left()).toEqual([{ key: "w1", attempts: 1, isTaken: false }]);
});

test("a kind that only a newer version knows waits for that", async () => {
  const { begin, lanes, left, db, schedule } = await looping();
  await schedule("digest", "w1");
  await db()
    .updateTable("due")
    .set({ kind: "of tomorrow" as never })
    .execute();

  await begin();
  await lanes.idle();

  expect(await left()).toEqual([{ key: "w1", attempts: 0, isTaken: false }]);
});

test("all of one kind is done before something else begins", async () => {
  const done: string[] = [];
  const { finish, schedule, left } = await looping({ work: { token: async ({ key }) => (done.push(key), "done") } });
  await schedule("token", "T1", "T2", "T3");
  await schedule("digest", "w1");

  await finish("token");

  expect(done.toSorted()).toEqual(["T1", "T2", "T3"]);
  expect((await left()).map(({ key }) => key)).toEqual(["w1"]);
});

test("whoever waits for work gets what was scheduled meanwhile done, too, also while the sweep does it", async () => {
  const done: string[] = [];
  const { promise: mayEnd, resolve: end } = Promise.withResolvers<void>();
  const desk = await looping({
    work: {
      async post({ key }) {
        done.push(key);
        if (done.length === 1) await mayEnd;
        return "done";
      },
    },
  });
  await desk.schedule("post", "card");

  await desk.begin();
  await desk.schedule("post", "card");
  const finished = desk.finish("post", "card");
  end();

  expect(await finished).toBe(true);
  expect(done).toEqual(["card", "card"]);
  expect(await desk.left()).toEqual([]);
  expect(await desk.finish("post", "card")).toBe(false);
  await desk.lanes.idle();
});

test("whoever waits for work learns whether it is done, or what they wait for is", async () => {
  const ends: DueEnd[] = ["done", "retry", { ms: 60_000 }, { ms: 60_000, isDone: true }];
  const { finish, schedule } = await looping({ work: { post: () => Promise.resolve(ends.shift() ?? "done") } });
  const told: boolean[] = [];
  for (const key of ["one", "two", "three", "four"]) {
    await schedule("post", key);
    told.push(await finish("post", key));
  }

  expect(told).toEqual([true, false, false, true]);
});

test("work that this replica has just scheduled with a lease is done without being taken", async () => {
  const done: string[] = [];
  const { perform, store, db, left } = await looping({});
  const clock = clockOf("sqlite", () => 0);
  const session = { db: db(), flavour: "sqlite", clock } as const; // a literal flavour
  const due = await beginDue(session, { kind: "post", key: "card", teamId: "T1", leaseMs: 60_000 });

  expect(await store.takeDue({ kind: "post", leaseMs: 1, most: 1 })).toEqual([]);
  expect(await perform(due, async ({ key }) => (done.push(key), "done"))).toBe(true);
  expect(done).toEqual(["card"]);
  expect(await left()).toEqual([]);
});

/** A request that this replica has just stored with a lease. */
async function leasedChange({ db }: Pick<Awaited<ReturnType<typeof looping>>, "db">, key = "7QK2MP"): Promise<Due> {
  const session = {
    db: db(),
    flavour: "sqlite",
    clock: clockOf("sqlite", () => 0),
    textSealer: textSealer(undefined),
  } as const; // a literal flavour
  return beginDue(session, { kind: "change", key, teamId: "T1", leaseMs: dueKinds.change.leaseMs });
}

test("a sweep renews the leases of requests that wait for a place or run, and of nothing else", async () => {
  const { promise: mayEnd, resolve: end } = Promise.withResolvers<void>();
  let digests = 0;
  const desk = await looping({
    work: {
      async digest() {
        digests += 1;
        await mayEnd;
        return "done";
      },
    },
  });
  const { store, renew, begin, start, lanes, clock } = desk;
  const due = await leasedChange(desk);
  await desk.schedule("digest", "w1");
  start(
    due,
    async () => {
      await mayEnd;
      return "done";
    },
    { lane: "due", owner: "U1" },
  );
  await begin();

  // Each for longer than the lease of the request lasts.
  for (let sweep = 0; sweep < 4; sweep += 1) {
    store.later(dueKinds.change.leaseMs - 1_000);
    clock.jumpMs(dueKinds.change.leaseMs - 1_000);
    await renew();
    await begin();
    expect(await store.takeDue({ kind: "change", leaseMs: 0, most: 1 })).toEqual([]);
  }
  expect(desk.inProgress()).toEqual(["change 7QK2MP", "digest w1"]);
  end();
  await lanes.idle();

  // Its lease was over, so it was begun again.
  expect(digests).toBe(2);
  expect(await desk.left()).toEqual([]);
});

test("a request that finds no place in its lane is free for other replicas at once", async () => {
  const own = await looping();
  const due = await leasedChange(own);
  const { loop: full } = loopWithoutRoom(own);

  full.start(due, () => Promise.reject(new Error("it began")), { lane: "due" });
  await full.renew();

  expect(await own.left()).toEqual([{ key: "7QK2MP", attempts: 1, isTaken: false }]);
});

test("what the database interrupted goes on as soon as it answers again", async () => {
  let isAway = true;
  const done: string[] = [];
  const { renew, begin, schedule, lanes, left, errors } = await looping({
    work: {
      async post({ key }) {
        if (isAway) throw new StoreError("the database doesn't answer");
        done.push(key);
        return "done";
      },
    },
  });
  await schedule("post", "card");
  await begin();
  await lanes.idle();
  expect(await left()).toEqual([{ key: "card", attempts: 1, isTaken: true }]);
  expect(errors).toHaveLength(1);

  isAway = false;
  await renew();
  await begin();
  await lanes.idle();

  expect(done).toEqual(["card"]);
  expect(await left()).toEqual([]);
});

test("what the database interrupts again and again waits longer each time", async () => {
  const { renew, begin, schedule, lanes, left } = await looping({
    work: { post: () => Promise.reject(new StoreError("the statement took too long")) },
  });
  await schedule("post", "card");

  for (let sweep = 0; sweep < 5; sweep += 1) {
    await renew();
    await begin();
    await lanes.idle();
  }
  await renew();

  expect(await left()).toEqual([{ key: "card", attempts: 2, isTaken: false }]);
});

test("a request that goes on at once is begun again without waiting for the next sweep", async () => {
  const done: string[] = [];
  const desk = await looping({ work: { change: async () => (done.push("again"), "done") } });
  const due = await leasedChange(desk);

  desk.start(due, async () => (done.push("first"), { ms: 0 }), { lane: "due" });
  await desk.lanes.idle();

  expect(done).toEqual(["first", "again"]);
});
