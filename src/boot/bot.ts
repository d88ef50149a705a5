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
import type { SlackAccess } from "../slack/send/clients.ts";
import { homeLater } from "../slack/home/draw.ts";
import { createFormReply } from "../slack/modals/form-reply.ts";
import { createOpenViews } from "../slack/modals/open-views.ts";
import { healthRoutes } from "../slack/receive/health-routes.ts";
import { createReceiver, startReceiver } from "../slack/receive/http.ts";
import { createRepeats } from "../slack/receive/repeats.ts";
import { route, type RouteDeps } from "../slack/receive/route.ts";
import type { Store } from "../store/store.ts";
import { createAccounts } from "../workflow/access/accounts.ts";
import { createCallCounts } from "../workflow/access/call-counts.ts";
import { createEnvValues, rememberingEnv } from "../workflow/access/env-values.ts";
import { type DrainLimits, drainLimits } from "../workflow/inbox/drain.ts";
import { createDropped } from "../workflow/inbox/dropped.ts";
import { createLanes } from "../workflow/inbox/lanes.ts";
import { createRetries } from "../workflow/inbox/retry.ts";
import { createSweeper, sweep, type SweepDeps } from "../workflow/sweep.ts";
import { connectSlack, type SlackParts } from "./slack-parts.ts";

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
  /** Time between two sweeps, in milliseconds. */
  readonly sweepEveryMs?: number;
};

export type Bot = {
  /** Resolves when Slack's deliveries are taken. Throws when the port is taken or Slack does not know the token. */
  readonly start: () => Promise<{ readonly port: number }>;
  /** Takes nothing new, lets work in progress end or tells its people, then stops listening: within 20 s. */
  readonly stop: () => Promise<void>;
  /** Resolves when nothing is in flight. */
  readonly idle: () => Promise<void>;
  /** Unfinished deliveries, changes and cards, by id. */
  readonly inProgress: () => readonly string[];
  /** Sweeps now: expired requests, work left by replicas that are gone, outdated cards. */
  readonly sweep: () => Promise<void>;
};

/** Puts the parts of the bot together. */
export function createBot(parts: BotParts): Bot {
  const { log, store } = parts;
  const app = compose(parts);
  const { lanes, identity } = app;
  const sweeper = createSweeper(app.deps, parts.sweepEveryMs);
  const receiver = createReceiver({
    signingSecret: parts.slack.signingSecret,
    botToken: parts.slack.botToken,
    routes: healthRoutes({ missing: () => missing(parts, app), lanes: lanes.status }),
    log,
    newReference: app.deps.newReference,
    route: (body, ack) => route(app.deps, body, ack),
  });
  let server: Server | undefined;
  return {
    idle: lanes.idle,
    inProgress: lanes.keys,
    sweep: () => sweep(app.deps),
    async start() {
      await identity.check();
      await store.beat();
      server = await startReceiver(receiver, { ...parts.listen, log });
      // Takes over what the last process left unfinished before the first command is answered.
      await sweep(app.deps);
      sweeper.start();
      return { port: portOf(server) };
    },
    async stop() {
      await sweeper.stop();
      const { aborted, left } = await lanes.drain();
      if (aborted > 0) log.warn({ aborted, left }, "stopped while commands were running");
      await Promise.race([app.flush(), sleep(FLUSH_WITHIN_MS, undefined, { ref: false })]);
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

/** Saving call counts and refused deliveries is best effort: a stop doesn't wait longer for the database. */
const FLUSH_WITHIN_MS = 250;

type App = Pick<SlackParts, "identity" | "tokenRefusal"> & {
  readonly lanes: ReturnType<typeof createLanes>;
  /** Everything that arrives is handled with these, and every sweep works with them. */
  readonly deps: RouteDeps & SweepDeps;
  readonly flush: () => Promise<void>;
};

function compose(parts: BotParts): App {
  const { log, store, now = () => new Date(), wait = pause } = parts;
  const newReference = (): string => randomBytes(4).toString("hex");
  const nowMs = (): number => now().getTime();
  const clock = { now, wait };
  const lanes = createLanes({
    drain: parts.drain ?? drainLimits,
    onError: (err) => log.error({ err }, "work after an ack failed"),
    nowMs,
  });
  const slack = connectSlack(parts, {
    clock,
    newReference,
    // Both need the parts that need the responder.
    formReply: (form, origin) => createFormReply(deps, { form, origin }),
    refreshHome: (origin) => homeLater(deps, origin),
  });
  const { messenger, people, responder, cards, identity, tokenRefusal } = slack;
  const workloads = workloadParts(parts, now);
  const dropped = createDropped(store, log);
  const deps: App["deps"] = {
    ...pick(parts),
    ...workloads,
    cards,
    clock,
    dropped,
    lanes,
    messenger,
    newReference,
    openViews: createOpenViews(),
    people,
    repeats: createRepeats(nowMs),
    responder,
    retries: createRetries(nowMs),
  };
  return { deps, lanes, identity, tokenRefusal, flush: () => flush({ ...workloads, dropped, log }) };
}

function pick({ log, policy, sealer, settings, store }: BotParts) {
  return { log, policy, sealer, settings, store };
}

/** Reaches the workload API with people's accounts. */
function workloadParts({ api: parent, store, sealer, accountMode: mode, account }: BotParts, now: () => Date) {
  const nowMs = (): number => now().getTime();
  const envValues = createEnvValues(nowMs);
  const api = rememberingEnv(parent, envValues);
  const workspace = { owner: { kind: "workspace" }, ...account } as const;
  return {
    api,
    accounts: createAccounts({ store, sealer, mode, workspace, nowMs }),
    calls: createCallCounts({ api, store, now }),
    directory: createDirectory(nowMs),
    envValues,
    logs: createLogPool(),
  };
}

const pause = (ms: number): Promise<void> => sleep(ms);

type Flushed = Pick<SweepDeps, "calls" | "dropped" | "log"> & { readonly logs: ReturnType<typeof createLogPool> };

async function flush({ calls, dropped, logs, log }: Flushed): Promise<void> {
  try {
    await Promise.all([dropped.flush(), calls.flush(), logs.close()]);
  } catch (err) {
    log.warn({ err }, "couldn't count the last calls");
  }
}

/** Reasons why the bot is not ready, as sentences. */
async function missing({ store }: BotParts, { lanes, identity, tokenRefusal }: App): Promise<readonly string[]> {
  if (lanes.isStopping()) return ["Gantry is stopping"];
  const [isSlackReady, isStoreReady] = await Promise.all([
    identity.isKnown().catch(() => false),
    store.isOpen() ? store.isReachable() : false,
  ]);
  identity.recheck();
  const refusal = tokenRefusal();
  return [
    ...(isStoreReady ? [] : [store.isOpen() ? "the database doesn't answer" : "the store is closed"]),
    ...(isSlackReady ? [] : ["Slack hasn't confirmed the bot token"]),
    ...(refusal === undefined ? [] : [`Slack rejected the bot token (${refusal})`]),
  ];
}

function portOf(server: Server): number {
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("the bot listens on no port");
  return address.port;
}
