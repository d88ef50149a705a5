import { readConfig } from "../../../../src/bot/compose/config.ts";
import { ConfigError } from "../../../../src/bot/compose/config-problems.ts";

export const slack = { SLACK_BOT_TOKEN: "xoxb-1-2-abc", SLACK_SIGNING_SECRET: "0123456789abcdef0123" };
export const service = {
  WORKLOAD_API_URL: "https://workloads.example.com/base",
  WORKLOAD_API_USERNAME: "dana",
  WORKLOAD_API_TOKEN: "token-of-dana",
};

/** The sentences that the bot would refuse to start with. */
export function problems(env: Record<string, string>, options = {}): readonly string[] {
  try {
    readConfig(env, options);
    return [];
  } catch (error) {
    if (error instanceof ConfigError) return error.problems;
    throw error;
  }
}
