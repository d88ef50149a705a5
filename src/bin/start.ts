import { beginLoading, loadEnvFile } from "../bot/compose/entry.ts";

/** Starts Gantry with stand-ins for what isn't configured. The bot alone needs a real Slack and a real workload API. */
export async function start(options: { readonly isBotAlone?: boolean } = {}): Promise<void> {
  beginLoading();
  loadEnvFile(process.env["GANTRY_ENV_FILE"]);
  const { runGantry } = await import("../bot/compose/run-gantry.ts");
  await runGantry(process.env, options);
}
