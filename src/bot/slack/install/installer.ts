import { newReference } from "../../../platform/log.ts";
import type { IncomingMessage, ServerResponse } from "node:http";
import { type Installation as SlackInstallation, InstallProvider, type InstallationStore } from "@slack/oauth";
import type { Logger } from "pino";
import { type Clock, machineClock } from "../../../platform/clock.ts";
import type { Sealer } from "../../accounts/seal.ts";
import { directNetwork, type Network } from "../../../platform/http/network.ts";
import type { Store } from "../../store/store.ts";
import type { NewInstallation } from "../../workflow/stored.ts";
import { boltLogger } from "../bolt-logger.ts";
import { clientOptions } from "../send/clients.ts";
import type { Route } from "../receive/health-server.ts";
import { type OAuthApp, sealTokens } from "./oauth.ts";
import { installedPage, installPage, notInstalledPage } from "./pages.ts";

export type InstallerParts = {
  readonly app: OAuthApp;
  /** Another base URL than Slack's own Web API, with the slash at its end. */
  readonly apiUrl?: string | undefined;
  readonly network?: Network | undefined;
  readonly store: Pick<Store, "saveInstallation">;
  /** Called after an installation was stored. */
  readonly changed: (installationId: string) => void;
  readonly sealer: Sealer;
  readonly command: string;
  readonly log: Logger;
  readonly clock: Pick<Clock, "now">;
};

const NAME = "Gantry";
const INSTALL = "/slack/install";
const REDIRECT = "/slack/oauth_redirect";
const TIMEOUT_MS = 10_000;

/**
 * Slack's own installer over our store: it makes and checks the state (signed, ten minutes, bound to the browser by a
 * cookie) and exchanges the code. Reading and renewing tokens is ours, because it would renew one in several replicas at
 * once, and doesn't say why a renewal failed.
 */
export function installRoutes(parts: InstallerParts): Route[] {
  const { app, sealer, apiUrl, network = directNetwork } = parts;
  const logger = boltLogger(parts.log);
  const provider = new InstallProvider({
    clientId: app.clientId,
    clientSecret: app.clientSecret,
    // Every replica has the same keys, and so the same secret.
    stateSecret: sealer.fingerprint("oauth state"),
    installationStore: storeOf(parts),
    installUrlOptions: { scopes: [...app.scopes], redirectUri: `${app.url}${REDIRECT}` },
    authorizationUrl: authorizationUrl(apiUrl),
    renderHtmlForInstallPath: (authorizeUrl) => installPage({ name: NAME, authorizeUrl }),
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
        success: (installation) => html(response, 200, successPage(parts, installation)),
        failure: (error) => fail(parts, response, error),
      }),
    ),
  ];
}

/** Beside the Web API: also GovSlack's, and that of a simulated Slack. */
export function authorizationUrl(apiUrl = "https://slack.com/api/"): string {
  return new URL("../oauth/v2/authorize", apiUrl).href;
}

function storeOf({ store, sealer, clock, changed }: InstallerParts): InstallationStore {
  return {
    async storeInstallation(slackInstallation) {
      const installation = installationOf({ sealer, clock }, slackInstallation);
      await store.saveInstallation(installation);
      changed(installation.id);
    },
    fetchInstallation: () => Promise.reject(new Error("tokens are read elsewhere")),
  };
}

/** Throws an `InstallError` for an answer without a bot: the app asks only for one. */
function installationOf(
  { sealer, clock }: Pick<InstallerParts, "clock" | "sealer">,
  installed: SlackInstallation,
): NewInstallation {
  const { bot, team, enterprise, isEnterpriseInstall = false, user } = installed;
  const where = isEnterpriseInstall ? enterprise : team;
  if (bot === undefined || where === undefined) throw new InstallError("Slack's answer names no bot or no workspace.");
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

class InstallError extends Error {
  override readonly name = "InstallError";
}

function successPage(
  { command }: InstallerParts,
  { team, enterprise, appId, isEnterpriseInstall }: SlackInstallation,
): string {
  const where = isEnterpriseInstall === true ? enterprise : team;
  const openUrl =
    team === undefined || appId === undefined
      ? undefined
      : `https://slack.com/app_redirect?app=${encodeURIComponent(appId)}&team=${encodeURIComponent(team.id)}`;
  return installedPage({ name: NAME, where: where?.name ?? where?.id ?? "Slack", command, openUrl });
}

/** By the codes of https://docs.slack.dev/authentication/installing-with-oauth and of the installer. */
const reasons: Readonly<Record<string, string>> = {
  slack_oauth_invalid_state: "This page was opened too late, or in another browser than the one before it.",
  slack_oauth_missing_state: "This page was opened without the one before it.",
  slack_oauth_missing_code: "This page was opened without the one before it.",
  // Slack sends people back with `error=access_denied`.
  slack_oauth_installer_authorization_error: "You didn't allow it in Slack.",
};

function fail({ app, log }: InstallerParts, response: ServerResponse, err: unknown): void {
  const code = err instanceof Error && "code" in err ? String(err.code) : "";
  const known = Object.hasOwn(reasons, code) ? reasons[code] : undefined;
  const reference = known === undefined ? newReference() : undefined;
  if (reference !== undefined) log.error({ err, reference }, "an installation failed");
  if (response.headersSent) return void response.end();
  const why = known ?? "Slack or Gantry couldn't finish it.";
  html(response, 400, notInstalledPage({ name: NAME, why, installUrl: `${app.url}${INSTALL}`, reference }));
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
