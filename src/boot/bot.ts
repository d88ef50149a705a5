import { randomBytes } from "node:crypto";
import type { Server } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import type { Logger } from "pino";
import type { AccountMode } from "../accounts/account.ts";
import type { Sealer } from "../accounts/seal.ts";
import type { Api, ApiAccount } from "../api/client.ts";
import type { Settings } from "../commands/command.ts";
import { createDirectory } from "../commands/lookup/directory.ts";
import { createLogPool } from "../log-worker/log-pool.ts";
import type { Policy } from "../policy/policy.ts";
import type { Store } from "../store/store.ts";
import { createAccounts } from "../workflow/access/accounts.ts";
import { createCalls } from "../workflow/access/call-counts.ts";
import { createClients, type SlackAccess } from "../slack/send/clients.ts";
import { createEnvSeen, notingEnv } from "../workflow/access/env-values.ts";
import { createDropped } from "../workflow/inbox/dropped.ts";
import { healthRoutes } from "../slack/receive/health-routes.ts";
import { createIdentity, type Identity } from "../slack/directory/identity.ts";
import { type DrainLimits, drainLimits } from "../workflow/inbox/drain.ts";
import { createLanes } from "../workflow/inbox/lanes.ts";
import { createPace } from "../slack/directory/pace.ts";
import { createPeople } from "../slack/directory/people.ts";
import { createBackOff } from "../slack/send/back-off.ts";
import { logFailure } from "../slack/send/call.ts";
import { createMessenger } from "../slack/send/messenger.ts";
import { posterAlias } from "../slack/send/poster.ts";
import { createResponder } from "../slack/send/responder.ts";
import { classify } from "../slack/send/slack-error.ts";
import { createCards } from "../slack/cards/cards.ts";
import { homeLater } from "../slack/home/draw.ts";
import { createReceiver, startReceiver } from "../slack/receive/http.ts";
import { route } from "../slack/receive/route.ts";
import { createFormReply } from "../slack/modals/form-reply.ts";
import { createOpenViews } from "../slack/modals/open-views.ts";
import { createRepeats } from "../slack/receive/repeats.ts";
import type { Origin } from "../workflow/origin.ts";
import type { Shell } from "../workflow/shell.ts";
import { sweep } from "../workflow/sweep.ts";
import { createSweeper } from "../workflow/sweeper.ts";
import { createUnfinished } from "../workflow/inbox/retry.ts";

export type BotParts = {
  readonly slack: SlackAccess & { readonly signingSecret: string };
  /** Port 0 takes a free one. */
  readonly listen: { readonly host: string; readonly port: number };
  readonly api: Api;
  /** The workspace's account. */
  readonly account: ApiAccount;
  readonly accountMode: AccountMode;
  readonly policy: () => Policy;
  readonly sealer: Sealer;
  readonly settings: Settings;
  readonly store: Store;
  readonly log: Logger;
  readonly now?: () => Date;
  /** Between a write and its read-back, and between looks at its health. */
  readonly wait?: (ms: number) => Promise<void>;
  /** Before a response_url is tried again. */
  readonly backOff?: (ms: number) => Promise<void>;
  readonly drain?: DrainLimits;
  /** How often it looks for what has to be carried on, in milliseconds. */
  readonly sweepEveryMs?: number;
};

export type Bot = {
  /** Resolves when Slack's deliveries are taken. Throws when the port is taken or Slack does not know the token. */
  readonly start: () => Promise<{ readonly port: number }>;
  /** Takes nothing new, lets what is in flight end or tells its people, then stops listening: within 20 s. */
  readonly stop: () => Promise<void>;
  /** Resolves when nothing is in flight. */
  readonly idle: () => Promise<void>;
  /** Unfinished deliveries, changes and cards, by id. */
  readonly inProgress: () => readonly string[];
  /** Looks at once for what has to be carried on: expiries, what others left behind, cards to redraw. */
  readonly sweep: () => Promise<void>;
};

/** The bot, with everything it touches given to it. */
export function createBot(parts: BotParts): Bot {
  const now = parts.now ?? (() => new Date());
  const clients = createClients(parts.slack, parts.log);
  const { interactive: client, tokenRefusal } = clients;
  const identity = createIdentity({ client, tokenRefusal, log: parts.log, now });
  const shell = shellOf(parts, { now, clients, identity });
  const { lanes, store, log, newReference } = shell;
  const sweeper = createSweeper(shell, parts.sweepEveryMs);
  const receiver = createReceiver({
    signingSecret: parts.slack.signingSecret,
    botToken: parts.slack.botToken,
    routes: healthRoutes({ missing: () => missing(shell, tokenRefusal), lanes: lanes.status }),
    log,
    newReference,
    route: (body, ack) => route(shell, body, ack),
  });
  let server: Server | undefined;
  return {
    idle: lanes.idle,
    inProgress: lanes.keys,
    sweep: () => sweep(shell),
    async start() {
      await identity.check();
      await store.beat();
      server = await startReceiver(receiver, { ...parts.listen, log });
      // Before the first command is answered, what the last process left behind is taken up.
      await sweep(shell);
      sweeper.start();
      return { port: portOf(server) };
    },
    async stop() {
      await sweeper.stop();
      const { aborted, left } = await lanes.drain();
      if (aborted > 0) log.warn({ aborted, left }, "stopped while commands were in flight");
      await Promise.race([flushed(shell), sleep(FLUSH_WITHIN_MS, undefined, { ref: false })]);
      if (server === undefined) return;
      await closed(receiver, server);
      server = undefined;
    },
  };
}

async function closed(receiver: { readonly stop: () => Promise<unknown> }, server: Server): Promise<void> {
  const stopped = receiver.stop();
  server.closeAllConnections();
  await stopped;
}

/**
 * Saves call counts and refused deliveries since the last sweep. Best effort: nothing waits for the database.
 */
const FLUSH_WITHIN_MS = 250;

async function flushed({ calls, dropped, log, logs }: Shell): Promise<void> {
  try {
    await Promise.all([dropped.flush(), calls.flush(), logs.close()]);
  } catch (err) {
    log.warn({ err }, "the last calls could not be counted");
  }
}

type Made = {
  readonly now: () => Date;
  readonly clients: ReturnType<typeof createClients>;
  readonly identity: Identity;
};

function shellOf(parts: BotParts, made: Made): Shell {
  const { log, store, settings, sealer, policy, accountMode: mode } = parts;
  const { now, identity } = made;
  const newReference = (): string => randomBytes(4).toString("hex");
  const nowMs = (): number => now().getTime();
  const envSeen = createEnvSeen(nowMs);
  const api = notingEnv(parts.api, envSeen);
  const workspace = { owner: { kind: "workspace" }, ...parts.account } as const;
  const refreshHome = (origin: Origin): void => homeLater(shell, origin);
  const shell: Shell = {
    ...slackOf(parts, { ...made, newReference, refreshHome }),
    api,
    accounts: createAccounts({ store, sealer, mode, workspace, nowMs }),
    calls: createCalls({ api, store, now }),
    directory: createDirectory(nowMs),
    envSeen,
    dropped: createDropped(store, log),
    identity,
    lanes: createLanes({
      drain: parts.drain ?? drainLimits,
      onError: (err) => log.error({ err }, "work after an ack failed"),
      nowMs,
    }),
    logs: createLogPool(),
    policy,
    sealer,
    repeats: createRepeats(nowMs),
    settings,
    store,
    unfinished: createUnfinished(nowMs),
    log,
    now,
    wait: parts.wait ?? pause,
    clock: { now, wait: parts.wait ?? pause },
    formReply: (form, origin) => createFormReply(shell, { form, origin }),
    openViews: createOpenViews(),
    newReference,
  };
  return shell;
}

const pause = (ms: number): Promise<void> => sleep(ms);

type SlackMade = Made & Pick<Shell, "newReference"> & { readonly refreshHome: (origin: Origin) => void };

/** Everything that speaks to Slack. */
function slackOf(parts: BotParts, { now, clients, identity, newReference, refreshHome }: SlackMade) {
  const { log, store, settings, sealer } = parts;
  const nowMs = (): number => now().getTime();
  const wait = parts.backOff ?? pause;
  const messenger = createMessenger({
    clients,
    backOff: createBackOff(nowMs),
    wait,
    replies: { fetch: (url: string, init: RequestInit) => fetch(url, init), wait },
    log,
    newReference,
    command: settings.command,
  });
  const people = createPeople({
    client: clients.interactive,
    teamId: () => teamOf(identity),
    nowMs,
    pace: createPace({ nowMs, wait, backOff: createBackOff(nowMs) }),
    bot: identity.bot,
    failed(lookup, cause) {
      const reference = newReference();
      logFailure(log, { ...lookup, ...classify(cause), reference });
      return reference;
    },
  });
  const responder = createResponder({ messenger, people, log, refreshHome });
  const cards = createCards({ messenger, responder, people, store, sealer, settings, clock: { now }, log });
  return { messenger, people, responder, cards, poster: posterAlias(responder) };
}

async function teamOf(identity: Identity): Promise<string | undefined> {
  await identity.isKnown();
  return identity.teamId();
}

async function missing(
  { store, lanes, identity }: Shell,
  tokenRefusal: () => string | undefined,
): Promise<readonly string[]> {
  if (lanes.isStopping()) return ["Gantry is stopping"];
  const [isSlackReady, isStoreReady] = await Promise.all([
    identity.isKnown().catch(() => false),
    store.isOpen() ? store.isReachable() : false,
  ]);
  identity.recheck();
  const refusal = tokenRefusal();
  return [
    ...(isStoreReady ? [] : [store.isOpen() ? "the database does not answer" : "the store is closed"]),
    ...(isSlackReady ? [] : ["Slack has not confirmed the bot token"]),
    ...(refusal === undefined ? [] : [`Slack refuses the bot token (${refusal})`]),
  ];
}

function portOf(server: Server): number {
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("the bot listens on no port");
  return address.port;
}
