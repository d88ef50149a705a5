/** Set by `.ci/run`: also what takes long, or needs what a plain machine lacks. Without it `npm test` ends within two minutes. */
const isFullRun = process.env["GANTRY_TEST"] === "all";

/** Why such tests are not run now; undefined when they are. */
export const notFullRun: string | undefined = isFullRun ? undefined : "skipped: run with GANTRY_TEST=all";
