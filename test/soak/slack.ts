import { randomBytes } from "node:crypto";
import { listen } from "../../src/platform/http/listen.ts";
import { createPlayground, type Playground } from "../../src/playground/playground.ts";
import { appOfManifest } from "../kill/cluster-setup.ts";
import { openLoadBalancer } from "../kill/load-balancer.ts";
import { type Network, openNetwork } from "./network.ts";
import type { Options, Transport } from "./options.ts";

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

type SlackOptions = Pick<Options, "transport" | "repeats"> & {
  /** Of the replicas that take requests over HTTP. */
  readonly ports: () => readonly number[];
};

/** Deliveries are kept to be repeated, which nobody does here. */
const FORGET_EVERY_MS = 5_000;

export async function openSlack({ transport, repeats, ports }: SlackOptions): Promise<Slack> {
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
  const listener = await listen(repeats ? repeating(playground.fetch) : playground.fetch, {
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

type Fetch = (request: Request) => Promise<Response>;

/** One answer of so many is taken twice by a broken Slack. */
const EVERY = 25;

function repeating(fetch: Fetch): Fetch {
  let answers = 0;
  return async (request) => {
    if (!new URL(request.url).pathname.startsWith("/response/")) return fetch(request);
    answers += 1;
    if (answers % EVERY === 0) await fetch(request.clone());
    return fetch(request);
  };
}
