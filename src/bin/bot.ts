import { loadEnvFile } from "../boot/env-file.ts";
import { main } from "../main.ts";

// The bot without stand-ins: it needs a real Slack and a real workload API.
loadEnvFile(process.env["GANTRY_ENV_FILE"]);
await main(process.env, { isBotAlone: true });
