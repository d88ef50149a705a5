import { expect, test } from "vitest";
import { Problem } from "../../../src/api/problem.ts";
import type { StoredChange } from "../../../src/bot/changes/stored-change.ts";
import { StoreError } from "../../../src/bot/errors.ts";
import { decide } from "../../../src/bot/workflow/decide/decide.ts";
import type { Due } from "../../../src/bot/workflow/due-kinds.ts";
import { step } from "../../../src/bot/workflow/lifecycle.ts";
import { propose } from "../../../src/bot/workflow/propose/propose.ts";
import { carryOnDue } from "../../../src/bot/workflow/run/run.ts";
import { service } from "../changes/support/execution.ts";
import { scripted } from "../changes/support/scripted.ts";
import { event, storyOf } from "../store/contract/bench.ts";
import { annHere, bobHere, desk, type Desk, openPolicy } from "./support/desk.ts";

// One request from its words to its end, past Slack: propose, decide, run and send over a real database.

const run = { onFailed: () => Promise.resolve(), onEnded: () => undefined };

type Scaling = {
  readonly deliveryId?: string;
  readonly to?: number;
  readonly isRepeated?: boolean;
  readonly reason?: string;
};

/** Ann Lee asks to scale web; resolves once her request is stored or refused. */
async function annScales(own: Desk, { deliveryId = "d1", to = 3, isRepeated = false, reason }: Scaling = {}) {
  const ask = { verb: "scale", share: false, reason, args: { name: "web", size: `${to}` } };
  const interaction = { kind: "ask", ask, origin: annHere, deliveryId, isRepeated, reply: own.reply, run } as const;
  await propose(own.deps, { ...interaction, onFinished: () => undefined }, own.signal);
}

async function waiting({ store }: Desk): Promise<StoredChange> {
  const [change] = await store.pendingChanges("T1");
  if (change === undefined) throw new Error("nothing waits");
  return change;
}

type Decision = "approve" | "reject" | "cancel";

function decideOn({ deps, reply }: Desk, changeId: string, decision: Decision, origin = bobHere): Promise<void> {
  return decide(deps, { kind: "decide", decision, changeId, origin, reply, run });
}

async function click(own: Desk, decision: Decision, origin: typeof annHere): Promise<void> {
  await decideOn(own, (await waiting(own)).id, decision, origin);
  await own.deps.lanes.idle();
}

test("what needs nobody's approval is sent at once, and once, although its delivery is processed twice", async () => {
  const own = await desk({ policy: openPolicy });

  await annScales(own);
  await own.deps.lanes.idle();
  await annScales(own, { isRepeated: true });
  await own.deps.lanes.idle();

  expect(own.sent.filter((op) => op === "updateService")).toHaveLength(1);
  const change = await own.store.find({ deliveryId: "d1" });
  expect(change).toMatchObject({ state: "done", diff: ["instances 2 → 3"] });
  expect(await storyOf(own.store, change?.id ?? "")).toEqual(["requested", "claimed", "done"]);
});

test("a request for what a service has already is answered, and nothing is stored", async () => {
  const own = await desk({ policy: openPolicy });

  await annScales(own, { to: 2 });

  expect(own.reply.texts).toEqual([expect.stringContaining("already has 2 instances")]);
  expect(await own.store.find({ deliveryId: "d1" })).toBeUndefined();
});

test("a request that waits shows its card and sends nothing; the same request again points at it", async () => {
  const own = await desk();

  await annScales(own);
  await annScales(own, { deliveryId: "d2" });

  const { id } = await waiting(own);
  expect(own.sent).toEqual(["getService", "getService"]);
  expect(own.drawn).toContain(id);
  expect(await own.store.find({ deliveryId: "d2" })).toBeUndefined();
  expect(own.reply.texts).toHaveLength(1);
});

test("of two at the same instant one waits, and the other points at it", async () => {
  const own = await desk();
  const { deps, store } = own;
  const both = Promise.withResolvers<void>();
  let waitingToStore = 0;
  const insertChange: typeof store.insertChange = async (change, happened) => {
    waitingToStore += 1;
    if (waitingToStore === 2) both.resolve();
    await both.promise;
    return deps.store.insertChange(change, happened);
  };
  const racing = { ...own, deps: { ...deps, store: { ...deps.store, insertChange } } };

  await Promise.all(["d1", "d2"].map((deliveryId) => annScales(racing, { deliveryId })));

  const { id } = await waiting(own);
  expect(await store.pendingChanges("T1")).toHaveLength(1);
  expect(own.reply.texts).toEqual([expect.stringMatching(new RegExp(`Already waiting[^]*${id}`, "u"))]);
});

test("after a colleague's approval it is sent; the requester's own approval doesn't count", async () => {
  const own = await desk();
  await annScales(own);
  const { id } = await waiting(own);

  await click(own, "approve", annHere);
  expect(own.sent).not.toContain("updateService");
  await click(own, "approve", bobHere);

  expect(own.sent.filter((op) => op === "updateService")).toHaveLength(1);
  expect(await own.store.findChange(id)).toMatchObject({ state: "done", votes: [{ userId: bobHere.userId }] });
  // A refused vote is in the history of the workspace alone.
  expect(await storyOf(own.store, id)).toEqual(["requested", "voted", "approved", "claimed", "done"]);
});

test("who approves is looked up once: what Slack said since the click counts for sending it, too", async () => {
  const own = await desk();
  const { deps, store, clock } = own;
  await annScales(own);
  const ages: number[] = [];
  const profile: typeof deps.people.profile = (userId, maxAgeMs, called) => {
    ages.push(maxAgeMs);
    return deps.people.profile(userId, maxAgeMs, called);
  };
  const slow: typeof store.advance = async (id, step, happened) => {
    if (step.name === "approve") await clock.passMs(2_000);
    return store.advance(id, step, happened);
  };
  const slowly = { ...deps, store: { ...deps.store, advance: slow }, people: { ...deps.people, profile } };

  await click({ ...own, deps: slowly }, "approve", bobHere);

  expect(own.sent).toContain("updateService");
  expect(Math.min(...ages)).toBeGreaterThan(2_000);
});

test("a rejected request is never sent, and a later approval reads that it's over", async () => {
  const own = await desk();
  await annScales(own);
  const { id } = await waiting(own);

  await click(own, "reject", bobHere);
  await decideOn(own, id, "approve");

  expect(own.sent).not.toContain("updateService");
  expect(await own.store.findChange(id)).toMatchObject({ state: "rejected" });
  expect(own.reply.texts.at(-1)).toMatch(/rejected/u);
});

test("only its requester cancels a request", async () => {
  const own = await desk();
  await annScales(own);
  const { id } = await waiting(own);

  await click(own, "cancel", bobHere);
  expect(await own.store.findChange(id)).toMatchObject({ state: "pending" });
  await click(own, "cancel", annHere);

  expect(await own.store.findChange(id)).toMatchObject({ state: "cancelled" });
});

test("an approved request isn't sent when the service changed since somebody looked at it", async () => {
  let size = 2;
  const own = await desk({ api: scripted(({ op }) => (op === "getService" ? service(size) : {})) });
  await annScales(own);
  const { id } = await waiting(own);
  size = 6;

  await click(own, "approve", bobHere);

  expect(own.sent).not.toContain("updateService");
  expect(await own.store.findChange(id)).toMatchObject({ state: "drifted" });
  const [drifted] = await own.store.history({ teamId: "T1", limit: 1 });
  expect(drifted?.result).toBe("instances: 2 when requested → 6 now");
});

test("what another replica claimed is not sent a second time", async () => {
  const own = await desk();
  await annScales(own);
  const { id } = await waiting(own);
  const { deps, store } = own;
  const advance: typeof store.advance = async (changeId, step, happened) => {
    if (step.name === "claim") await store.advance(id, step, event("claimed"));
    return store.advance(changeId, step, happened);
  };

  await decideOn({ ...own, deps: { ...deps, store: { ...deps.store, advance } } }, id, "approve");
  await deps.lanes.idle();

  expect(own.sent).not.toContain("updateService");
  expect(await store.findChange(id)).toMatchObject({ state: "claimed" });
});

test("a request that was sent before a crash is read back and not sent again", async () => {
  const own = await desk();
  const { store, deps } = own;
  await annScales(own);
  const { id } = await waiting(own);
  const leases: Due[] = [];
  const crashing = { ...deps, start: (due: Due) => void leases.push(due) };
  const deciding = decideOn({ ...own, deps: crashing }, id, "approve");
  await own.clock.sleeper();
  await own.clock.passMs(900);
  await deciding;
  const [due] = leases;
  if (due === undefined) throw new Error("nobody carries it on");
  expect(await store.advance(id, step("claim", { due }), event("claimed"))).toMatchObject({ kind: "moved" });

  await own.carryOn();
  expect(await store.findChange(id)).toMatchObject({ state: "claimed" });
  store.later(due.leaseMs);
  await own.carryOn();

  expect(own.sent).not.toContain("updateService");
  expect(await store.findChange(id)).toMatchObject({ state: "failed" });
});

test("a request that the workload API refuses ends as failed, with the API's words", async () => {
  const refused = new Problem({
    kind: "refused",
    op: "updateService",
    maybeSent: false,
    status: 409,
    sentence: "web is being updated.",
    next: "Try again.",
  });
  const own = await desk({
    policy: openPolicy,
    api: scripted(({ op }) => {
      if (op === "updateService") throw refused;
      return service(2);
    }),
  });

  await annScales(own);
  await own.deps.lanes.idle();

  const change = await own.store.find({ deliveryId: "d1" });
  expect(change).toMatchObject({
    state: "failed",
    ending: { outcome: { why: expect.stringContaining("is being updated") } },
  });
  expect(own.drawn).toContain(change?.id);
});

test("a request that is seen to take effect and to fail at the same look is told as both", async () => {
  let web: object = service(2);
  const own = await desk({
    policy: openPolicy,
    api: scripted(({ op }) => (op === "getService" ? web : op === "getServiceLogs" ? [] : {})),
  });
  await annScales(own);
  await own.deps.lanes.idle();
  web = { ...service(3), status: "Failed", ready_instances: 0 };

  // It dies in between once, and tells what is left.
  let isAway = true;
  const advance: typeof own.store.advance = async (id, step, happened) => {
    if (isAway && step.name === "trouble") throw new StoreError("The database can't be reached.");
    return own.store.advance(id, step, happened);
  };
  const deps = { ...own.deps, store: { ...own.deps.store, advance } };
  for (const isLast of [false, true]) {
    await own.clock.passMs(60_000);
    own.store.later(60_000);
    const [due] = await own.store.takeDue({ kind: "change", leaseMs: 20_000, most: 1 });
    if (due === undefined) throw new Error("it isn't due");
    await carryOnDue(deps, due, own.signal, (pause) => pause).catch(() => undefined);
    isAway = isLast;
  }

  const { id = "", progress } = (await own.store.find({ deliveryId: "d1" })) ?? {};
  expect(progress).toMatchObject({ kind: "trouble" });
  expect((await storyOf(own.store, id)).slice(-2)).toEqual(["confirmed", "health"]);
});

test("a request that is seen to take effect later keeps which revision it found", async () => {
  let size = 2;
  const own = await desk({
    policy: openPolicy,
    api: scripted(({ op }) => (op === "getService" ? { ...service(size), revision: 7 } : {})),
  });
  await annScales(own);
  await own.deps.lanes.idle();
  const outcome = async () => (await own.store.find({ deliveryId: "d1" }))?.ending;
  expect(await outcome()).toMatchObject({ outcome: { kind: "asked", over: { revision: 7 } } });
  size = 3;

  await own.clock.passMs(60_000);
  own.store.later(60_000);
  await own.carryOn();

  expect(await outcome()).toMatchObject({ outcome: { kind: "done", over: { revision: 7 } } });
});
