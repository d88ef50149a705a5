type Environment = Readonly<Record<string, string | undefined>>;

/** Settings that an app of the Slack CLI doesn't use; `.env` may hold them for another app. */
const others = ["SLACK_SIGNING_SECRET", "SLACK_CLIENT_ID", "SLACK_CLIENT_SECRET", "GANTRY_URL"];

/**
 * The environment for `slack run`: Socket Mode, with the tokens of the app that the Slack CLI has installed. Undefined when
 * it brings none. https://docs.slack.dev/tools/slack-cli/reference/hooks
 */
export function slackCliEnvironment(env: Environment): Environment | undefined {
  const { SLACK_CLI_XOXB: botToken, SLACK_CLI_XAPP: appToken } = env;
  if (botToken === undefined || appToken === undefined) return undefined;
  // An empty variable counts as unset.
  const unset = Object.fromEntries(others.map((name) => [name, ""]));
  return { ...env, ...unset, SLACK_BOT_TOKEN: botToken, SLACK_APP_TOKEN: appToken };
}
