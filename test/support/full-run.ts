/** Set by `.ci/run`: also what takes long, or needs what a plain machine lacks. Without it `npm test` ends within two minutes. */
const isFullRun = process.env["GANTRY_TEST"] === "all";

/** How many cases a property is tried with. */
export const cases = isFullRun ? 10_000 : 200;

/** Why such tests are not run now; undefined when they are. */
export const notFullRun: string | undefined = isFullRun ? undefined : "skipped: run with GANTRY_TEST=all";
