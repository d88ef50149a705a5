import { WebClient } from "@slack/web-api";
import type { Logger } from "pino";
import { directNetwork } from "../../../platform/http/network.ts";
import { boltLogger } from "../bolt-logger.ts";
import { clientOptions, type SlackPlace } from "../send/clients.ts";
import { classify } from "../send/slack-error.ts";
import { z } from "zod";
import type { Sealer } from "../../accounts/seal.ts";
import type { Installation, NewInstallation } from "../../workflow/stored.ts";

/** The app, as its page shows it under Basic Information. */
export type OAuthApp = {
  readonly clientId: string;
  readonly clientSecret: string;
  /** The public address of Gantry, without a slash at its end. */
  readonly url: string;
  readonly scopes: readonly string[];
};

export type Renewed = Required<Tokens> & { readonly expiresInMs: number };

export type Renewal =
  | ({ readonly kind: "renewed" } & Renewed)
  /** Nothing was exchanged, or nobody knows: a later attempt decides. */
  | { readonly kind: "later"; readonly code: string }
  /** A later attempt can't succeed either. */
  | { readonly kind: "refused"; readonly code: string };

/** `ended`: Slack says that the app was removed. `refused`: it doesn't accept the token, for another reason. */
export type TokenState = "accepted" | "ended" | "refused" | "unknown";

export type OAuthCalls = {
  /** Exchanges a bot token for a new one. A refresh token works once, so this is tried once. */
  readonly renew: (refreshToken: string) => Promise<Renewal>;
  readonly check: (botToken: string) => Promise<TokenState>;
};

const TIMEOUT_MS = 10_000;

/** Errors of https://docs.slack.dev/reference/methods/oauth.v2.access after which only people can help. */
const forGood = new Set([
  "invalid_refresh_token",
  "bad_client_secret",
  "invalid_client_id",
  "invalid_grant_type",
  "org_login_required",
  "token_rotation_not_enabled",
]);

/** The bot token of an app that was removed, or of a workspace that is gone: https://docs.slack.dev/reference/methods/auth.test */
const ended = new Set(["account_inactive", "token_revoked", "team_disabled"]);

export function oauthCalls(
  app: OAuthApp,
  { apiUrl, network = directNetwork, log }: SlackPlace & { readonly log: Logger },
): OAuthCalls {
  const own = { fetch: network.fetch, logger: boltLogger(log), timeout: TIMEOUT_MS };
  const client = (token?: string): WebClient => new WebClient(token, clientOptions({ apiUrl }, own));
  return {
    renew: (refreshToken) => renew(client(), app, refreshToken),
    async check(botToken) {
      try {
        await client(botToken).auth.test();
        return "accepted";
      } catch (error) {
        const { code, kind } = classify(error);
        if (ended.has(code)) return "ended";
        return kind === "token" ? "refused" : "unknown";
      }
    },
  };
}

async function renew(client: WebClient, app: OAuthApp, refreshToken: string): Promise<Renewal> {
  try {
    const answer = await client.oauth.v2.access({
      client_id: app.clientId,
      client_secret: app.clientSecret,
      grant_type: "refresh_token",
      refresh_token: refreshToken,
    });
    const { access_token: botToken, refresh_token: next, expires_in: seconds } = answer;
    if (botToken === undefined || next === undefined || seconds === undefined)
      return { kind: "later", code: "incomplete" };
    return { kind: "renewed", botToken, refreshToken: next, expiresInMs: seconds * 1_000 };
  } catch (error) {
    const { code } = classify(error);
    return { kind: forGood.has(code) ? "refused" : "later", code };
  }
}

/** `refreshToken` is there when the app rotates its tokens. */
const Tokens = z.object({ botToken: z.string(), refreshToken: z.string().optional() });
export type Tokens = z.infer<typeof Tokens>;

type Owner = Pick<NewInstallation, "id" | "isOrgWide">;

export function sealTokens(sealer: Sealer, owner: Owner, tokens: Tokens): string {
  return sealer.seal(JSON.stringify(Tokens.parse(tokens)), boundTo(owner));
}

/** Throws a `SealError` when the key is gone, or the row was made for another workspace. */
export function openTokens(sealer: Sealer, installation: Pick<Installation, "sealedTokens"> & Owner): Tokens {
  return Tokens.parse(JSON.parse(sealer.open(installation.sealedTokens, boundTo(installation))));
}

function boundTo({ id, isOrgWide }: Owner): string[] {
  return ["installation", isOrgWide ? "organization" : "workspace", id];
}
