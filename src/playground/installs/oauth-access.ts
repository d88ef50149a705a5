import { type JsonObject, textOf } from "../json.ts";
import { oauth as limits } from "../rules/limits.ts";
import { refuse } from "../rules/refusal.ts";
import { appId } from "../workspace/seeds.ts";
import { type OAuthApp, type Slack, touch } from "../world.ts";
import { installApp } from "./install.ts";
import { type Install, tradeRefreshToken } from "./installs.ts";

/** Arguments that Slack's page of the method has; of the newer ones, those the playground can answer. */
const known: ReadonlySet<string> = new Set([
  "client_id",
  "client_secret",
  "code",
  "redirect_uri",
  "grant_type",
  "refresh_token",
]);

type AccessRequest = { readonly authorization: string | null; readonly args: JsonObject };

/** The app's id and secret, by HTTP Basic or as arguments. */
function credentials({ authorization, args }: AccessRequest): readonly [id: string, secret: string] {
  const basic = /^Basic (.+)$/u.exec(authorization ?? "")?.[1];
  if (basic === undefined) return [textOf(args["client_id"]), textOf(args["client_secret"])];
  const [id = "", secret = ""] = Buffer.from(basic, "base64").toString().split(":");
  return [id, secret];
}

/** The app with this id and secret; throws Refused if there is none. */
export function checkClient(slack: Slack, asked: AccessRequest): OAuthApp {
  const [id, secret] = credentials(asked);
  const { oauth } = slack;
  if (oauth === undefined || id !== oauth.clientId) refuse("invalid_client_id", "oauth.client", `no app "${id}"`);
  if (secret !== oauth.clientSecret) refuse("bad_client_secret", "oauth.client", "the secret is another one");
  return oauth;
}

/** Uses up a code: it works once, within ten minutes, with the redirect_uri that it was asked for with. */
function redeem(slack: Slack, args: JsonObject): Install {
  const code = slack.codes.get(textOf(args["code"]));
  const nowMs = slack.worlds()[0].clock.nowMs();
  if (code === undefined) refuse("invalid_code", "oauth.code", "Slack gave out no such code");
  if (code.isUsed) refuse("code_already_used", "oauth.code", "the code was used before");
  if (nowMs - code.madeMs > limits.codeMs.max) refuse("invalid_code", "oauth.code", "the code has expired");
  if (textOf(args["redirect_uri"]) !== code.redirectUri) {
    refuse("bad_redirect_uri", "oauth.redirect", "the code was asked for with another redirect_uri");
  }
  code.isUsed = true;
  return installApp(slack, code);
}

function renew(slack: Slack, oauth: OAuthApp, args: JsonObject): Install {
  const nowMs = slack.worlds()[0].clock.nowMs();
  const install = oauth.rotates ? tradeRefreshToken(slack.installs, textOf(args["refresh_token"]), nowMs) : undefined;
  for (const world of slack.worlds()) touch(world);
  return install ?? refuse("invalid_refresh_token", "oauth.refresh", "no such refresh token, or it was used before");
}

function ownerFields({ worlds }: Slack, { owner, isOrgWide }: Install): JsonObject {
  const found = worlds().find(({ state: { team } }) => team.id === owner || team.enterprise?.id === owner);
  const { team } = (found ?? worlds()[0]).state;
  return {
    team: isOrgWide ? null : { id: team.id, name: team.name },
    enterprise: team.enterprise === undefined ? null : { ...team.enterprise },
    bot_user_id: (found ?? worlds()[0]).state.bot.user,
    is_enterprise_install: isOrgWide,
  };
}

/** https://docs.slack.dev/reference/methods/oauth.v2.access. Throws Refused. */
export function oauthAccess(slack: Slack, asked: AccessRequest): JsonObject {
  const { args } = asked;
  const unknown = Object.keys(args).find((name) => !known.has(name));
  if (unknown !== undefined) refuse("invalid_arguments", "method.arguments", `invalid additional property: ${unknown}`);
  const oauth = checkClient(slack, asked);
  const grant = textOf(args["grant_type"]) || "authorization_code";
  if (grant !== "authorization_code" && grant !== "refresh_token") {
    refuse("invalid_grant_type", "method.arguments", `no grant_type "${grant}"`);
  }
  const isRenewal = grant === "refresh_token";
  const install = isRenewal ? renew(slack, oauth, args) : redeem(slack, args);
  const token = install.tokens.at(-1);
  return {
    app_id: appId,
    ...(isRenewal ? {} : { authed_user: { id: install.installer } }),
    scope: install.scopes.join(","),
    token_type: "bot",
    access_token: token?.value ?? "",
    ...ownerFields(slack, install),
    ...(token?.refresh === undefined ? {} : { refresh_token: token.refresh, expires_in: limits.tokenSeconds.max }),
  };
}
