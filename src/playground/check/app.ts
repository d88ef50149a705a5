import { refusalOf, Refused } from "../rules/rules.ts";
import type { App } from "../world.ts";
import { type LimitId, limits } from "../rules/limits.ts";
import { newSite, report, type Site } from "./shape.ts";

// https://docs.slack.dev/reference/app-manifest

function atMost(site: Site, limit: LimitId, counted: readonly [at: string, count: number]): void {
  const [at, count] = counted;
  if (count > limits[limit].max) report(site, limit, [at, `${count} is more than ${limits[limit].max}`]);
}

function checkCommands(site: Site, app: App): void {
  atMost(site, "app.commands", ["/features/slash_commands", app.commands.length]);
  for (const [index, command] of app.commands.entries()) {
    const at = `/features/slash_commands/${index}/command`;
    atMost(site, "app.command", [at, command.length]);
    if (!/^\/[^\s/]+$/.test(command)) report(site, "app.command-name", [at, `${command} is no slash and one word`]);
  }
}

function checkShortcuts(site: Site, app: App): void {
  const shortcuts = app.shortcuts ?? [];
  atMost(site, "app.shortcuts", ["/features/shortcuts", shortcuts.length]);
  for (const [index, shortcut] of shortcuts.entries()) {
    const at = `/features/shortcuts/${index}`;
    atMost(site, "app.shortcut-name", [`${at}/name`, shortcut.name.length]);
    atMost(site, "app.shortcut-description", [`${at}/description`, shortcut.description?.length ?? 0]);
    atMost(site, "app.callback-id", [`${at}/callback_id`, shortcut.callbackId.length]);
  }
}

/** Checks the app as Slack checks a manifest. Throws an Error that names the broken rule; its cause is the Refused. */
export function checkApp(app: App): void {
  const site = newSite("message");
  atMost(site, "app.name", ["/display_information/name", app.name.length]);
  atMost(site, "app.bot-name", ["/features/bot_user/display_name", app.botDisplayName.length]);
  if (!/^[a-z0-9._-]+$/.test(app.botDisplayName)) {
    const message = `${app.botDisplayName} is not only a-z, 0-9, ., _ and -`;
    report(site, "app.bot-letters", ["/features/bot_user/display_name", message]);
  }
  atMost(site, "app.scopes", ["/oauth_config/scopes/bot", app.scopes.length]);
  atMost(site, "app.events", ["/settings/event_subscriptions/bot_events", app.events.length]);
  checkCommands(site, app);
  checkShortcuts(site, app);
  if (site.problems.length === 0) return;
  const refused = new Refused("invalid_manifest", site.problems);
  throw new Error(`Slack would reject this app: ${refusalOf(refused).sentence}`, { cause: refused });
}
