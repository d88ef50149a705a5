import { beginLoading, loadEnvFile } from "../bot/compose/entry.ts";

// Gantry with stand-ins for what is not configured.
beginLoading();
loadEnvFile(process.env["GANTRY_ENV_FILE"]);
const { runGantry } = await import("../bot/compose/run-gantry.ts");
await runGantry(process.env);
