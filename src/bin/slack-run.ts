import { loadEnvFile } from "../boot/env-file.ts";
import { slackCliEnvironment } from "../boot/slack-cli.ts";
import { main } from "../main.ts";

// What `slack run` of the Slack CLI starts: .slack/hooks.json.
loadEnvFile(process.env["GANTRY_ENV_FILE"]);
const env = slackCliEnvironment(process.env);
if (env === undefined) {
  process.stderr.write(
    "The Slack CLI brings the tokens for this: type `slack run`. Without it, use `npm run setup`.\n",
  );
  process.exitCode = 2;
} else {
  await main(env);
}
