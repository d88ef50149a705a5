import { classify } from "../../send/slack-error.ts";

const token =
  "Create an app-level token with the connections:write scope on your app's page, under Basic Information → App-Level Tokens, and set SLACK_APP_TOKEN to it.";
const socketMode =
  "Turn it on on your app's page, under Socket Mode, or set SLACK_SIGNING_SECRET instead of SLACK_APP_TOKEN.";
const workspace = "Ask an admin of your workspace to allow or reinstall the app.";

/**
 * What somebody has to do before Slack lets us connect, by the code of `apps.connections.open` or of a `disconnect`:
 * https://docs.slack.dev/reference/methods/apps.connections.open. Asking again changes nothing.
 */
const remedies: Readonly<Record<string, string>> = {
  invalid_auth: token,
  not_authed: token,
  missing_args: token,
  token_revoked: token,
  token_expired: token,
  not_allowed_token_type: token,
  missing_scope: token,
  no_permission: token,
  account_inactive: workspace,
  user_removed_from_team: workspace,
  team_disabled: workspace,
  forbidden_team: workspace,
  access_denied: workspace,
  app_access_restricted: workspace,
  link_disabled: socketMode,
  socket_mode_disabled: socketMode,
  socket_mode_not_enabled: socketMode,
};

/** For the operator, when Slack refuses connections until somebody changes something; undefined when it may pass. */
export function refusalSentence(code: string): string | undefined {
  if (!Object.hasOwn(remedies, code)) return undefined;
  const what =
    remedies[code] === socketMode ? "Socket Mode is turned off for the Slack app" : "Slack rejected SLACK_APP_TOKEN";
  return `${what} (${code}). ${remedies[code]}`;
}

/** Slack's code for a connection that couldn't be opened, or the name of the error. */
export function codeOf(error: unknown): { readonly code: string; readonly retryAfterMs: number } {
  const { code, retryAfterMs } = classify(error);
  return { code, retryAfterMs: retryAfterMs ?? 0 };
}
