import { stillClock } from "../../support/test-clock.ts";
import { pino } from "pino";
import { expect, test } from "vitest";
import { StoreError } from "../../../src/bot/errors.ts";
import { sealInteraction, type Interaction } from "../../../src/bot/workflow/inbox/interaction.ts";
import { createSweeper, sweep, type SweepDeps } from "../../../src/bot/workflow/sweep.ts";
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

test("a bot that stops sweeps nothing any more", async () => {
  const own = await desk();
  let begun = 0;
  const beginDue = async (): Promise<void> => void (begun += 1);

  await sweep(sweeping(own, { beginDue }));
  await sweep(sweeping(own, { beginDue, lanes: { isStopping: () => true } }));

  expect(begun).toBe(1);
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
