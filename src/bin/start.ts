import { beginLoading, loadEnvFile } from "../bot/compose/entry.ts";

/** Starts Gantry. Where no Slack or workload API is configured, it starts the playground or our own service for it. */
export async function start(options: { readonly isBotAlone?: boolean } = {}): Promise<void> {
  beginLoading();
  loadEnvFile(process.env);
  const { runGantry } = await import("../bot/compose/run-gantry.ts");
  await runGantry(process.env, options);
}
