import type { Enterprise } from "../workspace/seeds.ts";
import type { World } from "../world.ts";
import type { Installs } from "./installs.ts";

/** The app's credentials for OAuth, as on its settings page. */
export type OAuthApp = {
  readonly clientId: string;
  readonly clientSecret: string;
  /** Where Slack may send people back to; those that begin with one of these are allowed too. */
  readonly redirectUrls: () => readonly string[];
  /** The address of the app's page for installing it. */
  readonly installUrl: () => string;
  /** Tokens expire, and are traded for new ones. */
  readonly rotates: boolean;
};

/** Given to a browser at the end of an installation, and traded once for a token. */
export type Code = {
  readonly owner: Owner;
  readonly installer: string;
  readonly scopes: readonly string[];
  readonly redirectUri: string;
  readonly madeMs: number;
  isUsed: boolean;
};

/** A workspace, or an organization. */
export type Owner = { readonly world: World } | { readonly enterprise: Enterprise };

/** What the workspaces of a playground share. */
export type Slack = {
  readonly installs: Installs;
  /** Undefined for an app that can't be distributed: it is in one workspace from the start. */
  readonly oauth: OAuthApp | undefined;
  readonly codes: Map<string, Code>;
  /** All workspaces, in the order of their list. There is at least one. */
  readonly worlds: () => readonly [World, ...World[]];
};

/** The workspaces of an organization. */
export function worldsOf({ worlds }: Slack, enterpriseId: string): readonly World[] {
  return worlds().filter(({ state }) => state.team.enterprise?.id === enterpriseId);
}

/** The organizations of this Slack. */
export function enterprisesOf({ worlds }: Slack): readonly Enterprise[] {
  const all = worlds().flatMap(({ state }) => state.team.enterprise ?? []);
  return all.filter(({ id }, index) => all.findIndex((each) => each.id === id) === index);
}
