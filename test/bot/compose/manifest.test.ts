import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { parse } from "yaml";
import { z } from "zod";
import { formCommand } from "../../../src/bot/commands/grammar/parse.ts";
import { withoutScope } from "../../../src/bot/health/checks/slack-checks.ts";
import { eventHandlers } from "../../../src/bot/slack/receive/route.ts";
import { shortcutVerbs } from "../../../src/bot/slack/receive/shortcut.ts";

const project = join(import.meta.dirname, "../../..");
const text = readFileSync(join(project, "manifest.yml"), "utf8");

const RequestUrl = z.url({ protocol: /^https$/u });
const short = (max: number) => z.string().min(1).max(max);

/**
 * The rules of Slack's manifest that we rely on (https://docs.slack.dev/reference/app-manifest): what must be there, how
 * long it may be, and that a name that Slack does not know is refused.
 */
const Manifest = z.strictObject({
  _metadata: z.strictObject({ major_version: z.literal(1), minor_version: z.literal(1).optional() }).optional(),
  display_information: z.strictObject({
    name: short(35),
    description: short(140).optional(),
    background_color: z
      .string()
      .regex(/^#(?:[0-9a-f]{3}|[0-9a-f]{6})$/iu)
      .optional(),
    long_description: z.string().min(175).max(4_000).optional(),
  }),
  features: z.strictObject({
    bot_user: z.strictObject({
      display_name: short(80).regex(/^[a-z0-9._-]+$/u),
      always_online: z.boolean().optional(),
    }),
    app_home: z.strictObject({
      home_tab_enabled: z.boolean(),
      messages_tab_enabled: z.boolean(),
      messages_tab_read_only_enabled: z.boolean(),
    }),
    shortcuts: z
      .array(
        z.strictObject({
          name: short(24),
          type: z.enum(["global", "message"]),
          callback_id: short(255),
          description: short(150),
        }),
      )
      .max(10)
      .optional(),
    slash_commands: z
      .array(
        z.strictObject({
          command: short(32).startsWith("/"),
          url: RequestUrl,
          description: short(2_000),
          usage_hint: short(1_000).optional(),
          should_escape: z.boolean().optional(),
        }),
      )
      .min(1)
      .max(50),
  }),
  oauth_config: z.strictObject({
    redirect_urls: z.array(RequestUrl).max(1_000).optional(),
    scopes: z
      .strictObject({ bot: z.array(short(50)).min(1).max(255), bot_optional: z.array(short(50)).max(255) })
      // An optional scope is one of the app's scopes, marked a second time.
      .refine(({ bot, bot_optional }) => bot_optional.every((scope) => bot.includes(scope))),
  }),
  settings: z.strictObject({
    event_subscriptions: z.strictObject({ request_url: RequestUrl, bot_events: z.array(z.string()).min(1).max(100) }),
    interactivity: z.strictObject({
      is_enabled: z.literal(true),
      request_url: RequestUrl,
      // Pickers have no options without it.
      message_menu_options_url: RequestUrl,
    }),
    org_deploy_enabled: z.boolean().optional(),
    socket_mode_enabled: z.boolean().optional(),
    token_rotation_enabled: z.boolean().optional(),
  }),
});

/** What each Web API method needs: https://docs.slack.dev/reference/methods. A method that is missing here fails below. */
const scopesOf: Readonly<Record<string, readonly string[]>> = {
  "auth.test": [],
  "chat.postMessage": ["chat:write"],
  "chat.postEphemeral": ["chat:write"],
  "chat.update": ["chat:write"],
  "chat.delete": ["chat:write"],
  "chat.getPermalink": [],
  // One for each kind of conversation in which a command can be typed.
  "conversations.members": ["channels:read", "groups:read", "im:read", "mpim:read"],
  // Two methods and an upload, all under one scope.
  "files.uploadV2": ["files:write"],
  "usergroups.list": ["usergroups:read"],
  "usergroups.users.list": ["usergroups:read"],
  "users.conversations": ["channels:read", "groups:read"],
  "oauth.v2.access": [],
  "users.info": ["users:read"],
  "users.list": ["users:read"],
  // A form is opened with the trigger of a click or a command, which is leave enough.
  "views.open": [],
  // Everybody may have a Home.
  "views.publish": [],
  "views.update": [],
};

/** https://docs.slack.dev/reference/events: what each one needs. */
const scopesOfEvents: Readonly<Record<string, readonly string[]>> = {
  app_home_opened: [],
  app_mention: ["app_mentions:read"],
  "message.im": ["im:history"],
  channel_id_changed: [],
  app_uninstalled: [],
  tokens_revoked: [],
  team_access_revoked: [],
  user_change: ["users:read"],
  team_join: ["users:read"],
};

function methodsUsed(): string[] {
  const sources = ["src/bot/slack", "src/bot/workflow"].flatMap((folder) =>
    readdirSync(join(project, folder), { recursive: true, encoding: "utf8" })
      .filter((name) => name.endsWith(".ts"))
      .map((name) => readFileSync(join(project, folder, name), "utf8")),
  );
  const calls = sources.flatMap((source) => [
    ...source.matchAll(/\b(?:client|background|interactive|drawing)\s*\.((?:[a-z]\w*\.)+[a-z]\w*)\(/gu),
  ]);
  return [...new Set(calls.map(([, method = ""]) => method))].sort();
}

test("the manifest keeps Slack's rules", () => {
  expect(() => Manifest.parse(parse(text))).not.toThrow();
});

test.each([
  ["a name that is too long", "name: Gantry", `name: ${"G".repeat(36)}`],
  ["a command without its slash", "command: /gantry", "command: gantry"],
  ["a display name with a capital", "display_name: gantry", "display_name: Gantry"],
  ["a key that Slack does not know", "always_online:", "allways_online:"],
  ["an address that is not https", "request_url: https:", "request_url: http:"],
  ["no interactivity", "is_enabled: true", "is_enabled: false"],
  ["an optional scope that isn't asked for", "bot_optional:\n", "bot_optional:\n      - pins:write\n"],
])("the rules would notice %s", (_, from, to) => {
  expect(text).toContain(from);
  expect(Manifest.safeParse(parse(text.replace(from, to))).success).toBe(false);
});

test("each method of the Web API that the code calls has its scope, and no scope is for nothing", () => {
  const used = methodsUsed();
  const needed = used.flatMap((method) => scopesOf[method] ?? []);

  expect(used).toEqual(Object.keys(scopesOf).sort());
  const { oauth_config, settings } = Manifest.parse(parse(text));
  const heard = settings.event_subscriptions.bot_events.flatMap((event) => scopesOfEvents[event] ?? ["no scope known"]);
  expect(new Set(oauth_config.scopes.bot)).toEqual(new Set(["commands", ...needed, ...heard]));
});

test("the doctor knows what doesn't work without each scope", () => {
  expect(Object.keys(withoutScope).toSorted()).toEqual(Manifest.parse(parse(text)).oauth_config.scopes.bot.toSorted());
});

test("each event that is subscribed to has its handler, and each handler its subscription", () => {
  const { bot_events } = Manifest.parse(parse(text)).settings.event_subscriptions;

  const types = bot_events.map((event) => (event.startsWith("message.") ? "message" : event));
  expect(types.toSorted()).toEqual(Object.keys(eventHandlers).toSorted());
});

test("each shortcut opens the form of a verb, and each that is handled stands in the manifest", () => {
  const { shortcuts = [] } = Manifest.parse(parse(text)).features;

  expect(shortcuts.map(({ callback_id }) => callback_id).toSorted()).toEqual(Object.keys(shortcutVerbs).toSorted());
  for (const verb of Object.values(shortcutVerbs)) expect(formCommand(verb)?.name).toBe(verb);
});

test("the Home tab is on as long as something draws it", () => {
  const { app_home } = Manifest.parse(parse(text)).features;

  expect(app_home.home_tab_enabled).toBe(methodsUsed().includes("views.publish"));
});

test("typed people and channels arrive escaped, as the words are parsed", () => {
  const [command] = Manifest.parse(parse(text)).features.slash_commands;

  expect(command?.should_escape).toBe(true);
});

test("everything comes in at the one place where the bot listens", () => {
  const { features, settings } = Manifest.parse(parse(text));

  const { event_subscriptions, interactivity } = settings;
  const { request_url, message_menu_options_url } = interactivity;
  const command = features.slash_commands[0]?.url;
  for (const url of [command, request_url, message_menu_options_url, event_subscriptions.request_url]) {
    expect(url).toMatch(/\/slack\/events$/u);
  }
});
