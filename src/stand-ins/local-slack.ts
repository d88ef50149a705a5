import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { readAppManifest, type AppManifest } from "../boot/app-manifest.ts";
import { listen } from "../http/listen.ts";
import { createPlayground, type Playground } from "../playground/playground.ts";
import type { App, ExternalFault } from "../playground/world.ts";
import { removePlaygroundAddress, savePlaygroundAddress } from "./playground-address.ts";

export type LocalSlackOptions = {
  readonly host: string;
  readonly port: number;
  /** The folder in which the workspace is kept and `npm run say` finds its address; undefined keeps nothing. */
  readonly dataDir?: string;
  readonly onTrouble?: (sentence: string) => void;
  /** The app's slash command. */
  readonly command: string;
  /** The port of the bot, once it listens. */
  readonly botPort: () => number;
  readonly now?: () => number;
  /** Fault switches on the page, for parts other than Slack. */
  readonly externalFaults?: readonly ExternalFault[];
};

export type LocalSlack = {
  readonly playground: Playground;
  readonly port: number;
  /** The same credentials that a real workspace issues. */
  readonly access: { readonly botToken: string; readonly signingSecret: string; readonly apiUrl: string };
  readonly close: () => Promise<void>;
};

/** Runs the simulated workspace on a local port, with the app of `manifest.yml` and new secrets. */
export async function openLocalSlack(options: LocalSlackOptions): Promise<LocalSlack> {
  const { host, port: wanted, dataDir } = options;
  const manifest = readAppManifest();
  const botToken = `xoxb-local-${randomBytes(12).toString("hex")}`;
  const signingSecret = randomBytes(16).toString("hex");
  let url = "";
  const playground = createPlayground({
    app: appOf(manifest, options.command),
    signingSecret,
    botToken,
    url: () => url,
    requestUrl: () => `http://127.0.0.1:${options.botPort()}/slack/events`,
    ...(options.now !== undefined && { now: options.now }),
    ...(dataDir !== undefined && { savedIn: join(dataDir, "playground.json") }),
    ...(options.onTrouble !== undefined && { onTrouble: options.onTrouble }),
    ...(options.externalFaults !== undefined && { externalFaults: options.externalFaults }),
  });
  const listener = await listen(playground.fetch, { host, port: wanted, variable: "PLAYGROUND_PORT" });
  const { port } = listener;
  url = `http://127.0.0.1:${port}`;
  if (dataDir !== undefined) savePlaygroundAddress(dataDir, url);
  return {
    playground,
    port,
    access: { botToken, signingSecret, apiUrl: `${url}/api/` },
    async close() {
      if (dataDir !== undefined) removePlaygroundAddress(dataDir, url);
      playground.close();
      await listener.close();
    },
  };
}

/** The app from the manifest, with the configured command. */
function appOf({ display_information, features, oauth_config, settings }: AppManifest, command: string): App {
  const [slash] = features.slash_commands;
  return {
    name: display_information.name,
    botDisplayName: features.bot_user.display_name,
    commands: [command],
    scopes: oauth_config.scopes.bot,
    events: settings.event_subscriptions?.bot_events ?? [],
    commandHints: [
      {
        command,
        ...(slash?.description !== undefined && { description: slash.description }),
        ...(slash?.usage_hint !== undefined && { usageHint: slash.usage_hint }),
      },
    ],
    shortcuts: features.shortcuts.map(({ callback_id, description, ...shortcut }) => ({
      ...shortcut,
      callbackId: callback_id,
      ...(description !== undefined && { description }),
    })),
    escapesNames: slash?.should_escape === true,
    hasOptionsUrl: settings.interactivity?.message_menu_options_url !== undefined,
  };
}
