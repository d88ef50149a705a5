import type { World } from "../world.ts";
import { revokeTokens, setAccess, uninstallApp } from "./install.ts";
import type { Install } from "./installs.ts";
import { enterprisesOf, type Slack } from "./slack.ts";

/**
 * What admins do with the installed app. Workspaces and organizations by id, name or domain; unknown ones, and those
 * without the app, throw a sentence. Each resolves when the bot has acked the events about it.
 */
export type InstallDesk = {
  readonly uninstall: (owner: string) => Promise<void>;
  /** Ends the bot token. The app stays: its commands still arrive. */
  readonly revokeTokens: (owner: string) => Promise<void>;
  /** Adds an org-wide installation to a workspace of its organization. */
  readonly addTo: (workspace: string) => Promise<void>;
  readonly removeFrom: (workspace: string) => Promise<void>;
  /** The valid tokens, the newest last; [] where the app isn't installed. */
  readonly tokens: (owner: string) => readonly string[];
};

function isNamed(thing: { id: string; name: string; domain?: string }, name: string): boolean {
  return [thing.id, thing.name, thing.domain].includes(name);
}

/** A workspace by id, name or domain. Throws a sentence if there is none. */
export function worldNamed({ worlds }: Slack, name: string): World {
  const world = worlds().find(({ state }) => isNamed(state.team, name));
  if (world !== undefined) return world;
  const known = worlds().map(({ state }) => state.team.domain);
  throw new Error(`There's no workspace "${name}". Workspaces: ${known.join(", ")}.`);
}

function ownerNamed(slack: Slack, name: string): string {
  const org = enterprisesOf(slack).find((each) => isNamed(each, name));
  return org?.id ?? worldNamed(slack, name).state.team.id;
}

function installOfOwner(slack: Slack, name: string): Install {
  const install = slack.installs.all.get(ownerNamed(slack, name));
  if (install === undefined) throw new Error(`The app isn't installed in ${name}.`);
  return install;
}

async function changeAccess(slack: Slack, name: string, isGranted: boolean): Promise<void> {
  const world = worldNamed(slack, name);
  const { team } = world.state;
  if (team.enterprise === undefined) throw new Error(`${team.name} belongs to no organization.`);
  await setAccess(slack, installOfOwner(slack, team.enterprise.id), { world, isGranted });
}

export function createInstallDesk(slack: Slack): InstallDesk {
  return {
    uninstall: async (owner) => uninstallApp(slack, installOfOwner(slack, owner)),
    revokeTokens: async (owner) => revokeTokens(slack, installOfOwner(slack, owner)),
    addTo: (workspace) => changeAccess(slack, workspace, true),
    removeFrom: (workspace) => changeAccess(slack, workspace, false),
    tokens: (owner) => slack.installs.all.get(ownerNamed(slack, owner))?.tokens.map(({ value }) => value) ?? [],
  };
}
