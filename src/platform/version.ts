import manifest from "../../package.json" with { type: "json" };

/** The version of Gantry that runs. */
export const { version } = manifest;
