import { beforeEach } from "vitest";

/** Set by `.ci/full`: also what takes long, or needs what a plain machine lacks. */
const isFullRun = process.env["GANTRY_TEST"] === "all";

/** How many cases each property is tried with. */
export const cases = isFullRun ? 2_000 : 20;

/** What the cases are drawn with: a commit passes or fails `npm test` as a whole. Each full run tries others; FUZZ_SEED repeats one. */
export const seed = Number(process.env["FUZZ_SEED"] ?? (isFullRun ? Date.now() % 2 ** 31 : 1));

/** Set by `.ci/full`: every code that Slack knows, instead of one of each kind. */
export const everyCode = isFullRun;

/** The mutants' runner sets `some`: their tests try more cases there than in a plain `npm test`, which has to be quick. */
const isQuick = !isFullRun && process.env["GANTRY_TEST"] !== "some";

/** All of these in a full run, else each fifth, or one of so many; in a plain `npm test` one of `quickly`. */
export function someOf<Value>(values: readonly Value[], of = 5, quickly = of): readonly Value[] {
  const each = isFullRun ? 1 : isQuick ? quickly : of;
  return values.filter((_, at) => at % each === 0);
}

/** Why such tests are not run now; undefined when they are. */
export const notFullRun: string | undefined = isFullRun ? undefined : "skipped: run with GANTRY_TEST=all";

/** Leaves the tests of a file to full runs. */
export function onlyInFullRuns(): void {
  beforeEach(({ skip }) => skip(notFullRun !== undefined, notFullRun));
}
