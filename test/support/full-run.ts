import { beforeEach } from "vitest";

/** Set by `.ci/full`: also what takes long, or needs what a plain machine lacks. */
const isFullRun = process.env["GANTRY_TEST"] === "all";

/** How many cases a property is tried with. Each run tries others, so that more come together over the days. */
export const cases = isFullRun ? 1_000 : 30;

/** All of these in a full run, else each fifth: others in each run. */
export function someOf<Value>(values: readonly Value[]): readonly Value[] {
  const first = Date.now() % 5;
  return isFullRun ? values : values.filter((_, at) => at % 5 === first);
}

/** Why such tests are not run now; undefined when they are. */
export const notFullRun: string | undefined = isFullRun ? undefined : "skipped: run with GANTRY_TEST=all";

/** Leaves the tests of a file to full runs. */
export function onlyInFullRuns(): void {
  beforeEach(({ skip }) => skip(notFullRun !== undefined, notFullRun));
}
