import { z } from "zod";
import type { JsonObject } from "../json.ts";
import { findChannel } from "../workspace/workspace.ts";
import { installOf, touch, type World } from "../world.ts";
import { createPeople, type People } from "../people/people.ts";
import { revokeTokens, setAccess, uninstallApp } from "../installs/install.ts";
import type { Install } from "../installs/installs.ts";

const FaultChange = z.object({
  slowMs: z.number().min(0).max(10_000).optional(),
  deliverTwice: z.boolean().optional(),
  signsWrongly: z.boolean().optional(),
  signatureAgeSeconds: z.number().min(0).max(86_400).optional(),
  lateMs: z.number().min(0).max(60_000).optional(),
  retryAfterSeconds: z.number().int().min(1).max(3_600).optional(),
  answers: z
    .enum(["", "429", "500", "503", "cut", "hang", "lost", "garbage", "late", "slow", "blocks", "plans"])
    .optional(),
  /** A method's name, "response_url", "upload", or "all". */
  answersTo: z
    .string()
    .regex(/^[a-zA-Z._]{1,80}$/u)
    .default("all"),
  network: z.enum(["cut", "whole"]).optional(),
  sockets: z.enum(["on", "off", "full", "free", "mute", "greeted", "refresh", "silence", "drop"]).optional(),
  /** A channel's id; everywhere without it. */
  answersIn: z.string().default(""),
  tokenError: z.enum(["", "token_revoked", "invalid_auth", "account_inactive"]).optional(),
  missingScopes: z.array(z.string()).optional(),
  refusesUploads: z.boolean().optional(),
  bot: z.object({ channel: z.string(), isIn: z.boolean() }).optional(),
  extra: z.object({ label: z.string(), on: z.boolean() }).optional(),
  clear: z.boolean().optional(),
});
type FaultChange = z.infer<typeof FaultChange>;

function setBot(world: World, { channel: name, isIn }: NonNullable<FaultChange["bot"]>): void {
  const channel = findChannel(world.state, name);
  if (channel === undefined || channel.kind === "im") throw new Error(`There is no channel "${name}".`);
  if (isIn) channel.members.add(world.state.bot.user);
  else channel.members.delete(world.state.bot.user);
}

function setExtra(world: World, { label, on }: NonNullable<FaultChange["extra"]>): void {
  const extra = world.externalFaults.find((each) => each.label === label);
  if (extra === undefined) throw new Error(`There's no switch "${label}".`);
  extra.set(on);
  if (on) world.externalFaultsOn.add(label);
  else world.externalFaultsOn.delete(label);
}

/** What happens to the app's connections. "silence" and "drop" happen to one of them. */
const socketSwitches: Readonly<Record<NonNullable<FaultChange["sockets"]>, (links: World["links"]) => void>> = {
  on: (links) => links.turnOn(),
  off: (links) => links.turnOff(),
  full: (links) => links.fill(true),
  free: (links) => links.fill(false),
  mute: (links) => links.mute(true),
  greeted: (links) => links.mute(false),
  refresh: (links) => links.refresh(),
  silence: (links) => links.silence(),
  drop: (links) => links.drop(),
};

/** Switches faults on and off. Throws an Error with a sentence for the page. */
export async function switchFaults(world: World, body: unknown): Promise<JsonObject> {
  const {
    answers,
    answersTo,
    answersIn,
    bot: membership,
    extra,
    clear,
    network,
    sockets,
    ...settings
  } = FaultChange.parse(body);
  const { faults } = world;
  if (clear === true) {
    faults.clear();
    // Also those of the API that another workspace's page turned on. The bot's channel memberships stay.
    for (const { label } of world.externalFaults) setExtra(world, { label, on: false });
  }
  Object.assign(faults, settings);
  if (answers !== undefined) for (const { kind } of faults.planned()) faults.answerNormally(kind);
  if (answers !== undefined && answers !== "")
    faults.answer(answersTo, answers, answersIn === "" ? {} : { channel: answersIn });
  if (network === "cut") faults.network.cut();
  if (network === "whole") faults.network.restore();
  if (sockets !== undefined) socketSwitches[sockets](world.links);
  if (membership !== undefined) setBot(world, membership);
  if (extra !== undefined) setExtra(world, extra);
  // The network and what is outside of Slack are the same for all workspaces, whose pages show it too.
  for (const each of world.slack.worlds()) touch(each);
  return {};
}

const Membership = { channel: z.string(), user: z.string() };
const InGroup = { group: z.string(), person: z.string() };

const Change = z.discriminatedUnion("do", [
  z.object({ do: z.literal("deactivate"), person: z.string(), signsOut: z.boolean().default(true) }),
  z.object({ do: z.literal("reactivate"), person: z.string() }),
  z.object({ do: z.literal("setAdmin"), person: z.string(), isAdmin: z.boolean() }),
  z.object({ do: z.literal("setGuest"), person: z.string(), isGuest: z.boolean() }),
  z.object({ do: z.literal("joinGroup"), ...InGroup }),
  z.object({ do: z.literal("leaveGroup"), ...InGroup }),
  z.object({ do: z.literal("invite"), ...Membership }),
  z.object({ do: z.literal("remove"), ...Membership }),
  z.object({
    do: z.literal("addOutsider"),
    id: z
      .string()
      .regex(/^[UW][A-Z0-9]+$/u)
      .optional(),
    name: z.string().regex(/^[a-z0-9._-]{1,21}$/u),
    realName: z.string().min(1).max(50),
    channel: z.string(),
  }),
  z.object({ do: z.literal("archive"), channel: z.string() }),
  z.object({ do: z.literal("unarchive"), channel: z.string() }),
  z.object({ do: z.literal("rename"), channel: z.string(), name: z.string().regex(/^[a-z0-9_-]{1,80}$/u) }),
  z.object({ do: z.literal("setPrivate"), channel: z.string(), isPrivate: z.boolean() }),
  z.object({ do: z.literal("removeMessage"), channel: z.string(), ts: z.string() }),
]);
type Change = z.infer<typeof Change>;

function changePerson(people: People, change: Change): void {
  switch (change.do) {
    case "deactivate":
      return people.deactivate(change.person, { signsOut: change.signsOut });
    case "reactivate":
      return people.reactivate(change.person);
    case "setAdmin":
      return people.setAdmin(change.person, change.isAdmin);
    case "setGuest":
      return people.setGuest(change.person, change.isGuest);
    case "joinGroup":
      return people.joinGroup(change.group, change.person);
    case "leaveGroup":
      return people.leaveGroup(change.group, change.person);
    case "addOutsider":
      return void people.addOutsider(change);
    default:
      return changeChannel(people, change);
  }
}

type InChannel = Extract<Change, { readonly channel: string }>;
type ChannelChange = Exclude<InChannel, { readonly do: "addOutsider" }>;

function changeChannel(people: People, change: ChannelChange): void {
  switch (change.do) {
    case "invite":
      return people.invite(change.channel, change.user);
    case "remove":
      return people.remove(change.channel, change.user);
    case "archive":
      return people.archive(change.channel);
    case "unarchive":
      return people.unarchive(change.channel);
    case "rename":
      return people.rename(change.channel, change.name);
    case "setPrivate":
      return people.setPrivate(change.channel, change.isPrivate);
    case "removeMessage":
      return people.removeMessage(change.channel, change.ts);
  }
}

/**
 * Changes users, groups or channels, for example `{do: "deactivate", person: "alex"}`. Rejects with a sentence for the
 * page.
 */
export async function changeWorkspace(world: World, body: unknown): Promise<JsonObject> {
  changePerson(createPeople(world), Change.parse(body));
  return {};
}

const InstallChange = z.object({ do: z.enum(["uninstall", "revokeTokens", "addTo", "removeFrom"]) });

function installHere(world: World): Install {
  const install = installOf(world);
  if (install === undefined) throw new Error(`${world.app.name} isn't installed in ${world.state.team.name}.`);
  return install;
}

function installOfOrg({ slack, state: { team } }: World): Install {
  const { enterprise } = team;
  if (enterprise === undefined) throw new Error(`${team.name} belongs to no organization.`);
  const install = slack.installs.all.get(enterprise.id);
  if (install === undefined) throw new Error(`${enterprise.name} hasn't installed the app for all of its workspaces.`);
  return install;
}

/** What an admin does with the app in their workspace. Resolves when the bot has heard of it. */
export async function changeInstall(world: World, body: unknown): Promise<JsonObject> {
  const { slack } = world;
  const { do: what } = InstallChange.parse(body);
  if (what === "uninstall") await uninstallApp(slack, installHere(world));
  else if (what === "revokeTokens") await revokeTokens(slack, installHere(world));
  else await setAccess(slack, installOfOrg(world), { world, isGranted: what === "addTo" });
  return {};
}
