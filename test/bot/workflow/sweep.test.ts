import { stillClock } from "../../support/test-clock.ts";
import { pino } from "pino";
import { expect, test } from "vitest";
import { StoreError } from "../../../src/bot/errors.ts";
import { createSweeper, sweep, type SweepDeps } from "../../../src/bot/workflow/sweep.ts";
import { desk, type Desk } from "./support/desk.ts";

function sweeping({ deps, store }: Desk, other: Partial<SweepDeps> = {}): SweepDeps {
  return {
    ...deps,
    store,
    report: () => Promise.resolve({}) as never, // nobody reads it here
    beginDue: () => Promise.resolve(),
    jobsRegion: "us",
    flushCalls: () => Promise.resolve(),
    ...other,
  };
}

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
