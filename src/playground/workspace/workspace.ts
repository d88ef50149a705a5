import { elsewhere, memberOf, seeds, slackbot } from "./seeds.ts";
import type { Channel, State, Team, User } from "./state.ts";

/** Throws a sentence if the person was deactivated and signed out. */
export function checkSignedIn(user: User): void {
  if (!user.isSignedOut) return;
  throw new Error(`${user.realName} is deactivated. Reactivate them under Trouble, or switch to somebody else.`);
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

export function isOutsider(state: State, user: User): boolean {
  return user.teamId !== state.team.id;
}

/** A person of another organization; they join shared channels only. */
export function outsider(named: Pick<User, "id" | "name" | "realName">, team: Pick<Team, "id"> = elsewhere): User {
  return memberOf(team, { ...named, role: "external" });
}

/** The workspace a user belongs to. */
export function teamOf(state: State, user: User): Team {
  if (!isOutsider(state, user)) return state.team;
  return seeds.map(({ team }) => team).find(({ id }) => id === user.teamId) ?? elsewhere;
}

/** Adds a person to a channel; people of another organization make it a shared one. */
export function addMember(state: State, channel: Channel, user: User): void {
  channel.members.add(user.id);
  if (isOutsider(state, user)) channel.sharedWith.add(user.teamId);
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
  const members = new Set([one, other]);
  const opened: Channel = { id, name: "directmessage", kind: "im", members, sharedWith: new Set(), isArchived: false };
  state.channels.set(id, opened);
  return opened;
}

/** A channel by id or name: "ops", "#ops", "C0OPS". */
export function findChannel(state: State, nameOrId: string): Channel | undefined {
  const wanted = nameOrId.replace(/^#/, "");
  const byName = (channel: Channel): boolean => channel.kind !== "im" && channel.name === wanted;
  return state.channels.get(wanted) ?? [...state.channels.values()].find(byName);
}
