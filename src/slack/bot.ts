import { randomBytes } from "node:crypto";
import type { Server } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import type { Logger } from "pino";
import type { Api, ApiAccount } from "../api/client.ts";
import type { Settings } from "../commands/command.ts";
import { createDirectory } from "../commands/directory.ts";
import type { Store } from "../store/store.ts";
import { createClients, type SlackAccess } from "./clients.ts";
import { healthRoutes } from "./health.ts";
import { createIdentity } from "./identity.ts";
import { createInflight, type DrainLimits, drainLimits } from "./inflight.ts";
import { tellLeftovers } from "./leftovers.ts";
import { createPoster } from "./post.ts";
import { createReceiver } from "./receiver.ts";
import { route } from "./route.ts";
import { createSeen } from "./seen.ts";
import type { Shell } from "./shell.ts";

export type BotParts = {
  readonly slack: SlackAccess & { readonly signingSecret: string };
  /** Port 0 takes a free one. */
  readonly listen: { readonly host: string; readonly port: number };
  readonly api: Api;
  readonly account: ApiAccount;
  readonly settings: Settings;
  readonly store: Store;
  readonly log: Logger;
  readonly now?: () => Date;
  /** Between a write and its read-back. */
  readonly wait?: (ms: number) => Promise<void>;
  /** Before a response_url is tried again. */
  readonly backOff?: (ms: number) => Promise<void>;
  readonly drain?: DrainLimits;
};

export type Bot = {
  /** Resolves when Slack's deliveries are taken. Throws when the port is taken or Slack does not know the token. */
  readonly start: () => Promise<{ readonly port: number }>;
  /** Takes nothing new, lets what is in flight end or tells its people, then stops listening: within 20 s. */
  readonly stop: () => Promise<void>;
  /** Resolves when nothing is in flight. */
  readonly idle: () => Promise<void>;
};

/** The bot, with everything it touches given to it. */
export function createBot(parts: BotParts): Bot {
  const now = parts.now ?? (() => new Date());
  const clients = createClients(parts.slack, parts.log);
  const identity = createIdentity(clients.interactive, { log: parts.log, now });
  const shell = shellOf(parts, { now, clients, botName: identity.botName });
  const { inflight, store, log, newReference } = shell;
  const receiver = createReceiver({
    signingSecret: parts.slack.signingSecret,
    botToken: parts.slack.botToken,
    routes: healthRoutes(() => missing(shell, identity.isKnown)),
    log,
    newReference,
    route: (body, ack) => route(shell, body, ack),
  });
  let server: Server | undefined;
  return {
    idle: inflight.idle,
    async start() {
      await identity.check();
      // Read before the first delivery: what is open now is nobody's.
      const left = await store.openRuns();
      server = await receiver.start({ host: parts.listen.host, port: parts.listen.port });
      inflight.start(() => tellLeftovers(shell, left));
      return { port: portOf(server) };
    },
    async stop() {
      const { aborted, left } = await inflight.drain();
      if (aborted > 0) log.warn({ aborted, left }, "stopped while commands were in flight");
      if (server === undefined) return;
      const closed = receiver.stop();
      server.closeAllConnections();
      await closed;
      server = undefined;
    },
  };
}

type Made = {
  readonly now: () => Date;
  readonly clients: ReturnType<typeof createClients>;
  readonly botName: () => string;
};

function shellOf(parts: BotParts, { now, clients, botName }: Made): Shell {
  const { log } = parts;
  const pause = (ms: number): Promise<void> => sleep(ms);
  const newReference = (): string => randomBytes(4).toString("hex");
  return {
    api: parts.api,
    account: parts.account,
    settings: parts.settings,
    directory: createDirectory(() => now().getTime()),
    store: parts.store,
    poster: createPoster({
      clients,
      reply: { fetch: (url, init) => fetch(url, init), wait: parts.backOff ?? pause },
      log,
      newReference,
      botName,
    }),
    inflight: createInflight(parts.drain ?? drainLimits, (err) => log.error({ err }, "work after an ack failed")),
    seen: createSeen(() => now().getTime()),
    log,
    now,
    wait: parts.wait ?? pause,
    newReference,
  };
}

async function missing({ store, inflight }: Shell, isKnown: () => Promise<boolean>): Promise<readonly string[]> {
  if (inflight.isStopping()) return ["Gantry is stopping"];
  const isSlackReady = await isKnown().catch(() => false);
  return [
    ...(store.isOpen() ? [] : ["the store is closed"]),
    ...(isSlackReady ? [] : ["Slack has not confirmed the bot token"]),
  ];
}

function portOf(server: Server): number {
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("the bot listens on no port");
  return address.port;
}
