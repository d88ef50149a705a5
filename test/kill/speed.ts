import { slowness } from "../support/until.ts";

// Imported first, for its effect: `ipc.ts` reads the variable. On a busy machine the faster time goes slower, or hardly a
// write would be sent within its lease. The broken bot of `--variant` is found out only at the full speed.
if (!process.argv.includes("--variant")) {
  process.env["GANTRY_KILL_SPEED"] ??= String(Math.max(1, Math.round(10 / slowness())));
}
