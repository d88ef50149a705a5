import type { WebClient } from "@slack/web-api";
import type { Logger } from "pino";
import type { Clock } from "../../../platform/clock.ts";
import type { People } from "../../workflow/ports.ts";
import { classify } from "../send/slack-error.ts";
import { unawaited } from "../../../platform/waiting.ts";

export type Identity = {
  /** Asks Slack who we are. Throws an Error with a sentence when Slack refuses the token. */
  readonly check: () => Promise<void>;
  /** True once Slack has confirmed the token. Asks again from time to time while it hasn't. */
  readonly isKnown: () => Promise<boolean>;
  /** For readiness probes: asks Slack again about a token it confirmed, at most once a minute. Nobody waits for the answer. */
  readonly recheck: () => void;
  /** `teamId` is the workspace in which the bot is installed; ids are undefined until Slack has answered. */
  readonly bot: People["bot"];
};

type Parts = {
  readonly client: WebClient;
  /** Slack's code for refusing the token, in the latest answer to any method; undefined when it accepts it. */
  readonly tokenRefusal: () => string | undefined;
  /** Known without asking, when the app was installed by OAuth. Every workspace of an organization has the same token. */
  readonly installed?: { readonly teamId: string; readonly userId: string } | undefined;
  readonly log: Logger;
  readonly clock: Pick<Clock, "now">;
};

/** While Slack hasn't confirmed the token, or refuses it. */
const ASK_AGAIN_MS = 10_000;
/** A token can be revoked while the bot is idle. */
const CHECK_EVERY_MS = 60_000;

/** Slack being down doesn't keep the bot from starting: it is not ready until Slack has answered. */
export function createIdentity({ client, tokenRefusal, installed, log, clock }: Parts): Identity {
  let known: ReturnType<People["bot"]> | undefined = installed && { name: "gantry", ...installed };
  let askedMs = 0;
  const check = async (): Promise<void> => {
    askedMs = clock.now().getTime();
    try {
      const { user: name = "gantry", user_id: userId, team_id: teamId } = await client.auth.test();
      known = { name, userId, teamId, ...installed };
    } catch (error) {
      const { code, kind } = classify(error);
      if (kind === "token") {
        throw new Error(
          installed === undefined
            ? `Slack rejected SLACK_BOT_TOKEN (${code}). Copy the Bot User OAuth Token from your app's page, under OAuth & Permissions.`
            : `Slack rejected the token of the workspace ${installed.teamId} (${code}).`,
          { cause: error },
        );
      }
      log.warn({ err: error }, "Slack hasn't confirmed the token yet");
    }
  };
  const isDue = (everyMs: number): boolean => clock.now().getTime() - askedMs >= everyMs;
  const bot = (): ReturnType<People["bot"]> => known ?? { name: "gantry", userId: undefined, teamId: undefined };
  return {
    check,
    async isKnown() {
      if (known === undefined && isDue(ASK_AGAIN_MS)) await check();
      return known !== undefined;
    },
    recheck() {
      if (known === undefined || !isDue(tokenRefusal() === undefined ? CHECK_EVERY_MS : ASK_AGAIN_MS)) return;
      // `tokenRefusal` has the result.
      unawaited(check(), (err) => log.error({ err }, "Slack rejected the bot token"));
    },
    bot,
  };
}
