import { randomBytes } from "node:crypto";
import { oauth } from "../rules/limits.ts";

/** A bot token. With rotation it expires, and its refresh token gets the next one. */
export type Token = { readonly value: string; readonly refresh?: string; readonly expiresMs?: number };

/** The app in one workspace, or in an organization. */
export type Install = {
  /** The id of the workspace (T…) or organization (E…) that installed it. */
  readonly owner: string;
  readonly isOrgWide: boolean;
  /** The user id of the person who installed it last. */
  installer: string;
  scopes: readonly string[];
  /** The workspaces that it works in. One of an organization starts with none, until an admin adds them. */
  readonly teams: Set<string>;
  /** Valid tokens, the newest last. */
  tokens: readonly Token[];
};

/** Why a token isn't valid any more, as Slack's error code. */
export type TokenEnd = "token_revoked" | "account_inactive" | "token_expired";

export type Installs = {
  /** By owner. */
  readonly all: Map<string, Install>;
  /** Tokens that were valid once. */
  readonly ended: Map<string, TokenEnd>;
};

export function createInstalls(): Installs {
  return { all: new Map(), ended: new Map() };
}

/** The installation that works in a workspace: its own, or that of its organization. */
export function installIn(installs: Installs, teamId: string): Install | undefined {
  return installs.all.get(teamId) ?? [...installs.all.values()].find(({ teams }) => teams.has(teamId));
}

/** The installation of a token; otherwise Slack's error code. */
export function installWith(installs: Installs, token: string, nowMs: number): Install | TokenEnd | "invalid_auth" {
  for (const install of installs.all.values()) {
    const found = install.tokens.find(({ value }) => value === token);
    if (found !== undefined) return nowMs >= (found.expiresMs ?? Number.POSITIVE_INFINITY) ? "token_expired" : install;
  }
  return installs.ended.get(token) ?? "invalid_auth";
}

function secret(prefix: string): string {
  return `${prefix}-${randomBytes(18).toString("hex")}`;
}

/** A new token, which expires if the app rotates its tokens. */
export function newToken(rotates: boolean, nowMs: number): Token {
  if (!rotates) return { value: secret("xoxb-local") };
  return {
    value: secret("xoxe.xoxb-1-local"),
    refresh: secret("xoxe-1-local"),
    expiresMs: nowMs + oauth.tokenSeconds.max * 1000,
  };
}

/** Adds a token. The oldest ends when there are more than Slack lets live. */
export function addToken(installs: Installs, install: Install, token: Token): void {
  const all = [...install.tokens, token];
  for (const old of all.slice(0, -oauth.activeTokens.max)) installs.ended.set(old.value, "token_revoked");
  install.tokens = all.slice(-oauth.activeTokens.max);
}

/** Ends all tokens of an installation. */
export function endTokens(installs: Installs, install: Install, why: TokenEnd): void {
  for (const { value } of install.tokens) installs.ended.set(value, why);
  install.tokens = [];
}

/** Trades a refresh token, which works once, for a new pair. Undefined if it isn't valid. */
export function tradeRefreshToken(installs: Installs, refresh: string, nowMs: number): Install | undefined {
  for (const install of installs.all.values()) {
    const spent = install.tokens.find((token) => token.refresh === refresh);
    if (spent === undefined) continue;
    const { value, expiresMs } = spent;
    install.tokens = install.tokens.map((token) =>
      token === spent ? { value, ...(expiresMs !== undefined && { expiresMs }) } : token,
    );
    addToken(installs, install, newToken(true, nowMs));
    return install;
  }
  return undefined;
}
