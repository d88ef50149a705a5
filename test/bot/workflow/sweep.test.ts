import { stillClock } from "../../support/test-clock.ts";
import { pino } from "pino";
import { expect, test } from "vitest";
import { StoreError } from "../../../src/bot/errors.ts";
import { sealInteraction, type Interaction } from "../../../src/bot/workflow/inbox/interaction.ts";
import { createSweeper, sweep, type SweepDeps } from "../../../src/bot/workflow/sweep.ts";
import { approvedChange, event, pendingChange, storyOf } from "../store/contract/bench.ts";
import { stored } from "../views/support/stored-changes.ts";
import { annHere, desk, type Desk } from "./support/desk.ts";

const disconnect: Interaction = { kind: "disconnect", whose: "mine", origin: annHere };
const inClosed: Interaction = { ...disconnect, origin: { ...annHere, teamId: "T9" } };

/** What a sweep of this desk works with, in a house where the workspace T9 can't be opened. */
function sweeping({ deps, store }: Desk, other: Partial<SweepDeps> = {}): SweepDeps {
  return {
    ...deps,
    store,
    report: () => Promise.resolve({}) as never, // nobody reads it here
    beginDue: () => Promise.resolve(),
    jobsRegion: "us",
    flushCalls: () => Promise.resolve(),
    workspaceOf: async (teamId) => {
      if (teamId === "T9") throw new Error("no key for its token");
      return deps;
    },
    ...other,
  };
}

test("a workspace that can't be opened doesn't hold up the requests of the others", async () => {
  const own = await desk();
  const { store, deps, drawn } = own;
  await store.addChange(approvedChange("AAA111", { teamId: "T9" }), event("requested", { teamId: "T9" }));
  await store.addChange(approvedChange("BBB222"), event("requested"));

  await expect(sweep(sweeping(own))).rejects.toThrow("couldn't open workspace T9");
  await deps.lanes.idle();

  // Its sealed request isn't readable here, which is how it ends.
  expect(await store.findChange("BBB222")).toMatchObject({ state: "failed" });
  expect(await store.findChange("AAA111")).toMatchObject({ state: "approved" });
  expect(drawn).toContain("BBB222");
});

test("an interrupted delivery of a workspace that can't be opened is begun once it can", async () => {
  const own = await desk();
  const { deps } = own;
  let isClosed = true;
  const begun: string[] = [];
  const workspaceOf = async (teamId: string) => {
    if (isClosed && teamId === "T9") throw new StoreError("the database doesn't answer");
    return { ...deps, lanes: { ...deps.lanes, add: ({ key = "" }) => begun.push(key) > 0 } };
  };
  deps.retries.keep({ id: "d1", interaction: inClosed, tries: 1 }, 0);
  deps.retries.keep({ id: "d2", interaction: disconnect, tries: 1 }, 0);

  await expect(sweep(sweeping(own, { workspaceOf }))).rejects.toThrow(StoreError);
  expect(begun).toEqual(["delivery d2"]);
  isClosed = false;
  await sweep(sweeping(own, { workspaceOf }));

  expect(begun).toEqual(["delivery d2", "delivery d1"]);
});

test("what a replica that is gone left is taken over for each workspace, also when the first can't be opened", async () => {
  const own = await desk();
  const { deps, store } = own;
  const gone = await own.another("gone");
  for (const [id, interaction] of Object.entries({ d1: inClosed, d2: disconnect })) {
    await gone.accept({ id, sealed: sealInteraction(deps.sealer, id, interaction) });
  }
  store.later(120_000);
  const begun: string[] = [];
  let isClosed = true;
  const workspaceOf = async (teamId: string) => {
    if (isClosed && teamId === "T9") throw new Error("no key for its token");
    return { ...deps, lanes: { ...deps.lanes, add: ({ key = "" }) => begun.push(key) > 0 } };
  };

  await expect(sweep(sweeping(own, { workspaceOf }))).rejects.toThrow("couldn't open workspace T9");
  expect(begun).toEqual(["delivery d2"]);
  isClosed = false;
  await sweep(sweeping(own, { workspaceOf }));

  expect(begun).toEqual(["delivery d2", "delivery d1"]);
});

test("what waits for another run of its workload is left alone, until a workload of a larger request has waited too long", async () => {
  const own = await desk();
  const { deps, store, clock } = own;
  const claimedAt = clock.now();
  const open = [
    stored({ id: "AAA111", state: "claimed", claimedAt }),
    stored({ id: "BBB222", state: "approved" }),
    stored({ id: "CCC333", state: "claimed", claimedAt, parts: [stored({ id: "CCC333/1", state: "approved" })] }),
  ];
  const begun: string[] = [];
  const workspaceOf = async () => ({ ...deps, lanes: { ...deps.lanes, add: ({ key = "" }) => begun.push(key) > 0 } });
  const sweeps = () => sweep(sweeping(own, { workspaceOf, store: { ...store, open: () => Promise.resolve(open) } }));

  await sweeps();
  expect(begun).toEqual(["change AAA111"]);
  begun.length = 0;
  clock.jumpMs(10 * 60_000);
  await sweeps();
  expect(begun).toEqual(["change AAA111", "change CCC333"]);
});

test("a request that nobody approves in time expires, and a person reads so in history", async () => {
  const own = await desk();
  const { store } = own;
  await store.addChange(pendingChange("AAA111"), event("requested"));
  store.later(3_600_001);

  await sweep(sweeping(own));

  expect(await store.findChange("AAA111")).toMatchObject({ state: "expired" });
  expect(await storyOf(store, "AAA111")).toEqual(["requested", "expired"]);
  const [expired] = await store.history({ teamId: "T1", limit: 1 });
  expect(expired).toMatchObject({ who: undefined, result: "not enough approvals in time" });
});

test("a bot that stops sweeps nothing any more", async () => {
  const own = await desk();
  await own.store.addChange(pendingChange("AAA111"), event("requested"));
  own.store.later(3_600_001);

  await sweep(sweeping(own, { lanes: { isStopping: () => true } }));

  expect(await own.store.findChange("AAA111")).toMatchObject({ state: "pending" });
});

test("the operator reads once what keeps sweeps from working, each time it is something else, and when they work again", async () => {
  const lines: string[] = [];
  const log = pino({ base: null }, { write: (line: string) => void lines.push(JSON.parse(line).msg) });
  const { once } = createSweeper({ log, sweep: () => Promise.resolve(), clock: stillClock() });
  const away = () => Promise.reject(new StoreError("no connection"));
  const closed = () => Promise.reject(new Error("couldn't open workspace T9"));
  const works = () => Promise.resolve();

  for (const work of [works, away, away, works, works, closed, closed, away, closed, works]) await once(work);

  expect(lines).toEqual([
    "the database doesn't answer: writes are refused until it does",
    "the database is back",
    "a sweep failed; the next one does its work",
    "the database doesn't answer: writes are refused until it does",
    "a sweep failed; the next one does its work",
    "sweeps work again",
  ]);
});
