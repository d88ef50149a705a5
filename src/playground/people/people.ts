import type { Channel, User } from "../workspace/state.ts";
import { deliverEvent } from "../delivery/deliver.ts";
import { userJson } from "../web-api/methods/directory.ts";
import { memberOf } from "../workspace/seeds.ts";
import { findChannel, findUser, isOutsider, outsider, personNamed } from "../workspace/workspace.ts";
import { unawaited } from "../../platform/waiting.ts";
import { installOf, remove, touch, type World } from "../world.ts";
import { enterChannel } from "./messages.ts";
import { createPerson, type Person } from "./person.ts";

type NewOutsider = {
  readonly id?: string | undefined;
  readonly name: string;
  readonly realName: string;
  /** Their first channel; it becomes a shared channel. */
  readonly channel: string;
  /** The Web API omits their workspace. */
  readonly isTeamHidden?: boolean;
  /** The id of their workspace, if it is one of this playground's. */
  readonly teamId?: string;
};

function channelNamed(world: World, name: string): Channel {
  const channel = findChannel(world.state, name);
  if (channel === undefined || channel.kind === "im") throw new Error(`There is no channel "${name}".`);
  return channel;
}

function userNamed(world: World, name: string): User {
  return findUser(world.state, name) ?? personNamed(world.state, name);
}

function setAccountStatus(
  world: World,
  name: string,
  flags: Partial<Pick<User, "isDeactivated" | "isSignedOut" | "isAdmin" | "isGuest">>,
): void {
  const user = personNamed(world.state, name);
  Object.assign(user, flags);
  touch(world);
  tellOfUser(world, "user_change", user);
}

/**
 * https://docs.slack.dev/reference/events/user_change and https://docs.slack.dev/reference/events/team_join: apps hear of
 * everybody in the workspace, and of people from elsewhere in its shared channels.
 */
function tellOfUser(world: World, type: "user_change" | "team_join", user: User): void {
  if (!world.app.events.includes(type) || installOf(world) === undefined) return;
  const cache = type === "user_change" ? { cache_ts: Math.floor(world.clock.nowMs() / 1000) } : {};
  unawaited(deliverEvent(world, { type, user: userJson(world, user), ...cache, event_ts: world.clock.ts() }));
}

function setGroup(world: World, handle: string, change: { readonly name: string; readonly isIn: boolean }): void {
  const wanted = handle.replace(/^@/, "");
  const group = [...world.state.groups.values()].find((each) => each.handle === wanted || each.id === wanted);
  if (group === undefined) throw new Error(`There is no user group "${handle}".`);
  const { id } = personNamed(world.state, change.name);
  const others = group.users.filter((each) => each !== id);
  const users = change.isIn ? [...others, id] : others;
  // An existing member keeps their position.
  if (!change.isIn || !group.users.includes(id)) world.state.groups.set(group.id, { ...group, users });
  touch(world);
}

function setChannel(
  world: World,
  channelName: string,
  change: Partial<Pick<Channel, "name" | "kind" | "isArchived">>,
): void {
  Object.assign(channelNamed(world, channelName), change);
  touch(world);
}

function newId({ state }: World, prefix: "C" | "U" | "S", name: string): string {
  return `${prefix}0${state.mark}${name.toUpperCase().replaceAll(/[^A-Z0-9]/gu, "")}`;
}

function addGroup(world: World, handle: string, people: readonly string[]): void {
  const id = newId(world, "S", handle);
  const { groups } = world.state;
  if (groups.has(id)) throw new Error(`A user group with the id ${id} exists already.`);
  groups.set(id, { id, handle, name: handle, users: people.map((name) => personNamed(world.state, name).id) });
  touch(world);
}

function addChannel(world: World, name: string, people: readonly string[]): void {
  const id = newId(world, "C", name);
  if (findChannel(world.state, id) !== undefined || findChannel(world.state, name) !== undefined) {
    throw new Error(`There is a channel "${name}" already.`);
  }
  const members = new Set(people.map((each) => userNamed(world, each).id));
  world.state.channels.set(id, { id, name, kind: "public", members, sharedWith: new Set(), isArchived: false });
  touch(world);
}

function addUser(world: World, user: User, channels: readonly string[]): Person {
  for (const channel of channels) channelNamed(world, channel);
  if (findUser(world.state, user.id) !== undefined || findUser(world.state, user.name) !== undefined) {
    throw new Error(`Somebody already has the name "${user.name}" or the id ${user.id}. Invite them instead.`);
  }
  world.state.users.set(user.id, user);
  touch(world);
  for (const channel of channels) enterChannel(world, channelNamed(world, channel), user);
  if (!isOutsider(world.state, user)) tellOfUser(world, "team_join", user);
  return createPerson(world, user.id);
}

function addOutsider(world: World, { channel, name, realName, ...rest }: NewOutsider): Person {
  const { id = newId(world, "U", name), isTeamHidden = false, teamId } = rest;
  const team = teamId === undefined ? undefined : { id: teamId };
  return addUser(world, { ...outsider({ id, name, realName }, team), isTeamHidden }, [channel]);
}

function removeMessage(world: World, channelName: string, ts: string): void {
  const channel = findChannel(world.state, channelName);
  const message = world.state.messages.find((each) => each.channel === channel?.id && each.ts === ts);
  if (message === undefined) throw new Error(`There is no message ${ts} in "${channelName}".`);
  remove(world, message);
}

export type People = ReturnType<typeof createPeople>;

/**
 * An admin's actions while the bot runs. People, channels and groups by name, handle or id; unknown ones throw.
 * Repeating an action changes nothing.
 */
export function createPeople(world: World) {
  return {
    /** `signsOut` false: Slack still accepts their actions, as in the moments after a real deactivation. */
    deactivate: (person: string, { signsOut = true }: { readonly signsOut?: boolean } = {}) =>
      setAccountStatus(world, person, { isDeactivated: true, isSignedOut: signsOut }),
    reactivate: (person: string) => setAccountStatus(world, person, { isDeactivated: false, isSignedOut: false }),
    /** A guest stays in their channels; a full member again with `isGuest` false. */
    setGuest: (person: string, isGuest: boolean) => setAccountStatus(world, person, { isGuest }),
    /** Whether somebody is an admin of their workspace. */
    setAdmin: (person: string, isAdmin: boolean) => setAccountStatus(world, person, { isAdmin }),
    joinGroup: (handle: string, name: string) => setGroup(world, handle, { name, isIn: true }),
    leaveGroup: (handle: string, name: string) => setGroup(world, handle, { name, isIn: false }),
    /** A new user group with these members. */
    addGroup: (handle: string, people: readonly string[]) => addGroup(world, handle, people),
    /** A new public channel with these people; with the bot, if it is named. */
    addChannel: (name: string, people: readonly string[]) => addChannel(world, name, people),
    /** A new full member of the workspace, in these channels. */
    addPerson: (name: string, channels: readonly string[]) =>
      addUser(
        world,
        memberOf(world.state.team, { id: newId(world, "U", name), name, realName: name, role: "member" }),
        channels,
      ),
    /** Also the bot, by name. Somebody of another organization makes it a shared channel. */
    invite: (channel: string, user: string) =>
      enterChannel(world, channelNamed(world, channel), userNamed(world, user)),
    remove(channel: string, user: string) {
      channelNamed(world, channel).members.delete(userNamed(world, user).id);
      touch(world);
    },
    /** Nobody can write or change messages in an archived channel until it is unarchived. */
    archive: (channel: string) => setChannel(world, channel, { isArchived: true }),
    unarchive: (channel: string) => setChannel(world, channel, { isArchived: false }),
    rename(channel: string, name: string) {
      if (findChannel(world.state, name) !== undefined) throw new Error(`There is a channel "${name}" already.`);
      setChannel(world, channel, { name });
    },
    /** Its id stays. */
    setPrivate: (channel: string, isPrivate: boolean) =>
      setChannel(world, channel, { kind: isPrivate ? "private" : "public" }),
    addOutsider: (made: NewOutsider) => addOutsider(world, made),
    /** Deletes anybody's message, as an admin may. */
    removeMessage: (channel: string, ts: string) => removeMessage(world, channel, ts),
  };
}
