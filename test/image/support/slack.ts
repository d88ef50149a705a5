import { createPlayground } from "../../../src/playground/playground.ts";
import { listen } from "../../../src/platform/http/listen.ts";
import { appOfManifest } from "../../kill/cluster-setup.ts";

// The simulated Slack alone, in a container beside the bot's, as Slack is beside it: http://slack:3001.

const { SLACK_BOT_TOKEN: botToken, SLACK_SIGNING_SECRET: signingSecret } = process.env;
if (botToken === undefined || signingSecret === undefined) throw new Error("the simulated Slack needs its secrets");

const playground = createPlayground({
  app: appOfManifest(),
  botToken,
  signingSecret,
  url: "http://slack:3001",
  requestUrl: () => "http://gantry:3000/slack/events",
});
await listen(playground.fetch, { host: "0.0.0.0", port: 3001, variable: "PLAYGROUND_PORT" });
process.once("SIGTERM", () => process.exit(0));
