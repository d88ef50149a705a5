import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { z } from "zod";
import { readConfig } from "../../../src/bot/compose/config.ts";
import { slackCliEnvironment } from "../../../src/bot/compose/entry.ts";
import { service } from "./support/settings.ts";

const tokens = { SLACK_CLI_XOXB: "xoxb-of-the-cli", SLACK_CLI_XAPP: "xapp-of-the-cli" };

function json(path: string): unknown {
  return JSON.parse(readFileSync(new URL(`../../../${path}`, import.meta.url), "utf8"));
}

test("`slack run` starts Gantry over Socket Mode with the tokens of the Slack CLI, whatever .env holds", () => {
  const env = slackCliEnvironment({
    ...service,
    ...tokens,
    SLACK_BOT_TOKEN: "xoxb-another-app",
    SLACK_SIGNING_SECRET: "the-secret-of-another-app",
  });

  expect(readConfig(env ?? {}).slack).toEqual({
    kind: "real",
    tokens: { kind: "one", botToken: tokens.SLACK_CLI_XOXB },
    transport: { kind: "socket", appToken: tokens.SLACK_CLI_XAPP },
  });
  expect(slackCliEnvironment({ SLACK_BOT_TOKEN: "xoxb-1" })).toBeUndefined();
});

test("each hook of the Slack CLI is a script that exists", () => {
  const Hooks = z.object({
    hooks: z.object({ "get-manifest": z.string(), start: z.string() }),
    // Otherwise the CLI holds the connection itself, and starts a process for each event.
    config: z.object({ "sdk-managed-connection-enabled": z.literal(true) }),
  });
  const { hooks } = Hooks.parse(json(".slack/hooks.json"));
  const { scripts } = z.object({ scripts: z.record(z.string(), z.string()) }).parse(json("package.json"));

  // npm finds the Node that Gantry needs, also where the machine's own is older.
  const names = Object.values(hooks).map((hook) => /^npm run --silent ([\w-]+)/u.exec(hook)?.[1] ?? "");
  expect(names.map((name) => scripts[name])).toEqual(["node src/gantry.js manifest", "node src/bin/slack-run.ts"]);
});
