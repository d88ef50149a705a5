import { type JsonObject, textOf } from "../../json.ts";
import { refuse } from "../../rules/rules.ts";
import type { User, UserGroup, Channel } from "../../workspace/state.ts";
import { isOutsider } from "../../workspace/workspace.ts";
import type { World } from "../../world.ts";
import { knownUser, type Methods, page, knownChannel, needScopes } from "./method.ts";
import type { Install } from "../../installs/installs.ts";

/** Fields that Slack omits for deactivated people. */
function activeJson(user: User): JsonObject {
  return {
    real_name: user.realName,
    tz: "Europe/Berlin",
    tz_label: "Central European Time",
    tz_offset: 3600,
    is_admin: user.isAdmin,
    is_owner: false,
    is_primary_owner: false,
    is_restricted: user.isGuest,
    is_ultra_restricted: false,
  };
}

/** A person of another workspace who shares no channel with the bot. */
function isStranger(world: World, user: User): boolean {
  const channels = [...world.state.channels.values()].filter(({ kind }) => kind !== "im");
  return !channels.some(({ members }) => members.has(user.id) && members.has(world.state.bot.user));
}

/** https://docs.slack.dev/reference/objects/user-object */
export function userJson(world: World, user: User): JsonObject {
  const profile = {
    real_name: user.realName,
    real_name_normalized: user.realName,
    display_name: user.name,
    display_name_normalized: user.name,
    ...(user.isTeamHidden ? {} : { team: user.teamId }),
  };
  return {
    id: user.id,
    ...(user.isTeamHidden ? {} : { team_id: user.teamId }),
    name: user.name,
    deleted: user.isDeactivated,
    ...(user.isDeactivated ? {} : activeJson(user)),
    profile,
    is_bot: user.isBot,
    ...(isOutsider(world.state, user) ? { is_stranger: isStranger(world, user) } : {}),
    is_app_user: false,
    updated: 0,
  };
}

function groupJson(teamId: string, group: UserGroup, withUsers: boolean): JsonObject {
  return {
    id: group.id,
    team_id: teamId,
    is_usergroup: true,
    handle: group.handle,
    name: group.name,
    description: "",
    is_external: false,
    date_delete: 0,
    user_count: group.users.length,
    ...(withUsers ? { users: group.users } : {}),
  };
}

export const people: Methods = {
  "users.info": {
    scopes: ["users:read"],
    required: { user: "text" },
    optional: {},
    run: (world, args) => ({ user: userJson(world, knownUser(world, textOf(args["user"]))) }),
  },
  "users.list": {
    scopes: ["users:read"],
    required: {},
    optional: { cursor: "text", limit: "number" },
    run(world, args) {
      const { items, response_metadata } = page([...world.state.users.values()], args);
      return { members: items.map((user) => userJson(world, user)), response_metadata };
    },
  },
  "usergroups.list": {
    scopes: ["usergroups:read"],
    required: {},
    optional: { include_users: "flag" },
    run: (world, args) => ({
      usergroups: [...world.state.groups.values()].map((group) =>
        groupJson(world.state.team.id, group, args["include_users"] === true),
      ),
    }),
  },
  "usergroups.users.list": {
    scopes: ["usergroups:read"],
    required: { usergroup: "text" },
    optional: {},
    run(world, args) {
      const id = textOf(args["usergroup"]);
      const group = world.state.groups.get(id);
      if (group === undefined) refuse("no_such_subteam", "group.known", `no user group ${id}`);
      return { users: group.users };
    },
  },
};

/**
 * An organization's token says the organization where others say the workspace. This is ours:
 * https://docs.slack.dev/reference/methods/auth.test has no example.
 */
function identity(world: World, install: Install | undefined): JsonObject {
  const { team, bot } = world.state;
  const isOrgWide = install?.isOrgWide === true;
  const owner = isOrgWide ? (team.enterprise ?? team) : team;
  return {
    url: `${world.url()}/`,
    team: owner.name,
    user: world.app.botDisplayName,
    team_id: owner.id,
    user_id: bot.user,
    bot_id: bot.id,
    ...(team.enterprise === undefined ? {} : { enterprise_id: team.enterprise.id }),
    is_enterprise_install: isOrgWide,
  };
}

export const auth: Methods = {
  "auth.test": { scopes: [], required: {}, optional: {}, run: (world, _args, install) => identity(world, install) },
  "apps.connections.open": {
    isForApp: true,
    scopes: ["connections:write"],
    required: {},
    optional: {},
    run: (world) => ({ url: world.links.open() }),
  },
};

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
