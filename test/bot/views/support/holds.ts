import { cases } from "../../../support/full-run.ts";
import fc from "fast-check";
import { test } from "vitest";

// Every view gets 200 messages' worth of hostile names, statuses and lines, in CI 2,000. FUZZ_SEED repeats a run.
const seed = Number(process.env["FUZZ_SEED"] ?? Date.now() % 2 ** 31);
process.stdout.write(`hostile views: seed ${seed} (repeat with FUZZ_SEED=${seed})\n`);
const settings = { numRuns: cases, seed };

/** A property of a view, as a test. */
export function holds<Value>(view: string, arbitrary: fc.Arbitrary<Value>, check: (value: Value) => void): void {
  test(`${view} breaks no limit and carries no live markup`, () => {
    fc.assert(fc.property(arbitrary, check), settings);
  });
}
