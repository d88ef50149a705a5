import { randomBytes, randomInt } from "node:crypto";
import { join } from "node:path";
import type { Clock } from "../../../platform/clock.ts";
import { readAppManifest, type AppManifest } from "../manifest.ts";
import { listen } from "../../../platform/http/listen.ts";
import { createPlayground, type Playground } from "../../../playground/playground.ts";
import type { App, ExternalFault } from "../../../playground/world.ts";
import type { TransportChoice } from "../../slack/receive/transport.ts";
import { removePlaygroundAddress, savePlaygroundAddress } from "./playground-address.ts";
import type { Send } from "../../../platform/http/send.ts";

export type LocalSlackOptions = {
  readonly host: string;
  readonly port: number;
  /** The folder in which the workspace is kept and `npm run say` finds its address; undefined keeps nothing. */
  readonly dataDir?: string;
  readonly onTrouble?: (sentence: string) => void;
  /** How the app gets Slack's deliveries. Default: http. */
  readonly transport?: TransportChoice["kind"];
  /** The app's slash command. */
  readonly command: string;
  /** The port of the bot, once it listens. */
  readonly botPort: () => number;
  /** Default: this machine's. */
  readonly clock?: Clock;
  /** How long Slack waits for an ack, and for a form after a click. Default: 3 seconds, as the real one. */
  readonly ackMs?: number;
  /** Fault switches on the page, for parts other than Slack. */
  readonly externalFaults?: readonly ExternalFault[];
  /** Several workspaces, which install the app by OAuth. */
  readonly oauth?: {
    /** The bot's address, to which Slack sends browsers back. */
    readonly botUrl: () => string;
    /** Tokens expire after 12 hours. */
    readonly rotates?: boolean;
  };
};

export type LocalSlack = {
  readonly playground: Playground;
  readonly port: number;
  /** The same credentials that a real workspace issues. */
  readonly access: { readonly botToken: string; readonly apiUrl: string; readonly transport: TransportChoice };
  /** Signs Slack's requests over HTTP. */
  readonly signingSecret: string;
  /** The app's credentials when workspaces install it by OAuth. Its bot token is then one that Slack refuses. */
  readonly client: { readonly clientId: string; readonly clientSecret: string };
  readonly close: () => Promise<void>;
};

/** Runs the simulated workspace on a local port, with the app of `manifest.yml` and new secrets. */
export async function openLocalSlack(options: LocalSlackOptions): Promise<LocalSlack> {
  const { host, port: wanted, dataDir, transport = "http", onTrouble = () => undefined } = options;
  const manifest = readAppManifest();
  const secrets = newSecrets();
  let url = "";
  const playground = createPlayground({
    app: { ...appOf(manifest, options.command), usesSocketMode: transport === "socket" },
    ...appSecrets(secrets, options.oauth),
    url: () => url,
    requestUrl: () => `http://127.0.0.1:${options.botPort()}/slack/events`,
    ...(options.clock !== undefined && { clock: options.clock }),
    ...(options.ackMs !== undefined && { ackMs: options.ackMs, triggerMs: options.ackMs }),
    ...(dataDir !== undefined && { savedIn: join(dataDir, "playground.json") }),
    onTrouble,
    ...(options.externalFaults !== undefined && { externalFaults: options.externalFaults }),
  });
  const listener = await listen(playground.fetch, {
    host,
    port: wanted,
    variable: "PLAYGROUND_PORT",
    upgrade: playground.upgrade,
    onTrouble: (message, data) => onTrouble(`The simulated Slack: ${message}${reasonIn(data)}`),
  });
  const { port } = listener;
  url = `http://127.0.0.1:${port}`;
  if (dataDir !== undefined) savePlaygroundAddress(dataDir, url);
  return {
    playground,
    port,
    signingSecret: secrets.signingSecret,
    client: secrets.client,
    access: {
      botToken: secrets.botToken,
      apiUrl: `${url}/api/`,
      transport:
        transport === "socket"
          ? { kind: "socket", appToken: secrets.appToken }
          : { kind: "http", signingSecret: secrets.signingSecret },
    },
    async close() {
      if (dataDir !== undefined) removePlaygroundAddress(dataDir, url);
      playground.close();
      await listener.close();
    },
  };
}

function reasonIn(data: object): string {
  return "error" in data ? `: ${data.error instanceof Error ? data.error.stack : String(data.error)}` : "";
}

type Secrets = Pick<LocalSlack, "signingSecret" | "client"> & { readonly botToken: string; readonly appToken: string };

function newSecrets(): Secrets {
  return {
    botToken: `xoxb-local-${randomBytes(12).toString("hex")}`,
    appToken: `xapp-1-local-${randomBytes(12).toString("hex")}`,
    signingSecret: randomBytes(16).toString("hex"),
    client: { clientId: `${randomInt(1e9)}.${randomInt(1e9)}`, clientSecret: randomBytes(16).toString("hex") },
  };
}

/** A bot token, or the credentials with which workspaces install the app. */
function appSecrets({ client, botToken, appToken, signingSecret }: Secrets, oauth: LocalSlackOptions["oauth"]) {
  if (oauth === undefined) return { botToken, appToken, signingSecret };
  const { botUrl, rotates = false } = oauth;
  const redirectUrls = (): readonly string[] => [`${botUrl()}/slack/oauth_redirect`];
  return {
    appToken,
    signingSecret,
    oauth: { ...client, redirectUrls, installUrl: () => `${botUrl()}/slack/install`, rotates },
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

/** Noticeable, but within the 5 s limit of a read. */
const SLOW_MS = 3_000;

/** Switches that make the workload API slow or unreachable, to try out how the bot behaves. */
export function troubledService(
  send: Send,
  clock: Pick<Clock, "sleep">,
): { readonly send: Send; readonly switches: readonly ExternalFault[] } {
  let isSlow = false;
  let isDown = false;
  return {
    async send(url, outgoing) {
      // Node's error for a port on which nothing listens.
      if (isDown) throw Object.assign(new Error("connect ECONNREFUSED"), { code: "ECONNREFUSED" });
      if (isSlow) await clock.sleep(SLOW_MS, outgoing.signal);
      return send(url, outgoing);
    },
    switches: [
      { label: "The workload API is slow (3 s)", set: (on) => (isSlow = on) },
      { label: "The workload API is down", set: (on) => (isDown = on) },
    ],
  };
}
