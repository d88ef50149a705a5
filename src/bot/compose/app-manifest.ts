import { readFileSync } from "node:fs";
import { parse } from "yaml";
import { z } from "zod";

/** The parts of `manifest.yml` with which the simulated workspace installs the app. */
const AppManifest = z.object({
  display_information: z.object({ name: z.string() }),
  features: z.object({
    bot_user: z.object({ display_name: z.string() }),
    slash_commands: z
      .array(
        z.object({
          description: z.string().optional(),
          usage_hint: z.string().optional(),
          should_escape: z.boolean().optional(),
        }),
      )
      .min(1),
    shortcuts: z
      .array(
        z.object({
          name: z.string(),
          callback_id: z.string(),
          type: z.enum(["global", "message"]),
          description: z.string().optional(),
        }),
      )
      .default([]),
  }),
  oauth_config: z.object({ scopes: z.object({ bot: z.array(z.string()), bot_optional: z.array(z.string()) }) }),
  settings: z.object({
    event_subscriptions: z.object({ bot_events: z.array(z.string()) }).optional(),
    interactivity: z.object({ message_menu_options_url: z.string().optional() }).optional(),
  }),
});
export type AppManifest = z.infer<typeof AppManifest>;

const file = new URL("../../../manifest.yml", import.meta.url);

/** Throws when the file is missing or invalid. */
export function readAppManifest(): AppManifest {
  return AppManifest.parse(parse(readFileSync(file, "utf8")));
}

/** The scopes that the app asks for. Without the optional ones Gantry works, with something missing. */
export function manifestScopes(): { readonly needed: readonly string[]; readonly optional: readonly string[] } {
  const { bot, bot_optional: optional } = readAppManifest().oauth_config.scopes;
  return { needed: bot.filter((scope) => !optional.includes(scope)), optional };
}
