import { stillClock } from "../../../support/test-clock.ts";
import { pino } from "pino";
import { expect, test } from "vitest";
import { StoreError } from "../../../../src/bot/errors.ts";
import { createSweeper, sweep, type SweepDeps } from "../../../../src/bot/workflow/receive/sweep.ts";
import { desk, type Desk } from "../support/desk.ts";

function sweeping({ deps, store }: Desk, other: Partial<SweepDeps> = {}): SweepDeps {
  return {
    ...deps,
    store,
    report: () => Promise.resolve({}) as never, // nobody reads it here
    loop: { renew: () => Promise.resolve(), begin: () => Promise.resolve() },
    jobsRegion: "us",
    flushCalls: () => Promise.resolve(),
    ...other,
  };
}

test("a sweep renews what goes on first, then begins what is due, and a bot that stops sweeps nothing any more", async () => {
  const own = await desk();
  const did: string[] = [];
  const loop = {
    renew: async (): Promise<void> => void did.push("renew"),
    begin: async (): Promise<void> => void did.push("begin"),
  };
  const store = { ...own.store, syncRounds: () => Promise.reject(new Error("a row of a newer version")) };

  await expect(sweep(sweeping(own, { loop, store }))).rejects.toThrow("a row of a newer version");
  await sweep(sweeping(own, { loop, lanes: { isStopping: () => true } }));

  expect(did).toEqual(["renew", "renew", "begin"]);
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
