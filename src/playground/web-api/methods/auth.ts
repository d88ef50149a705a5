import type { Install } from "../../installs/installs.ts";
import { revokeTokens, uninstallApp } from "../../installs/install.ts";
import { checkClient } from "../../installs/oauth-access.ts";
import { type JsonObject, textOf } from "../../json.ts";
import { refuse } from "../../rules/refusal.ts";
import type { World } from "../../world.ts";
import { type Methods, page } from "./method.ts";
import { unawaited } from "../../../platform/waiting.ts";

/** An organization's token says the organization where others say the workspace. */
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
  "auth.teams.list": {
    scopes: [],
    required: {},
    optional: { cursor: "text", limit: "number", include_icon: "flag" },
    run({ slack }, args, install) {
      const mine = slack.worlds().filter(({ state }) => install?.teams.has(state.team.id));
      const { items, response_metadata } = page(mine, args);
      return { teams: items.map(({ state: { team } }) => ({ id: team.id, name: team.name })), response_metadata };
    },
  },
  "auth.revoke": {
    scopes: [],
    required: {},
    optional: { test: "flag" },
    run({ slack }, { test }, install) {
      if (test === true) return { revoked: false };
      // Its event comes after the answer, as all events do.
      if (install !== undefined) unawaited(revokeTokens(slack, install));
      return { revoked: true };
    },
  },
  "apps.uninstall": {
    scopes: [],
    required: { client_id: "text", client_secret: "text" },
    optional: {},
    run({ slack }, args, install) {
      checkClient(slack, { authorization: null, args });
      if (install !== undefined) unawaited(uninstallApp(slack, install));
      return { uninstalled: true };
    },
  },
  "api.test": {
    scopes: [],
    required: {},
    optional: { error: "text", foo: "text" },
    run: (_world, args) => {
      if (textOf(args["error"]) !== "")
        refuse(textOf(args["error"]), "method.arguments", "asked for by the error argument");
      return { args };
    },
  },
};

export const apps: Methods = {
  "apps.connections.open": {
    isForApp: true,
    scopes: ["connections:write"],
    required: {},
    optional: {},
    run: (world) => ({ url: world.links.open() }),
  },
};
