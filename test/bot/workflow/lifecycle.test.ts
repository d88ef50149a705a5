import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { type ChangeState, changeStates } from "../../../src/bot/changes/stored-change.ts";
import type { NewHistoryEvent } from "../../../src/bot/changes/history-event.ts";
import { lifecycle, step, type StepName } from "../../../src/bot/workflow/lifecycle.ts";
import type { Advanced } from "../../../src/bot/workflow/stored.ts";
import {
  ann,
  benchOver,
  bob,
  cleo,
  done,
  event,
  pendingChange,
  type Replica,
  storyOf,
  terms,
  unknown,
  votes,
} from "../store/contract/bench.ts";
import { sqliteForAll } from "../store/support/one-database.ts";

const HOUR_MS = 3_600_000;
const ID = "AAA111";

const bench = benchOver(sqliteForAll());
beforeEach(bench.begin);
afterEach(bench.end);

const failed = { kind: "failed", why: "It had no effect.", next: "Ask again." } as const; // a literal kind
// oxlint-disable-next-line unicorn/no-thenable -- a word, not a function; nobody awaits a row
const drift = [{ field: "instances", then: "6", now: "4", asked: "2" }];
const watching = { kind: "watching", line: "", excerpt: [] } as const; // a literal kind
const reached = { kind: "reached", line: "2 instances run", excerpt: [] } as const; // a literal kind
const claim = async (store: Replica): Promise<unknown> => store.claim(ID, event("claimed"));
const approve = async (store: Replica): Promise<unknown> => store.vote(ID, bob, votes);

/** The steps that a pending Change takes to each state. */
const ways: Readonly<Record<ChangeState, readonly ((store: Replica) => Promise<unknown>)[]>> = {
  pending: [],
  approved: [approve],
  claimed: [approve, claim],
  unknown: [approve, claim, (store) => store.doubt(ID, unknown, event("unknown"))],
  done: [approve, claim, (store) => store.settle(ID, done, event("done"))],
  failed: [approve, claim, (store) => store.settle(ID, failed, event("failed"))],
  rejected: [(store) => store.reject(ID, { who: bob, reason: undefined }, event("rejected"))],
  cancelled: [(store) => store.cancel(ID, ann, event("cancelled"))],
  expired: [expire],
  drifted: [approve, (store) => store.drift(ID, drift, event("drifted"))],
};

async function expire(store: Replica): Promise<boolean> {
  store.later(2 * HOUR_MS);
  const expired = await store.expireDue(HOUR_MS, () => event("expired"));
  return expired.some(({ id }) => id === ID);
}

/** A replica with a Change in that state. */
async function changeIn(state: ChangeState): Promise<Replica> {
  const store = await bench.replica("a");
  await store.insertChange(pendingChange(ID), event("requested"));
  for (const go of ways[state]) await go(store);
  expect(await store.find({ id: ID })).toMatchObject({ state });
  return store;
}

type Taking = (store: Replica, event: NewHistoryEvent, version: number) => Promise<Advanced>;

/** Only a part of a request begins: see the contract of the store. */
type Name = Exclude<StepName, "begin">;

/** Each step as it is made of a Change of this version. */
const steps: Readonly<Record<Exclude<Name, "expire">, Taking>> = {
  approve: (store, told) => store.advance(ID, step("approve", { by: cleo, last: event("approved") }), told),
  askAgain: (store, told, version) =>
    store.carry(ID, "askAgain", { version, rule: "two eyes", terms, counting: [], notice: "Once more." }, told),
  reject: (store, told) => store.advance(ID, step("reject", { by: bob, reason: "not today" }), told),
  cancel: (store, told) => store.advance(ID, step("cancel", { by: ann }), told),
  drift: (store, told) => store.carry(ID, "drift", { drift }, told),
  refuse: (store, told) => store.carry(ID, "refuse", { outcome: failed }, told),
  claim: (store, told) => store.carry(ID, "claim", {}, told),
  doubt: (store, told) => store.carry(ID, "doubt", { outcome: unknown }, told),
  succeed: (store, told) => store.carry(ID, "succeed", { outcome: done }, told),
  fail: (store, told) => store.carry(ID, "fail", { outcome: failed }, told),
  giveUp: (store, told) => store.carry(ID, "giveUp", { outcome: unknown }, told),
  observe: (store, told) => store.carry(ID, "observe", { progress: watching, isNews: true }, told),
  confirm: (store, told) => store.carry(ID, "confirm", { outcome: done, progress: watching }, told),
  follow: (store, told) => store.carry(ID, "follow", { isNews: true, health: reached }, told),
  trouble: (store, told) => store.carry(ID, "trouble", { progress: { ...reached, kind: "trouble" } }, told),
  recover: (store, told) => store.carry(ID, "recover", { health: reached }, told),
};

/** Whether the store made the step. */
async function take(store: Replica, name: Name): Promise<boolean> {
  if (name === "expire") return expire(store);
  const { version = 0 } = (await store.find({ id: ID })) ?? {};
  const advanced = await steps[name](store, event(lifecycle[name].event), version);
  return advanced.kind === "moved";
}

const names = ["expire", ...(Object.keys(steps) as Exclude<Name, "expire">[])] as const; // its own keys
const every = changeStates.flatMap((state) => names.map((name) => [state, name] as const)); // pairs

describe("the store follows the table", () => {
  test.each(every)("from %s: %s", async (state, name) => {
    const store = await changeIn(state);
    const { from, to } = lifecycle[name];
    const leads = (from as readonly ChangeState[]).includes(state); // wider than this row's
    const before = { change: await store.find({ id: ID }), story: await storyOf(store, ID) };

    const isMoved = await take(store, name);

    const change = await store.find({ id: ID });
    const story = await storyOf(store, ID);
    expect(isMoved).toBe(leads);
    if (!leads) return expect({ change, story }).toEqual(before);
    // The one approval that is needed makes it approved as well.
    const also = name === "approve" ? ["approved"] : [];
    expect(change?.state).toBe(name === "approve" ? "approved" : to);
    expect(change?.version).toBeGreaterThan(before.change?.version ?? Infinity);
    expect(story).toEqual([...before.story, lifecycle[name].event, ...also]);
  });

  test("an approval that isn't the last one leaves it pending", async () => {
    const store = await bench.replica("a");
    await store.insertChange(pendingChange(ID, { terms: { ...terms, votes: 2 } }), event("requested"));

    expect(await take(store, "approve")).toBe(true);

    expect(await store.find({ id: ID })).toMatchObject({ state: lifecycle.approve.to, votes: [cleo] });
  });

  test.each(["doubt", "succeed", "fail", "giveUp"] as const)("what was given up can't %s", async (name) => {
    const store = await changeIn("claimed");
    await take(store, "giveUp");
    const before = await store.find({ id: ID });

    // Doubted once more, it would be read back for ever.
    expect(await take(store, name)).toBe(false);

    expect(await store.find({ id: ID })).toEqual(before);
  });
});

test("a Change that was claimed can never be claimed again", () => {
  const reached = new Set<ChangeState>([lifecycle.claim.to]);
  // As many rounds as there are states reach all that can be reached.
  for (const _ of changeStates) {
    for (const { from, to } of Object.values(lifecycle)) if (from.some((state) => reached.has(state))) reached.add(to);
  }

  expect(lifecycle.claim.from.filter((state) => reached.has(state))).toEqual([]);
  expect([...reached].toSorted()).toEqual(["claimed", "done", "failed", "unknown"]);
});
