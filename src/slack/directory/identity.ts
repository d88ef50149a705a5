import type { WebClient } from "@slack/web-api";
import type { Logger } from "pino";
import type { People } from "../../workflow/ports.ts";
import { classify } from "../send/slack-error.ts";

export type Identity = {
  /** Asks Slack who we are. Throws an Error with a sentence when Slack refuses the token. */
  readonly check: () => Promise<void>;
  /** Whether Slack has confirmed the token once. Asks again: soon while it hasn't, and now and then afterwards. */
  readonly isKnown: () => Promise<boolean>;
  /** `teamId` is the workspace in which the bot is installed; ids are undefined until Slack has answered. */
  readonly bot: People["bot"];
  /** What people type after @ to invite the bot. */
  readonly botName: () => string;
  readonly botUserId: () => string | undefined;
  readonly teamId: () => string | undefined;
};

type Parts = {
  readonly client: WebClient;
  /** Slack's code for refusing the token, in the latest answer to any method; undefined when it accepts it. */
  readonly tokenRefusal: () => string | undefined;
  readonly log: Logger;
  readonly now: () => Date;
};

/** While Slack hasn't confirmed the token, or refuses it. */
const ASK_AGAIN_MS = 10_000;
/** A token can be revoked while the bot has nothing to say. */
const CHECK_EVERY_MS = 60_000;

/** Slack being down doesn't keep the bot from starting: it is not ready until Slack has answered. */
export function createIdentity({ client, tokenRefusal, log, now }: Parts): Identity {
  let known: ReturnType<People["bot"]> | undefined;
  let askedMs = 0;
  const check = async (): Promise<void> => {
    askedMs = now().getTime();
    try {
      const { user: name = "gantry", user_id: userId, team_id: teamId } = await client.auth.test();
      known = { name, userId, teamId };
    } catch (error) {
      const { code, kind } = classify(error);
      if (kind === "token") {
        throw new Error(
          `Slack does not accept SLACK_BOT_TOKEN (${code}). Copy the Bot User OAuth Token from the app's page, OAuth & Permissions, and set it.`,
          { cause: error },
        );
      }
      log.warn({ err: error }, "Slack did not confirm the token yet");
    }
  };
  const bot = (): ReturnType<People["bot"]> => known ?? { name: "gantry", userId: undefined, teamId: undefined };
  return {
    check,
    async isKnown() {
      const sinceMs = now().getTime() - askedMs;
      const everyMs = known === undefined || tokenRefusal() !== undefined ? ASK_AGAIN_MS : CHECK_EVERY_MS;
      if (sinceMs < everyMs) return known !== undefined;
      if (known === undefined) await check();
      // Nobody waits for a repetition: a probe must not hang with Slack. `tokenRefusal` has its result.
      else void check().catch((err: unknown) => log.error({ err }, "Slack refuses the bot token"));
      return known !== undefined;
    },
    bot,
    botName: () => bot().name,
    botUserId: () => bot().userId,
    teamId: () => bot().teamId,
  };
}
