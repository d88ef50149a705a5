import { beginLoading } from "./boot/loading.ts";
import { loadEnvFile } from "./boot/env-file.ts";

// Gantry with stand-ins for what is not configured.
beginLoading();
loadEnvFile(process.env["GANTRY_ENV_FILE"]);
const { runGantry } = await import("./run-gantry.ts");
await runGantry(process.env);
