// Imported first, for its effect: `ipc.ts` reads the variable. At ten times the speed, a busy machine would hardly send a write
// within its lease. The broken bot of `--variant` is found out only at that speed.
process.env["GANTRY_KILL_SPEED"] ??= process.argv.includes("--variant") ? "10" : "2";
