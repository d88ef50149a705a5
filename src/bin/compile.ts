import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { beginLoading, endLoading } from "../bot/compose/entry.ts";

// For the image, so that already the first start of a container is quick: loads what a bot loads.
beginLoading();
await import("../bot/compose/run-gantry.ts");
await import("pg");
endLoading();
// The entries, too, which end at this setting.
for (const program of ["start", "bot"]) {
  const entry = fileURLToPath(new URL("../gantry.js", import.meta.url));
  spawnSync(process.execPath, [entry, program], { env: { ...process.env, PORT: "none" } });
}
