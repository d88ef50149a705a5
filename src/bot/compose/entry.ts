import { enableCompileCache, flushCompileCache } from "node:module";
import { fileURLToPath } from "node:url";
import { setFlagsFromString } from "node:v8";

/** In a folder that only who installed Gantry may write to: in a shared one, somebody could leave code there. */
const COMPILED = fileURLToPath(new URL("../../../node_modules/.cache/gantry-compiled", import.meta.url));

/** Modules that are imported afterwards are found as they were compiled the last time; where that can't be kept, nothing is. */
export function keepCompiled(): void {
  enableCompileCache(COMPILED);
}

/**
 * Loading modules is most of a start. It is quicker with what Node compiled the last time. And it makes garbage for which
 * V8 would extend its young generation, which a bot that waits doesn't need.
 *
 * Both hold for modules that are imported afterwards, so entry points import the rest with `await import`.
 */
export function beginLoading(): void {
  keepCompiled();
  setFlagsFromString("--semi-space-growth-factor=1");
}

/**
 * Work may extend the young generation again. The old one is collected when it has grown by 70 %: left alone, V8 lets
 * the garbage of a busy hour grow to four times what is in use. What was compiled is saved: a bot may run until it is
 * killed.
 */
export function endLoading(): void {
  setFlagsFromString("--semi-space-growth-factor=2");
  setFlagsFromString("--heap-growing-percent=70");
  flushCompileCache();
}

/** Where `npm run setup` writes and the other programs read, unless GANTRY_ENV_FILE names another file. */
const USUAL = ".env";

/**
 * Reads the file of variables, if there is one. Variables that are set already win. Node's own `--env-file-if-exists`
 * reports each start without that file as if something was wrong.
 */
export function loadEnvFile(path: string | undefined): void {
  try {
    process.loadEnvFile(path || USUAL);
  } catch (error) {
    const isMissing = error instanceof Error && "code" in error && error.code === "ENOENT";
    if (!isMissing) throw error;
  }
}

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
