import { WebAPIPlatformError, type WebClient } from "@slack/web-api";
import type { Logger } from "pino";

export type Identity = {
  /** Asks Slack who we are. Throws an Error with a sentence when Slack does not know the token. */
  readonly check: () => Promise<void>;
  /** Whether Slack has confirmed the token; asks again, now and then, while it has not. */
  readonly isKnown: () => Promise<boolean>;
  /** What people type after @ to invite the bot. */
  readonly botName: () => string;
  /** Undefined until Slack has answered. */
  readonly botUserId: () => string | undefined;
  /** The workspace in which the bot is installed; undefined until Slack has answered. */
  readonly teamId: () => string | undefined;
};

/** https://docs.slack.dev/reference/methods/auth.test#errors: no waiting mends these. */
const final = new Set([
  "invalid_auth",
  "not_authed",
  "account_inactive",
  "token_revoked",
  "token_expired",
  "org_login_required",
]);
const ASK_AGAIN_MS = 10_000;

/** Slack being down does not keep the bot from starting: it is not ready until Slack has answered. */
export function createIdentity(client: WebClient, parts: { readonly log: Logger; readonly now: () => Date }): Identity {
  let known:
    | { readonly name: string; readonly userId: string | undefined; readonly teamId: string | undefined }
    | undefined;
  let askedMs = 0;
  const check = async (): Promise<void> => {
    askedMs = parts.now().getTime();
    try {
      const { user = "gantry", user_id: userId, team_id: teamId } = await client.auth.test();
      known = { name: user, userId, teamId };
    } catch (error) {
      const code = error instanceof WebAPIPlatformError ? error.data.error : undefined;
      if (code !== undefined && final.has(code)) {
        throw new Error(
          `Slack does not accept SLACK_BOT_TOKEN (${code}). Copy the Bot User OAuth Token from the app's page, OAuth & Permissions, and set it.`,
          { cause: error },
        );
      }
      parts.log.warn({ err: error }, "Slack did not confirm the token yet");
    }
  };
  return {
    check,
    async isKnown() {
      if (known === undefined && parts.now().getTime() - askedMs >= ASK_AGAIN_MS) await check();
      return known !== undefined;
    },
    botName: () => known?.name ?? "gantry",
    botUserId: () => known?.userId,
    teamId: () => known?.teamId,
  };
}
