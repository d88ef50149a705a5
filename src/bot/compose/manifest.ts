import { readFileSync } from "node:fs";
import { parse, isMap, isScalar, parseDocument, visit } from "yaml";
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

let read: AppManifest | undefined;

/** Read once: the file doesn't change while a process runs. Throws when it is missing or invalid. */
export function readAppManifest(): AppManifest {
  return (read ??= AppManifest.parse(parse(readFileSync(file, "utf8"))));
}

/** The scopes that the app asks for. Without the optional ones Gantry works, with something missing. */
export function manifestScopes(): { readonly needed: readonly string[]; readonly optional: readonly string[] } {
  const { bot, bot_optional: optional } = readAppManifest().oauth_config.scopes;
  return { needed: bot.filter((scope) => !optional.includes(scope)), optional };
}

export type ManifestTarget = {
  /** The public https address to which Slack sends requests; undefined for Socket Mode, where the bot connects to Slack. */
  readonly url: string | undefined;
  readonly command: string;
  /** The public https address of the install page, when several workspaces install the app. */
  readonly installUrl?: string | undefined;
};

/** The keys of addresses: https://docs.slack.dev/reference/app-manifest */
const addresses = new Set(["url", "request_url", "message_menu_options_url"]);

/** `manifest.yml` ready to paste, with its comments. Pure. Throws an Error with a sentence for a wrong address. */
export function manifestFor(text: string, { url, command, installUrl }: ManifestTarget): string {
  const endpoint = url === undefined ? undefined : endpointOf(url);
  const document = parseDocument(text);
  visit(document, {
    Pair(_, pair) {
      if (!isScalar(pair.key) || !addresses.has(String(pair.key.value))) return undefined;
      if (endpoint === undefined) return visit.REMOVE;
      if (isScalar(pair.value)) pair.value.value = endpoint;
      return undefined;
    },
    Map(_, map) {
      const slash = map.get("command", true);
      if (isScalar(slash)) slash.value = command;
    },
  });
  const settings = document.get("settings");
  if (!isMap(settings)) throw new Error("manifest.yml has no settings");
  settings.set("socket_mode_enabled", endpoint === undefined);
  if (installUrl !== undefined) {
    const { origin, path } = httpsOf(installUrl);
    document.setIn(["oauth_config", "redirect_urls"], [`${origin}${path}/slack/oauth_redirect`]);
    // Organizations of Enterprise Grid install it for many workspaces at once.
    document.setIn(["settings", "org_deploy_enabled"], true);
  }
  return document.toString({ lineWidth: 0 });
}

function endpointOf(url: string): string {
  const { origin, path } = httpsOf(url);
  return `${origin}${path.endsWith("/slack/events") ? path : `${path}/slack/events`}`;
}

function httpsOf(url: string): { readonly origin: string; readonly path: string } {
  const parsed = URL.canParse(url) ? new URL(url) : undefined;
  if (parsed?.protocol !== "https:") {
    throw new Error(`Slack can't call “${url}”. Use an https address such as https://gantry.example.com.`);
  }
  return { origin: parsed.origin, path: parsed.pathname.replace(/\/+$/u, "") };
}

/** For programs, without comments and on one line. */
export function manifestJson(manifest: string): string {
  return JSON.stringify(parse(manifest));
}

/** Where apps are configured, for an address of the Web API. GovSlack has its own site: https://docs.slack.dev/govslack */
export function appsUrlFor(apiUrl: string | undefined): string {
  const isGov = apiUrl !== undefined && /(?:^|\.)slack-gov\.com$/u.test(new URL(apiUrl).hostname);
  return isGov ? "https://api.slack-gov.com/apps" : "https://api.slack.com/apps";
}
