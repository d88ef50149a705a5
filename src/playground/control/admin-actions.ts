import { z } from "zod";
import type { JsonObject } from "../json.ts";
import { findChannel } from "../workspace/workspace.ts";
import { touch, type World } from "../world.ts";
import { createPeople, type People } from "../people/people.ts";
import { createInstallDesk } from "../installs/install.ts";

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

const person = z.string();
const channel = z.string();

type Change = (people: People, body: unknown) => void;

function change<Shape extends z.ZodRawShape>(
  shape: Shape,
  make: (people: People, asked: z.infer<z.ZodObject<Shape>>) => unknown,
): Change {
  const schema = z.object(shape);
  return (people, body) => void make(people, schema.parse(body));
}

const changes: Readonly<Record<string, Change>> = {
  deactivate: change({ person, signsOut: z.boolean().default(true) }, (people, { person, signsOut }) =>
    people.deactivate(person, { signsOut }),
  ),
  reactivate: change({ person }, (people, { person }) => people.reactivate(person)),
  setAdmin: change({ person, isAdmin: z.boolean() }, (people, { person, isAdmin }) => people.setAdmin(person, isAdmin)),
  setGuest: change({ person, isGuest: z.boolean() }, (people, { person, isGuest }) => people.setGuest(person, isGuest)),
  joinGroup: change({ group: z.string(), person }, (people, { group, person }) => people.joinGroup(group, person)),
  leaveGroup: change({ group: z.string(), person }, (people, { group, person }) => people.leaveGroup(group, person)),
  invite: change({ channel, user: person }, (people, { channel, user }) => people.invite(channel, user)),
  remove: change({ channel, user: person }, (people, { channel, user }) => people.remove(channel, user)),
  addOutsider: change(
    {
      id: z
        .string()
        .regex(/^[UW][A-Z0-9]+$/u)
        .optional(),
      name: z.string().regex(/^[a-z0-9._-]{1,21}$/u),
      realName: z.string().min(1).max(50),
      channel,
    },
    (people, outsider) => people.addOutsider(outsider),
  ),
  archive: change({ channel }, (people, { channel }) => people.archive(channel)),
  unarchive: change({ channel }, (people, { channel }) => people.unarchive(channel)),
  rename: change({ channel, name: z.string().regex(/^[a-z0-9_-]{1,80}$/u) }, (people, { channel, name }) =>
    people.rename(channel, name),
  ),
  setPrivate: change({ channel, isPrivate: z.boolean() }, (people, { channel, isPrivate }) =>
    people.setPrivate(channel, isPrivate),
  ),
  removeMessage: change({ channel, ts: z.string() }, (people, { channel, ts }) => people.removeMessage(channel, ts)),
};

const Named = z.object({ do: z.enum(Object.keys(changes)) });

/**
 * Changes users, groups or channels, for example `{do: "deactivate", person: "alex"}`. Rejects with a sentence for the
 * page.
 */
export async function changeWorkspace(world: World, body: unknown): Promise<JsonObject> {
  changes[Named.parse(body).do]?.(createPeople(world), body);
  return {};
}

const InstallChange = z.object({ do: z.enum(["uninstall", "revokeTokens", "addTo", "removeFrom"]) });

/** What an admin does with the app in their workspace. Resolves when the bot has heard of it. */
export async function changeInstall({ slack, state }: World, body: unknown): Promise<JsonObject> {
  await createInstallDesk(slack)[InstallChange.parse(body).do](state.team.id);
  return {};
}
