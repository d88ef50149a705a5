import { type JsonObject, textOf } from "../../json.ts";
import { refuse } from "../../rules/refusal.ts";
import type { Channel } from "../../workspace/state.ts";
import type { World } from "../../world.ts";
import { knownChannel, knownUser, type Methods, needScopes, page } from "./method.ts";

const readScope: Readonly<Record<Channel["kind"], string>> = {
  public: "channels:read",
  private: "groups:read",
  im: "im:read",
};
const readScopes = ["channels:read", "groups:read", "im:read", "mpim:read"];

function channelJson({ state: { team, bot } }: World, channel: Channel): JsonObject {
  const other = [...channel.members].find((member) => member !== bot.user) ?? "";
  const shared = {
    id: channel.id,
    is_im: channel.kind === "im",
    is_mpim: false,
    is_archived: channel.isArchived,
    created: 0,
  };
  if (channel.kind === "im") return { ...shared, user: other, is_open: true };
  return {
    ...shared,
    name: channel.name,
    name_normalized: channel.name,
    is_channel: channel.kind === "public",
    is_group: channel.kind === "private",
    is_private: channel.kind === "private",
    is_general: channel.name === "general",
    is_shared: channel.sharedWith.size > 0,
    is_ext_shared: channel.sharedWith.size > 0,
    is_org_shared: false,
    shared_team_ids: [team.id, ...channel.sharedWith],
    context_team_id: team.id,
    is_member: channel.members.has(bot.user),
    topic: { value: "", creator: "", last_set: 0 },
    purpose: { value: "", creator: "", last_set: 0 },
  };
}

function readable(world: World, args: JsonObject): Channel {
  const channel = knownChannel(world, textOf(args["channel"]));
  needScopes(world, [readScope[channel.kind]]);
  return channel;
}

/** Deactivated people are not listed as members until they are reactivated. */
function activeMembers(world: World, channel: Channel): readonly string[] {
  return [...channel.members].filter((id) => world.state.users.get(id)?.isDeactivated !== true);
}

function members(world: World, args: JsonObject): JsonObject {
  const { items, response_metadata } = page(activeMembers(world, readable(world, args)), args);
  return { members: items, response_metadata };
}

const kindOf: Readonly<Record<string, Channel["kind"]>> = {
  public_channel: "public",
  private_channel: "private",
  im: "im",
};

/** The channels of the asked types; refuses a type whose scope is missing. */
function channelsOfTypes(world: World, args: JsonObject): readonly Channel[] {
  const types = (textOf(args["types"]) || "public_channel").split(",").map((type) => type.trim());
  const unknown = types.find((type) => kindOf[type] === undefined && type !== "mpim");
  if (unknown !== undefined) refuse("invalid_types", "method.arguments", `unknown type ${unknown}`);
  const wanted = new Set(types.map((type) => kindOf[type]));
  for (const kind of wanted) if (kind !== undefined) needScopes(world, [readScope[kind]]);
  return [...world.state.channels.values()].filter(({ kind }) => wanted.has(kind));
}

/** The conversations of the bot, or those it shares with a person. */
function conversationsOf(world: World, args: JsonObject): JsonObject {
  const named = textOf(args["user"]);
  const user = named === "" ? world.state.bot.user : knownUser(world, named).id;
  const visible = channelsOfTypes(world, args).filter(
    ({ members: all, kind, isArchived }) =>
      all.has(user) &&
      (kind === "public" || all.has(world.state.bot.user)) &&
      !(isArchived && args["exclude_archived"] === true),
  );
  const { items, response_metadata } = page(visible, args);
  return { channels: items.map((channel) => channelJson(world, channel)), response_metadata };
}

export const conversations: Methods = {
  "users.conversations": {
    scopes: readScopes,
    required: {},
    optional: { cursor: "text", limit: "number", types: "text", exclude_archived: "flag", user: "text" },
    run: conversationsOf,
  },
  "conversations.members": {
    scopes: readScopes,
    required: { channel: "text" },
    optional: { cursor: "text", limit: "number" },
    run: members,
  },
};
