import { spawnSync } from "node:child_process";
import { beginLoading, endLoading } from "../bot/compose/entry.ts";

// For the image, so that even the first start of a container is quick: loads what a bot loads, with the stand-ins for
// what isn't configured. Its argument is the entry that the image starts.
beginLoading();
await import("../bot/compose/run-gantry.ts");
// Loaded by the one before only once there is a configuration.
await import("../bot/compose/gantry.ts");
await import("../bot/compose/stand-ins/local-service.ts");
await import("../bot/compose/stand-ins/local-slack.ts");
await import("pg");
endLoading();
const [entry = ""] = process.argv.slice(2);
// The entries, too, which end at this setting.
for (const program of ["start", "bot"]) {
  spawnSync(process.execPath, [entry, program], { env: { ...process.env, PORT: "none" } });
}
