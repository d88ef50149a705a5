import { type Context, Hono } from "hono";
import { html } from "hono/html";
import type { HtmlEscapedString } from "hono/utils/html";
import { type Code, enterprisesOf, type OAuthApp, type Owner, type Slack, touch, type World } from "../world.ts";
import { newId, peopleOf, personNamed } from "../workspace/workspace.ts";
import { type JsonObject, textOf } from "../json.ts";
import { oauth as limits } from "../rules/limits.ts";
import { refuse } from "../rules/rules.ts";
import { appId } from "../workspace/seeds.ts";
import { installApp } from "./install.ts";
import { type Install, tradeRefreshToken } from "./installs.ts";

// https://docs.slack.dev/authentication/installing-with-oauth: a person chooses a workspace and allows the app its
// scopes; their browser goes back to the app with a code.

type Page = HtmlEscapedString | Promise<HtmlEscapedString>;

/** The request as the app's link has it. */
type InstallLink = {
  readonly oauth: OAuthApp;
  readonly scopes: readonly string[];
  readonly redirectUri: string;
  /** False if the link has none, so that the first of the app's addresses is taken. */
  readonly isNamed: boolean;
  readonly state: string;
  readonly team: string;
};

/** Begins with one of the app's addresses, at a border of its path. */
function isAllowed(uri: string, { redirectUrls }: OAuthApp): boolean {
  return redirectUrls().some(
    (url) => uri === url || uri.startsWith(`${url.replace(/\/$/u, "")}/`) || uri.startsWith(`${url}?`),
  );
}

function readLink(slack: Slack, params: URLSearchParams): InstallLink | string {
  const { oauth } = slack;
  if (oauth === undefined || params.get("client_id") !== oauth.clientId)
    return "invalid_client_id: no app has this client_id.";
  const scopes = (params.get("scope") ?? "").split(/[,\s]+/u).filter((scope) => scope !== "");
  if (scopes.length === 0) return "no_scopes: the link asks for no scope.";
  const [world] = slack.worlds();
  const unknown = scopes.find((scope) => !world.app.scopes.includes(scope));
  if (unknown !== undefined) return `invalid_scope: the app's manifest doesn't have ${unknown}.`;
  const named = params.get("redirect_uri");
  const redirectUri = named ?? oauth.redirectUrls()[0] ?? "";
  if (!isAllowed(redirectUri, oauth)) return "bad_redirect_uri: the app's manifest doesn't have this redirect_uri.";
  const [state, team] = [params.get("state") ?? "", params.get("team") ?? ""];
  return { oauth, scopes, redirectUri, isNamed: named !== null, state, team };
}

/** Slack's pages have the style of no one here: this one is plain. */
function document(body: Page): Page {
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width" />
        <title>Install the app · Playground</title>
        <link rel="icon" href="/page/icon.svg" />
        <link rel="stylesheet" href="/page/theme.css" />
      </head>
      <body class="install">
        ${body}
      </body>
    </html>`;
}

function form(slack: Slack, { scopes, team }: InstallLink): Page {
  const [{ app }] = slack.worlds();
  const owners = [
    ...slack.worlds().map(({ state }) => ({ id: state.team.id, name: state.team.name })),
    ...enterprisesOf(slack).map(({ id, name }) => ({ id, name: `${name} (all of its workspaces)` })),
  ];
  const options = owners.map(
    ({ id, name }) => html`<option value="${id}" ${id === team ? "selected" : ""}>${name}</option>`,
  );
  const people = slack
    .worlds()
    .map(
      ({ state }) =>
        html`<optgroup label="${state.team.name}">
          ${peopleOf(state).map((user) => html`<option value="${user.id}">${user.realName}</option>`)}
        </optgroup>`,
    );
  return html`<main>
    <h1>Install ${app.name}</h1>
    <p>It asks for these scopes: ${scopes.map((scope) => html`<code>${scope}</code> `)}</p>
    <form method="post">
      <label
        >Workspace
        <select name="owner">
          ${options}
        </select></label
      >
      <label
        >You are
        <select name="as">
          ${people}
        </select></label
      >
      <div class="buttons">
        <button name="answer" value="allow">Allow</button>
        <button name="answer" value="cancel">Cancel</button>
      </div>
    </form>
  </main>`;
}

function backTo({ redirectUri, state }: InstallLink, result: Readonly<Record<string, string>>): string {
  const url = new URL(redirectUri);
  for (const [name, value] of Object.entries({ ...result, state })) url.searchParams.set(name, value);
  return url.href;
}

/** The workspace or organization with an id, and the person of it who installs. Throws a sentence. */
function chosenOwner(slack: Slack, owner: string, as: string): { readonly owner: Owner; readonly installer: string } {
  const worlds: readonly World[] = slack
    .worlds()
    .filter(({ state: { team } }) => team.id === owner || team.enterprise?.id === owner);
  const world = worlds.find(({ state }) => peopleOf(state).some(({ id }) => id === as));
  if (world === undefined) throw new Error("This person isn't in that workspace. Go back and choose somebody who is.");
  const user = personNamed(world.state, as);
  if (user.isGuest) throw new Error("Guests can't install apps.");
  const enterprise = enterprisesOf(slack).find(({ id }) => id === owner);
  return { owner: enterprise === undefined ? { world } : { enterprise }, installer: user.id };
}

function newCode(slack: Slack, asked: InstallLink, who: Pick<Code, "owner" | "installer">): string {
  const code = newId("code-");
  const madeMs = slack.worlds()[0].clock.nowMs();
  const redirectUri = asked.isNamed ? asked.redirectUri : "";
  slack.codes.set(code, { ...who, scopes: asked.scopes, redirectUri, madeMs, isUsed: false });
  return code;
}

async function answer(slack: Slack, asked: InstallLink, context: Context): Promise<Response> {
  const form = new URLSearchParams(await context.req.text());
  if (form.get("answer") !== "allow") return context.redirect(backTo(asked, { error: "access_denied" }));
  try {
    const who = chosenOwner(slack, form.get("owner") ?? "", form.get("as") ?? "");
    return context.redirect(backTo(asked, { code: newCode(slack, asked, who) }));
  } catch (error) {
    return refusal(context, error instanceof Error ? error.message : String(error));
  }
}

function refusal(context: Context, sentence: string): Response | Promise<Response> {
  return context.html(
    document(
      html`<main>
        <h1>Something's not right</h1>
        <p>${sentence}</p>
      </main>`,
    ),
    400,
  );
}

/** Slack's page for installing the app, at its address under slack.com: /oauth/v2/authorize. */
export function authorizeRoutes(slack: Slack): Hono {
  const routes = new Hono();
  routes.on(["GET", "POST"], "/oauth/v2/authorize", (context) => {
    const asked = readLink(slack, new URL(context.req.url).searchParams);
    if (typeof asked === "string") return refusal(context, asked);
    return context.req.method === "POST" ? answer(slack, asked, context) : context.html(document(form(slack, asked)));
  });
  return routes;
}

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
function checkClient(slack: Slack, asked: AccessRequest): OAuthApp {
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
