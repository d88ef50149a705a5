import { elsewhere, memberOf, seeds, slackbot } from "./seeds.ts";
import type { Channel, State, Team, User } from "./state.ts";
import { randomBytes } from "node:crypto";
import { isList, isObject, type Json, type JsonObject, textOf } from "../json.ts";

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

/** Text as Slack stores it, with & < > as entities. https://docs.slack.dev/messaging/formatting-message-text */
export function escapeText(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}

// The usual top-level domains; Slack's list is longer.
const endings = "com|org|net|io|dev|app|co|ai|cloud|edu|gov|info|de|eu|uk";
const address = /(?<=^|[\s("'=])https?:\/\/[^\s<>|"']+/gi;
const host = new RegExp(
  `(?<=^|[\\s("'])(?:[a-z0-9-]+\\.)+(?:${endings})(?::\\d+)?(?:/[^\\s<>|"']*)?(?=$|[\\s,;!?)"'])`,
  "gi",
);

/**
 * A command's text under should_escape ("Escape channels, users, and links"): @dana becomes <@U…|dana>, #ops becomes
 * <#C…|ops>, web.dev becomes <http://web.dev|web.dev>. Unknown names stay as typed.
 * https://docs.slack.dev/interactivity/implementing-slash-commands
 */
export function escapeNames(state: State, text: string): string {
  const linked = escapeText(text)
    .replaceAll(host, (name) => `<http://${name}|${name}>`)
    .replaceAll(address, (url) => `<${url}>`);
  return linked.replaceAll(/(?<![\w@#])([@#])([a-z0-9][a-z0-9._-]*)/gi, (typed, mark: string, name: string) => {
    // As Slack's own list of names finds them while somebody types.
    const lower = name.toLowerCase();
    return (mark === "@" ? mention(state, lower) : channelLink(state, lower)) ?? typed;
  });
}

function mention(state: State, name: string): string | undefined {
  const user = findUser(state, name);
  if (user !== undefined) return `<@${user.id}|${user.name}>`;
  const group = [...state.groups.values()].find((each) => each.handle === name);
  return group === undefined ? undefined : `<!subteam^${group.id}|@${group.handle}>`;
}

function channelLink(state: State, name: string): string | undefined {
  const channel = findChannel(state, name);
  return channel === undefined || channel.kind === "im" ? undefined : `<#${channel.id}|${channel.name}>`;
}

/** A message's text as the composer sends it: mentions become <@U…>, without the name. */
export function composedText(state: State, text: string): string {
  return escapeNames(state, text).replaceAll(/<([@#][A-Z0-9]+)\|[^>]*>/g, "<$1>");
}

export function newId(prefix: string): string {
  return prefix + randomBytes(6).toString("hex").toUpperCase();
}

function withActionId(element: Json): Json {
  if (!isObject(element)) return element;
  return { ...element, action_id: element["action_id"] ?? randomBytes(3).toString("base64url") };
}

/** The property with the interactive elements, by block type. */
const elementFields: Readonly<Record<string, string>> = {
  actions: "elements",
  section: "accessory",
  input: "element",
};

function withElementIds(block: JsonObject): JsonObject {
  const field = elementFields[textOf(block["type"])];
  const elements = field === undefined ? undefined : block[field];
  if (field === undefined || elements === undefined) return block;
  return { ...block, [field]: isList(elements) ? elements.map(withActionId) : withActionId(elements) };
}

/** Blocks as Slack returns them: each with a block_id, each interactive element with an action_id. */
export function withIds(blocks: readonly JsonObject[]): readonly JsonObject[] {
  return blocks.map((block) => {
    const made = withElementIds(block);
    return { ...made, block_id: made["block_id"] ?? randomBytes(3).toString("base64url") };
  });
}
