import { newReference } from "../../../platform/log.ts";
import type { IncomingMessage, ServerResponse } from "node:http";
import { type Installation as SlackInstallation, InstallProvider, type InstallationStore } from "@slack/oauth";
import type { Logger } from "pino";
import { type Clock, machineClock } from "../../../platform/clock.ts";
import type { Sealer } from "../../accounts/seal.ts";
import { directNetwork } from "../../../platform/http/network.ts";
import type { Store } from "../../store/store.ts";
import type { NewInstallation } from "../../workflow/stored.ts";
import { boltLogger } from "../bolt-logger.ts";
import { clientOptions, type SlackPlace } from "../send/clients.ts";
import type { Route } from "../receive/health-server.ts";
import { type OAuthApp, sealTokens } from "./oauth.ts";

type InstallerParts = SlackPlace & {
  readonly app: OAuthApp;
  readonly store: Pick<Store, "saveInstallation">;
  /** Called after an installation was stored. */
  readonly changed: (installationId: string) => void;
  readonly sealer: Sealer;
  readonly command: string;
  readonly log: Logger;
  readonly clock: Pick<Clock, "now">;
};

const INSTALL = "/slack/install";
const REDIRECT = "/slack/oauth_redirect";
const TIMEOUT_MS = 10_000;

/**
 * Slack's own installer over our store: it makes and checks the state (signed, ten minutes, bound to the browser by a
 * cookie) and exchanges the code. Reading and renewing tokens is ours, because it would renew one in several replicas at
 * once, and doesn't say why a renewal failed.
 */
export function installRoutes(parts: InstallerParts): Route[] {
  const { app, sealer, apiUrl = "https://slack.com/api/", network = directNetwork } = parts;
  const logger = boltLogger(parts.log);
  const provider = new InstallProvider({
    clientId: app.clientId,
    clientSecret: app.clientSecret,
    // Every replica has the same keys, and so the same secret.
    stateSecret: sealer.fingerprint("oauth state"),
    installationStore: storeOf(parts),
    installUrlOptions: { scopes: [...app.scopes], redirectUri: `${app.url}${REDIRECT}` },
    // On the Web API's host, so that GovSlack and a simulated Slack have their own.
    authorizationUrl: new URL("../oauth/v2/authorize", apiUrl).href,
    renderHtmlForInstallPath: installPage,
    logger,
    clientOptions: clientOptions({ apiUrl }, { fetch: network.fetch, logger, timeout: TIMEOUT_MS }),
  });
  const route = (
    path: string,
    handle: (request: IncomingMessage, response: ServerResponse) => Promise<void>,
  ): Route => ({
    path,
    method: ["GET"],
    async handler(request, response) {
      await handle(request, response).catch((err: unknown) => fail(parts, response, err));
    },
  });
  return [
    route(INSTALL, (request, response) => provider.handleInstallPath(request, response)),
    route(REDIRECT, (request, response) =>
      provider.handleCallback(request, response, {
        success: (installation) => html(response, 200, installedPage(parts, installation)),
        failure: (error) => fail(parts, response, error),
      }),
    ),
  ];
}

function storeOf(parts: InstallerParts): InstallationStore {
  return {
    async storeInstallation(installed) {
      const installation = installationOf(parts, installed);
      await parts.store.saveInstallation(installation);
      parts.changed(installation.id);
    },
    fetchInstallation: () => Promise.reject(new Error("tokens are read elsewhere")),
  };
}

/** Throws for an answer without a bot: the app asks only for one. */
function installationOf(
  { sealer, clock }: Pick<InstallerParts, "clock" | "sealer">,
  installed: SlackInstallation,
): NewInstallation {
  const { bot, team, enterprise, isEnterpriseInstall = false, user } = installed;
  const where = isEnterpriseInstall ? enterprise : team;
  if (bot === undefined || where === undefined) throw new Error("Slack's answer names no bot or no workspace.");
  const owner = { id: where.id, isOrgWide: isEnterpriseInstall };
  const { token: botToken, refreshToken, expiresAt, scopes, userId } = bot;
  return {
    ...owner,
    enterpriseId: enterprise?.id,
    name: where.name ?? where.id,
    appId: installed.appId ?? "",
    botUserId: userId,
    scopes,
    sealedTokens: sealTokens(sealer, owner, { botToken, ...(refreshToken !== undefined && { refreshToken }) }),
    expiresAt: expiresAt === undefined ? undefined : new Date(clock.now().getTime() + leftMs(expiresAt)),
    installedBy: user.id,
  };
}

/** The library adds what Slack says to this machine's time. */
function leftMs(expiresAtSeconds: number): number {
  return expiresAtSeconds * 1_000 - machineClock.now().getTime();
}

function installPage(authorizeUrl: string): string {
  return page("Install Gantry", [
    "<p>Gantry runs your team's container workloads from Slack. Slack asks which workspace, and shows what Gantry may do there.</p>",
    button("Add to Slack", authorizeUrl),
  ]);
}

function installedPage(
  { command }: InstallerParts,
  { team, enterprise, appId, isEnterpriseInstall }: SlackInstallation,
): string {
  const where = isEnterpriseInstall === true ? enterprise : team;
  const next = `<p>Next, a workspace admin types <code>${escaped(command)} connect workspace</code> in Slack and enters the account that Gantry uses in the workload API. Everybody can also connect their own with <code>${escaped(command)} connect</code>.</p>`;
  const title = `Gantry is installed in ${where?.name ?? where?.id ?? "Slack"}`;
  // A whole organization has no workspace to open.
  if (team === undefined || appId === undefined) return page(title, [next]);
  const openUrl = `https://slack.com/app_redirect?app=${encodeURIComponent(appId)}&team=${encodeURIComponent(team.id)}`;
  return page(title, [next, button("Open Slack", openUrl)]);
}

/** By the codes of https://docs.slack.dev/authentication/installing-with-oauth and of the installer. */
const reasons: Readonly<Record<string, string>> = {
  slack_oauth_invalid_state: "This page was opened too late, or in another browser than the one before it.",
  slack_oauth_missing_state: "This page was opened without the one before it.",
  slack_oauth_missing_code: "This page was opened without the one before it.",
  // Slack sends people back with `error=access_denied`.
  slack_oauth_installer_authorization_error: "You didn't allow it in Slack.",
};

/** Says why, or gives the reference under which the cause is in the log. */
function fail({ app, log }: InstallerParts, response: ServerResponse, err: unknown): void {
  const code = err instanceof Error && "code" in err ? String(err.code) : "";
  const known = Object.hasOwn(reasons, code) ? reasons[code] : undefined;
  const reference = newReference();
  if (known === undefined) log.error({ err, reference }, "an installation failed");
  if (response.headersSent) return void response.end();
  const why = known ?? "Slack or Gantry couldn't finish it.";
  const found = known === undefined ? ` Reference <code>${reference}</code>` : "";
  const body = [`<p>${escaped(why)} Nothing was changed.${found}</p>`, button("Try again", `${app.url}${INSTALL}`)];
  html(response, 400, page("Gantry wasn't installed", body));
}

function html(response: ServerResponse, status: number, body: string): void {
  response.writeHead(status, {
    "content-type": "text/html; charset=utf-8",
    "cache-control": "no-store",
    "content-security-policy": "default-src 'none'; style-src 'unsafe-inline'",
    "x-frame-options": "DENY",
  });
  response.end(body);
}

function button(label: string, url: string): string {
  return `<p><a class="button" href="${escaped(url)}">${label}</a></p>`;
}

const STYLE = `body{font:16px/1.5 system-ui,sans-serif;margin:15vh auto;max-width:34rem;padding:0 1.5rem;color:#1d1c1d;background:#fff}
h1{font-size:1.5rem}code{background:#f1f1f1;border-radius:4px;padding:.1em .3em}
.button{display:inline-block;background:#1d3557;color:#fff;padding:.6em 1.2em;border-radius:6px;text-decoration:none}
@media(prefers-color-scheme:dark){body{background:#1a1d21;color:#e8e8e8}code{background:#2c2f33}.button{background:#8ecae6;color:#102030}}`;

function page(title: string, body: readonly string[]): string {
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${escaped(title)}</title><style>${STYLE}</style></head>
<body><h1>${escaped(title)}</h1>
${body.join("\n")}
</body></html>
`;
}

const entities: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

function escaped(text: string): string {
  return text.replaceAll(/[&<>"']/gu, (character) => entities[character] ?? character);
}
