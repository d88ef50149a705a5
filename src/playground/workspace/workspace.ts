import type { Channel, State, User } from "./state.ts";

/** Throws a sentence if the person was deactivated and signed out. */
export function checkSignedIn(user: User): void {
  if (!user.isSignedOut) return;
  throw new Error(`${user.realName} is deactivated. Reactivate them under Trouble, or switch to somebody else.`);
}

export const team = { id: "T0PLAYGR", name: "Playground", domain: "playground" };
/** The workspace of people of another organisation. */
const otherTeam = { id: "T0ELSEWHERE", name: "Elsewhere", domain: "elsewhere" };
export const bot = { user: "U0BOT", id: "B0BOT", app: "A0GANTRY" };
export const slackbot = "USLACKBOT";

type Named = Pick<User, "id" | "name" | "realName" | "role">;

/** A full member of this workspace. */
export function member(named: Named): User {
  const flags = { isBot: false, isGuest: false, isDeactivated: false, isSignedOut: false };
  return { ...named, ...flags, teamId: team.id, isTeamHidden: false };
}

/** A person of another organisation; they join shared channels only. */
export function outsider(named: Omit<Named, "role">): User {
  return { ...member({ ...named, role: "external" }), teamId: otherTeam.id };
}

function people(): readonly User[] {
  return [
    member({ id: "U0DANA", name: "dana", realName: "Dana Reyes", role: "developer" }),
    member({ id: "U0ALEX", name: "alex", realName: "Alex Kim", role: "approver" }),
    member({ id: "U0OMAR", name: "omar", realName: "Omar Haddad", role: "on call" }),
    { ...member({ id: "U0GWEN", name: "gwen", realName: "Gwen Moss", role: "guest" }), isGuest: true },
    member({ id: slackbot, name: "slackbot", realName: "Slackbot", role: "Slack itself" }),
  ];
}

const full = ["U0DANA", "U0ALEX", "U0OMAR"];

function membersOnly(ids: readonly string[]): Pick<Channel, "members" | "sharedWith" | "isArchived"> {
  return { members: new Set(ids), sharedWith: new Set(), isArchived: false };
}

function channels(): readonly Channel[] {
  return [
    { id: "C0OPS", name: "ops", kind: "public", ...membersOnly([...full, "U0GWEN", bot.user]) },
    { id: "C0GENERAL", name: "general", kind: "public", ...membersOnly(full) },
    { id: "C0INCIDENTS", name: "incidents", kind: "private", ...membersOnly(["U0DANA", "U0ALEX"]) },
  ];
}

/** A new workspace: three channels, three people, a guest, one user group, and the bot in #ops. */
export function newState(botName: string): State {
  const robot: User = { ...member({ id: bot.user, name: botName, realName: botName, role: "app" }), isBot: true };
  return {
    users: new Map([...people(), robot].map((user) => [user.id, user])),
    channels: new Map(channels().map((channel) => [channel.id, channel])),
    groups: new Map([["S0ONCALL", { id: "S0ONCALL", handle: "oncall", name: "On call", users: ["U0OMAR", "U0ALEX"] }]]),
    messages: [],
    deletions: [],
    files: new Map(),
    uploads: new Map(),
    modals: new Map(),
    homes: new Map(),
    triggers: new Map(),
    responseUrls: new Map(),
    streams: new Map(),
    reads: new Map(),
    sessions: new Map(),
    revision: 0,
  };
}

/** A user by id or name. */
export function findUser(state: State, nameOrId: string): User | undefined {
  const wanted = nameOrId.replace(/^@/, "");
  return state.users.get(wanted) ?? [...state.users.values()].find((user) => user.name === wanted);
}

/** The people one can act as. */
export function peopleOf(state: State): readonly User[] {
  return [...state.users.values()].filter((user) => !user.isBot && user.id !== slackbot);
}

/** A person by id or name; throws a sentence if there is none. */
export function personNamed(state: State, nameOrId: string): User {
  const user = findUser(state, nameOrId);
  const all = peopleOf(state);
  if (user !== undefined && all.includes(user)) return user;
  const names = new Intl.ListFormat("en-GB").format(all.map(({ name }) => name));
  throw new Error(`There's no person "${nameOrId}". People here: ${names}.`);
}

export function isOutsider(user: User): boolean {
  return user.teamId !== team.id;
}

/** The workspace a user belongs to. */
export function teamOf(user: User): typeof team {
  return isOutsider(user) ? otherTeam : team;
}

/** Adds a person to a channel; people of another organisation make it a shared one. */
export function addMember(channel: Channel, user: User): void {
  channel.members.add(user.id);
  if (isOutsider(user)) channel.sharedWith.add(user.teamId);
}

/** The id of the direct conversation of two users, even before it exists. */
export function directId(one: string, other: string): string {
  const [first, second] = [one, other].sort();
  return `D${first}${second}`.replaceAll("U0", "0");
}

/** The direct conversation of two users, created on first use. */
export function directChannel(state: State, one: string, other: string): Channel {
  const id = directId(one, other);
  const known = state.channels.get(id);
  if (known !== undefined) return known;
  const opened: Channel = { id, name: "directmessage", kind: "im", ...membersOnly([one, other]) };
  state.channels.set(id, opened);
  return opened;
}

/** A channel by id or name: "ops", "#ops", "C0OPS". */
export function findChannel(state: State, nameOrId: string): Channel | undefined {
  const wanted = nameOrId.replace(/^#/, "");
  const byName = (channel: Channel): boolean => channel.kind !== "im" && channel.name === wanted;
  return state.channels.get(wanted) ?? [...state.channels.values()].find(byName);
}
