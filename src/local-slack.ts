import { randomBytes } from "node:crypto";
import { readAppManifest } from "./app-manifest.ts";
import { listen } from "./listen.ts";
import { createPlayground, type Playground } from "./playground/playground.ts";

export type LocalSlackOptions = {
  readonly host: string;
  readonly port: number;
  /** The slash command that the app has there. */
  readonly command: string;
  /** The port of the bot, as soon as it listens. */
  readonly botPort: () => number;
  readonly now?: () => number;
};

export type LocalSlack = {
  readonly playground: Playground;
  readonly port: number;
  /** What the bot is given, as a real workspace would give it. */
  readonly access: { readonly botToken: string; readonly signingSecret: string; readonly apiUrl: string };
  readonly close: () => Promise<void>;
};

/** The simulated workspace on a port of this machine, with the app of `manifest.yml` in it and secrets of its own. */
export async function openLocalSlack(options: LocalSlackOptions): Promise<LocalSlack> {
  const manifest = readAppManifest();
  const botToken = `xoxb-local-${randomBytes(12).toString("hex")}`;
  const signingSecret = randomBytes(16).toString("hex");
  let url = "";
  const playground = createPlayground({
    app: {
      name: manifest.display_information.name,
      botDisplayName: manifest.features.bot_user.display_name,
      commands: [options.command],
      scopes: manifest.oauth_config.scopes.bot,
      events: manifest.settings.event_subscriptions?.bot_events ?? [],
    },
    signingSecret,
    botToken,
    url: () => url,
    requestUrl: () => `http://127.0.0.1:${options.botPort()}/slack/events`,
    ...(options.now !== undefined && { now: options.now }),
  });
  const { host, port: wanted } = options;
  const listener = await listen(playground.fetch, { host, port: wanted, variable: "PLAYGROUND_PORT" });
  const { port } = listener;
  url = `http://127.0.0.1:${port}`;
  return {
    playground,
    port,
    access: { botToken, signingSecret, apiUrl: `${url}/api/` },
    async close() {
      playground.close();
      await listener.close();
    },
  };
}
