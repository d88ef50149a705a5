import { deliverEvent } from "../delivery/deliver.ts";
import type { JsonObject } from "../json.ts";
import { refuse } from "../rules/rules.ts";
import { memberOf } from "../workspace/seeds.ts";
import { type Code, enterprisesOf, type Slack, touch, type World, worldsOf } from "../world.ts";
import { addToken, endTokens, type Install, installIn, newToken } from "./installs.ts";

/** The bot user of a workspace comes with the first installation, and comes back with the next; it joins no channel. */
export function wakeBot(world: World): void {
  const { users, bot, team } = world.state;
  const name = world.app.botDisplayName;
  const known = users.get(bot.user);
  if (known === undefined) {
    users.set(bot.user, { ...memberOf(team, { id: bot.user, name, realName: name, role: "app" }), isBot: true });
  } else known.isDeactivated = false;
  touch(world);
}

/** After the app has gone, its bot user is deactivated, in no channel, and its Home and forms are closed. */
function retireBot(world: World): void {
  const { users, bot, channels, homes, modals } = world.state;
  const known = users.get(bot.user);
  if (known !== undefined) known.isDeactivated = true;
  for (const { kind, members } of channels.values()) if (kind !== "im") members.delete(bot.user);
  homes.clear();
  modals.clear();
  touch(world);
}

/** Installs the app, or once more: scopes add up, and without rotation the token stays the same. Throws Refused. */
export function installApp(slack: Slack, code: Code): Install {
  const { owner, installer, scopes } = code;
  const org = "world" in owner ? owner.world.state.team.enterprise : undefined;
  if (org !== undefined && slack.installs.all.has(org.id)) {
    const message = `${org.name} has installed the app for all of its workspaces`;
    refuse("cannot_install_an_org_installed_app", "oauth.org", message);
  }
  const id = "world" in owner ? owner.world.state.team.id : owner.enterprise.id;
  const isOrgWide = !("world" in owner);
  const teams = new Set(isOrgWide ? [] : [id]);
  const install: Install = slack.installs.all.get(id) ?? {
    owner: id,
    isOrgWide,
    installer,
    scopes,
    teams,
    tokens: [],
  };
  install.installer = installer;
  install.scopes = [...new Set([...install.scopes, ...scopes])];
  slack.installs.all.set(id, install);
  const rotates = slack.oauth?.rotates === true;
  if (rotates || install.tokens.length === 0) {
    addToken(slack.installs, install, newToken(rotates, slack.worlds()[0].clock.nowMs()));
  }
  if ("world" in owner) wakeBot(owner.world);
  else for (const world of worldsOf(slack, id)) touch(world);
  return install;
}

function worldsWith({ worlds }: Slack, { teams }: Install): readonly World[] {
  return worlds().filter(({ state }) => teams.has(state.team.id));
}

/** One event for an installation, through one of its workspaces. An app gets what it subscribed to. */
async function sendEvent(slack: Slack, install: Install, event: JsonObject & { readonly type: string }): Promise<void> {
  const [world] = [...worldsWith(slack, install), ...worldsOf(slack, install.owner)];
  if (world?.app.events.includes(event.type) !== true) return;
  await deliverEvent(world, event, install);
}

function tokensRevoked(slack: Slack, install: Install): JsonObject & { readonly type: string } {
  const [world = slack.worlds()[0]] = [...worldsWith(slack, install), ...worldsOf(slack, install.owner)];
  return { type: "tokens_revoked", tokens: { oauth: [], bot: [world.state.bot.user] } };
}

/**
 * Ends the tokens, and nothing else: commands still arrive, of which Slack's page says nothing
 * (https://docs.slack.dev/reference/events/tokens_revoked). Resolves when the bot has acked the event.
 */
async function revokeTokens(slack: Slack, install: Install): Promise<void> {
  endTokens(slack.installs, install, "token_revoked");
  for (const world of worldsWith(slack, install)) touch(world);
  await sendEvent(slack, install, tokensRevoked(slack, install));
}

/**
 * Removes the app. Its tokens end first; the two events about it come at once, in any order:
 * https://docs.slack.dev/reference/events/app_uninstalled
 */
async function uninstallApp(slack: Slack, install: Install): Promise<void> {
  const gone = { ...install, teams: new Set(install.teams) };
  const worlds = worldsWith(slack, install);
  endTokens(slack.installs, install, "account_inactive");
  slack.installs.all.delete(install.owner);
  for (const world of worlds) retireBot(world);
  await Promise.all([
    sendEvent(slack, gone, tokensRevoked(slack, gone)),
    sendEvent(slack, gone, { type: "app_uninstalled" }),
  ]);
}

/**
 * An admin of an organization adds its installation to a workspace, or removes it there:
 * https://docs.slack.dev/reference/events/team_access_granted
 */
async function setAccess(
  slack: Slack,
  install: Install,
  { world, isGranted }: { readonly world: World; readonly isGranted: boolean },
): Promise<void> {
  const { id } = world.state.team;
  const own = isGranted ? slack.installs.all.get(id) : undefined;
  // The organization's installation takes the place of the workspace's own.
  if (own !== undefined) await uninstallApp(slack, own);
  if (isGranted) install.teams.add(id);
  else install.teams.delete(id);
  if (isGranted) wakeBot(world);
  else retireBot(world);
  const type = isGranted ? "team_access_granted" : "team_access_revoked";
  await sendEvent(slack, install, { type, team_ids: [id], event_ts: world.clock.ts() });
}

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

function ownerNamed(slack: Slack, name: string): { readonly id: string; readonly name: string } {
  return enterprisesOf(slack).find((each) => isNamed(each, name)) ?? worldNamed(slack, name).state.team;
}

/** A workspace may have that of its organization. */
function installOfOwner(slack: Slack, named: string): Install {
  const { id, name } = ownerNamed(slack, named);
  const install = installIn(slack.installs, id);
  if (install === undefined) throw new Error(`${slack.worlds()[0].app.name} isn't installed in ${name}.`);
  return install;
}

async function changeAccess(slack: Slack, name: string, isGranted: boolean): Promise<void> {
  const world = worldNamed(slack, name);
  const { team } = world.state;
  if (team.enterprise === undefined) throw new Error(`${team.name} belongs to no organization.`);
  await setAccess(slack, installOfOwner(slack, team.enterprise.id), { world, isGranted });
}

/**
 * What admins do with the installed app. Workspaces and organizations by id, name or domain; unknown ones, and those
 * without the app, throw a sentence. Each resolves when the bot has acked the events about it.
 */
export function createInstallDesk(slack: Slack) {
  return {
    uninstall: async (owner: string) => uninstallApp(slack, installOfOwner(slack, owner)),
    /** Ends the bot token. The app stays: its commands still arrive. */
    revokeTokens: async (owner: string) => revokeTokens(slack, installOfOwner(slack, owner)),
    /** Adds an org-wide installation to a workspace of its organization. */
    addTo: (workspace: string) => changeAccess(slack, workspace, true),
    removeFrom: (workspace: string) => changeAccess(slack, workspace, false),
    /** The valid tokens, the newest last; [] where the app isn't installed. */
    tokens: (owner: string) =>
      slack.installs.all.get(ownerNamed(slack, owner).id)?.tokens.map(({ value }) => value) ?? [],
  };
}
