import { beginLoading, loadEnvFile, slackCliEnvironment } from "../bot/compose/entry.ts";

// What `slack run` of the Slack CLI starts: .slack/hooks.json.
beginLoading();
loadEnvFile(process.env);
const env = slackCliEnvironment(process.env);
if (env === undefined) {
  process.stderr.write(
    "The Slack CLI brings the tokens for this: type `slack run`. Without it, use `npm run setup`.\n",
  );
  process.exitCode = 2;
} else {
  const { runGantry } = await import("../bot/compose/run-gantry.ts");
  await runGantry(env);
}
