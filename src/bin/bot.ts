import { beginLoading, loadEnvFile } from "../bot/compose/entry.ts";

// The bot without stand-ins: it needs a real Slack and a real workload API.
beginLoading();
loadEnvFile(process.env["GANTRY_ENV_FILE"]);
const { runGantry } = await import("../bot/compose/run-gantry.ts");
await runGantry(process.env, { isBotAlone: true });
