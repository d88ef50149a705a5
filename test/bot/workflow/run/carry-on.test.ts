import { expect, test } from "vitest";
import type { ChangeState } from "../../../../src/bot/changes/stored-change.ts";
import { propose } from "../../../../src/bot/workflow/propose/propose.ts";
import { carryOnDue } from "../../../../src/bot/workflow/run/run.ts";
import {
  ann,
  approvedChange,
  bob,
  done,
  event,
  pendingChange,
  type Replica,
  storyOf,
  votes,
} from "../../store/contract/bench.ts";
import { annHere, desk, type Desk, openPolicy } from "../support/desk.ts";

// What any replica does with a request that is due.

const MINUTE = 60_000;
const LEASE = 20_000;
const run = { onFailed: () => Promise.resolve(), onEnded: () => undefined };

/** Ann Lee's request to scale web, stored with a lease that nobody uses. */
async function scales(own: Desk, deliveryId: string, to: number): Promise<string> {
  const ask = { verb: "scale", share: false, args: { name: "web", size: `${to}` } };
  const asked = { kind: "ask", ask, origin: annHere, deliveryId, isRepeated: false, run } as const; // a literal kind
  const deps = { ...own.deps, start: () => undefined };
  await propose(deps, { ...asked, reply: own.reply, onFinished: () => undefined }, own.signal);
  const change = await own.store.find({ deliveryId });
  if (change === undefined) throw new Error("nothing was stored");
  return change.id;
}

/** Requests that are due some time, and how soon, in milliseconds. */
async function left({ store }: Desk, withinMs: number): Promise<readonly string[]> {
  store.later(withinMs);
  const taken = await store.takeDue({ kind: "change", leaseMs: 0, most: 100 });
  store.later(-withinMs);
  return taken.map(({ key }) => key);
}

test("a request that nobody approves in time expires, and a person reads so in history", async () => {
  const own = await desk();
  const { store } = own;
  await store.addChange(pendingChange("AAA111"), event("requested"));
  await own.carryOn();
  expect(await store.findChange("AAA111")).toMatchObject({ state: "pending" });
  store.later(3_600_001);

  await own.carryOn();

  expect(await store.findChange("AAA111")).toMatchObject({ state: "expired" });
  expect(await storyOf(store, "AAA111")).toEqual(["requested", "expired"]);
  const [expired] = await store.history({ teamId: "T1", limit: 1 });
  expect(expired).toMatchObject({ who: undefined, result: "not enough approvals in time" });
});

test("a request waits for another run of its workload without calling the API, and runs as soon as that is over", async () => {
  const own = await desk({ policy: openPolicy });
  const { store } = own;
  const first = await scales(own, "d1", 3);
  const second = await scales(own, "d2", 4);
  await store.claim(first, event("claimed"));
  const { length: callsBefore } = own.sent;

  store.later(LEASE);
  await store.renewDue("change", [store.lease(first)]);
  await own.carryOn();
  expect(own.sent).toHaveLength(callsBefore);
  expect(await store.findChange(second)).toMatchObject({ state: "approved" });

  await store.carry(
    first,
    "fail",
    { outcome: { kind: "failed", why: "No.", next: "" }, next: "over" },
    event("failed"),
  );
  await own.carryOn();
  expect(await store.findChange(second)).toMatchObject({ state: "done" });
});

test("a request that can't start for ten minutes by the database's clock expires", async () => {
  const own = await desk({ policy: openPolicy });
  const { store } = own;
  const first = await scales(own, "d1", 3);
  const second = await scales(own, "d2", 4);
  await store.claim(first, event("claimed"));

  for (const minutes of [9, 2]) {
    expect(await store.findChange(second)).toMatchObject({ state: "approved" });
    store.later(minutes * MINUTE + LEASE);
    await store.renewDue("change", [store.lease(first)]);
    await own.carryOn();
  }

  expect(await store.findChange(second)).toMatchObject({ state: "expired", ending: { was: "approved" } });
  const [expired] = await store.history({ teamId: "T1", limit: 1 });
  expect(expired).toMatchObject({ changeId: second, result: "it couldn't start in time" });
});

const by = { who: bob, reason: undefined };
const failed = { kind: "failed", why: "No.", next: "" } as const; // a literal kind
const ways: Readonly<
  Record<Exclude<ChangeState, "pending" | "approved" | "claimed">, (store: Replica) => Promise<unknown>>
> = {
  unknown: async (store) => {
    await store.vote("AAA111", bob, votes);
    await store.claim("AAA111", event("claimed"));
    await store.doubt("AAA111", failed, event("unknown"));
  },
  done: async (store) => {
    await store.vote("AAA111", bob, votes);
    await store.claim("AAA111", event("claimed"));
    await store.settle("AAA111", done, event("done"));
  },
  failed: async (store) => {
    await store.vote("AAA111", bob, votes);
    await store.refuse("AAA111", failed, event("failed"));
  },
  drifted: async (store) => {
    await store.vote("AAA111", bob, votes);
    await store.drift("AAA111", [], event("drifted"));
  },
  rejected: (store) => store.reject("AAA111", by, event("rejected")),
  cancelled: (store) => store.cancel("AAA111", ann, event("cancelled")),
  expired: async (store) => {
    store.later(3_600_001);
    await store.expireDue(0, () => event("expired"));
  },
};

test.each(Object.entries(ways))("of a request that is %s, nothing is due once it was carried on", async (state, go) => {
  const own = await desk();
  const { store } = own;
  await store.addChange(pendingChange("AAA111"), event("requested"));
  await go(store);
  expect(await store.findChange("AAA111")).toMatchObject({ state });
  const isOpen = state === "unknown" || state === "done";

  store.later(LEASE);
  expect(await left(own, 0)).toEqual(isOpen ? ["AAA111"] : []);
  await own.carryOn();

  // What it asked for can't be opened here, so nothing more can be read of it.
  expect(await left(own, 24 * 60 * MINUTE)).toEqual([]);
});

test("a request that was cancelled while it waited for its turn is left alone", async () => {
  const own = await desk({ policy: openPolicy });
  const { store } = own;
  await store.addChange(approvedChange("AAA111"), event("requested"));
  store.later(LEASE);
  const [due] = await store.takeDue({ kind: "change", leaseMs: LEASE, most: 1 });
  if (due === undefined) throw new Error("it isn't due");
  await store.cancel("AAA111", ann, event("cancelled"));

  expect(await carryOnDue(own.deps, due, own.signal, (pause) => pause)).toBe("done");
  expect(own.sent).toEqual([]);
});

test("an attempt that is stopped in the middle leaves the rest to another replica at once", async () => {
  const own = await desk({ policy: openPolicy });
  const id = await scales(own, "d1", 3);
  own.store.later(LEASE);
  const [due] = await own.store.takeDue({ kind: "change", leaseMs: LEASE, most: 1 });
  if (due === undefined) throw new Error("it isn't due");

  const end = await carryOnDue(own.deps, due, AbortSignal.abort(), (pause) => pause);

  expect(end).toEqual({ ms: 0, isFailure: true });
  expect(own.sent).not.toContain("updateService");
  expect(await own.store.findChange(id)).toMatchObject({ state: "approved" });
});
