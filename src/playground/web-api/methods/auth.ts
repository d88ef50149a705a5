import { refuse } from "../../rules/refusal.ts";
import { textOf } from "../../json.ts";
import { bot, team } from "../../workspace/workspace.ts";
import type { Methods } from "./method.ts";

export const auth: Methods = {
  "auth.test": {
    scopes: [],
    required: {},
    optional: {},
    run: (world) => ({
      url: `${world.url()}/`,
      team: team.name,
      user: world.app.botDisplayName,
      team_id: team.id,
      user_id: bot.user,
      bot_id: bot.id,
      is_enterprise_install: false,
    }),
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
