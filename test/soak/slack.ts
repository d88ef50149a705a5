import { randomBytes } from "node:crypto";
import { readAppManifest } from "../../src/bot/compose/manifest.ts";
import { listen } from "../../src/platform/http/listen.ts";
import { createPlayground, type Playground } from "../../src/playground/playground.ts";
import type { App } from "../../src/playground/world.ts";
import { openLoadBalancer } from "../kill/load-balancer.ts";
import { type Network, openNetwork } from "./network.ts";
import type { Options, Transport, Variant } from "./options.ts";

/** The simulated Slack behind a network that can be cut. */
export type Slack = {
  readonly playground: Playground;
  readonly network: Network;
  /** The variables of a replica that say how to reach it. */
  readonly env: Readonly<Record<string, string>>;
  /** Announces to all links that they end, and ends them; undefined over HTTP, which has none. */
  readonly refreshLinks: (() => void) | undefined;
  readonly close: () => Promise<void>;
};

type SlackOptions = Pick<Options, "transport" | "variant"> & {
  /** Of the replicas that take requests over HTTP. */
  readonly ports: () => readonly number[];
};

/** Deliveries are kept to be repeated, which nobody does here. */
const FORGET_EVERY_MS = 5_000;

export async function openSlack({ transport, variant, ports }: SlackOptions): Promise<Slack> {
  let port = 0;
  const network = await openNetwork(() => port);
  // Slack doesn't come through a cut network either.
  const loadBalancer = await openLoadBalancer({
    ports: () => (network.isCut() ? [] : ports()),
    onTrace: () => undefined,
  });
  const forgetting = setInterval(loadBalancer.forget, FORGET_EVERY_MS);
  const url = `http://127.0.0.1:${network.port}`;
  const secrets = newSecrets();
  const playground = createPlayground({
    ...secrets,
    app: { ...appOfManifest(), usesSocketMode: transport === "socket" },
    url,
    requestUrl: () => loadBalancer.url,
  });
  const listener = await listen(slackFront(playground.fetch, variant), {
    host: "127.0.0.1",
    port: 0,
    variable: "PORT",
    upgrade: playground.upgrade,
  });
  port = listener.port;
  return {
    playground,
    network,
    env: { SLACK_BOT_TOKEN: secrets.botToken, SLACK_API_URL: `${url}/api/`, ...secretOf(transport, secrets) },
    refreshLinks: transport === "socket" ? () => playground.links.refresh() : undefined,
    async close() {
      clearInterval(forgetting);
      await loadBalancer.close();
      playground.close();
      await network.close();
      await listener.close();
    },
  };
}

type Secrets = ReturnType<typeof newSecrets>;

function newSecrets() {
  const random = (): string => randomBytes(12).toString("hex");
  return { botToken: `xoxb-soak-${random()}`, appToken: `xapp-1-soak-${random()}`, signingSecret: random() };
}

function secretOf(transport: Transport, { appToken, signingSecret }: Secrets): Record<string, string> {
  return transport === "socket" ? { SLACK_APP_TOKEN: appToken } : { SLACK_SIGNING_SECRET: signingSecret };
}

function appOfManifest(): App {
  const { display_information, features, oauth_config, settings } = readAppManifest();
  return {
    name: display_information.name,
    botDisplayName: features.bot_user.display_name,
    commands: ["/gantry"],
    scopes: oauth_config.scopes.bot,
    events: settings.event_subscriptions?.bot_events ?? [],
  };
}

type Fetch = (request: Request) => Promise<Response>;

/** One answer of so many is lost or taken twice by a broken Slack. */
const EVERY = 25;

/** Slack as it is, or one that loses answers to people, or takes them twice. */
function slackFront(fetch: Fetch, variant: Variant | undefined): Fetch {
  if (variant === undefined) return fetch;
  let answers = 0;
  return async (request) => {
    if (!new URL(request.url).pathname.startsWith("/response/")) return fetch(request);
    answers += 1;
    if (answers % EVERY !== 0) return fetch(request);
    if (variant === "loses") return Response.json({ ok: true });
    await fetch(request.clone());
    return fetch(request);
  };
}
