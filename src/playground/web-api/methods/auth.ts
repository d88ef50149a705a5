import type { Install } from "../../installs/installs.ts";
import type { JsonObject } from "../../json.ts";
import type { World } from "../../world.ts";
import type { Methods } from "./method.ts";

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
  "apps.connections.open": {
    isForApp: true,
    scopes: ["connections:write"],
    required: {},
    optional: {},
    run: (world) => ({ url: world.links.open() }),
  },
};
