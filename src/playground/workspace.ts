import type { Channel, State, User } from "./state.ts";

export const team = { id: "T0PLAYGR", name: "Playground", domain: "playground" };
export const bot = { user: "U0BOT", id: "B0BOT", app: "A0GANTRY" };
export const slackbot = "USLACKBOT";

const people: readonly User[] = [
  { id: "U0DANA", name: "dana", realName: "Dana Reyes", role: "developer", isBot: false, isGuest: false },
  { id: "U0ALEX", name: "alex", realName: "Alex Kim", role: "approver", isBot: false, isGuest: false },
  { id: "U0OMAR", name: "omar", realName: "Omar Haddad", role: "on call", isBot: false, isGuest: false },
  { id: "U0GWEN", name: "gwen", realName: "Gwen Moss", role: "guest", isBot: false, isGuest: true },
  { id: slackbot, name: "slackbot", realName: "Slackbot", role: "Slack itself", isBot: false, isGuest: false },
];

const full = ["U0DANA", "U0ALEX", "U0OMAR"];

function channels(): readonly Channel[] {
  return [
    { id: "C0OPS", name: "ops", kind: "public", members: new Set([...full, "U0GWEN", bot.user]) },
    { id: "C0GENERAL", name: "general", kind: "public", members: new Set(full) },
    { id: "C0INCIDENTS", name: "incidents", kind: "private", members: new Set(["U0DANA", "U0ALEX"]) },
  ];
}

/** A fresh workspace: three channels, three people, a guest, one user group, and the bot in #ops. */
export function newState(botName: string): State {
  const robot: User = { id: bot.user, name: botName, realName: botName, role: "app", isBot: true, isGuest: false };
  return {
    users: new Map([...people, robot].map((user) => [user.id, user])),
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
    revision: 0,
  };
}

/** A user by id or name. */
export function findUser(state: State, nameOrId: string): User | undefined {
  const wanted = nameOrId.replace(/^@/, "");
  return state.users.get(wanted) ?? [...state.users.values()].find((user) => user.name === wanted);
}

/** The id of the direct conversation of two users, whether it exists yet or not. */
export function directId(one: string, other: string): string {
  const [first, second] = [one, other].sort();
  return `D${first}${second}`.replaceAll("U0", "0");
}

/** The direct conversation of two users; it exists as soon as somebody looks. */
export function directChannel(state: State, one: string, other: string): Channel {
  const id = directId(one, other);
  const known = state.channels.get(id);
  if (known !== undefined) return known;
  const opened: Channel = { id, name: "directmessage", kind: "im", members: new Set([one, other]) };
  state.channels.set(id, opened);
  return opened;
}

/** A channel by id or name: "ops", "#ops", "C0OPS". */
export function findChannel(state: State, nameOrId: string): Channel | undefined {
  const wanted = nameOrId.replace(/^#/, "");
  const byName = (channel: Channel): boolean => channel.kind !== "im" && channel.name === wanted;
  return state.channels.get(wanted) ?? [...state.channels.values()].find(byName);
}
