import { randomBytes } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import type { Logger } from "pino";
import type { AccountMode } from "../accounts/resolve.ts";
import type { Sealer } from "../accounts/seal.ts";
import type { Api, ApiAccount } from "../../api/client.ts";
import type { Settings } from "../commands/command.ts";
import { createLogPool } from "../logs/threads/log-pool.ts";
import type { Policy } from "../policy/policy.ts";
import { type ArrivalTimes, createArrivalTimes } from "../slack/receive/arrival-times.ts";
import { healthRoutes } from "../slack/receive/health-routes.ts";
import { createRepeats } from "../slack/receive/repeats.ts";
import {
  createTransport,
  type Transport,
  type TransportParts,
  type TransportChoice,
} from "../slack/receive/transport.ts";
import type { Store } from "../store/store.ts";
import { type DrainLimits, drainLimits } from "../workflow/inbox/drain.ts";
import { createDropped, createRetries } from "../workflow/inbox/unfinished.ts";
import { createLanes, type Lanes } from "../workflow/inbox/lanes.ts";
import { createSweeper, sweep, type SweepDeps } from "../workflow/sweep.ts";
import type { HealthParts } from "./health/bot-checkup.ts";
import { createReporter } from "./health/replica-report.ts";
import { appParts } from "./workspaces/app-parts.ts";
import { createMovedPolicy, type MovedPolicy } from "./moved-policy.ts";
import type { Shared, Workspaces } from "./workspaces/workspaces.ts";
import { within } from "../../platform/waiting.ts";
import type { Network } from "../../platform/http/network.ts";
import type { OAuthApp } from "../slack/install/oauth.ts";
import type { SlackAccess } from "../slack/send/clients.ts";

export type BotParts = {
  readonly slack: SlackApp;
  /** Port 0 takes a free one. */
  readonly listen: { readonly host: string; readonly port: number };
  readonly api: Api;
  /** The workspace's account; undefined when each workspace connects its own. */
  readonly account: ApiAccount | undefined;
  readonly accountMode: AccountMode;
  /** Of a workspace; undefined until Slack has said which one it is. */
  readonly policy: (teamId: string | undefined) => Policy;
  readonly sealer: Sealer;
  readonly settings: Settings;
  readonly store: Store;
  readonly log: Logger;
  /** Another way to make the transport: tests end one without a word, as a killed process does. */
  readonly openTransport?: typeof createTransport;
  readonly health?: HealthParts;
  /** Slack accepts no connection any more until somebody changes something: what, as a sentence. */
  readonly onRefused?: (sentence: string) => void;
  readonly now?: () => Date;
  /** Between a write and its read-back, and between looks at its health. */
  readonly wait?: (ms: number) => Promise<void>;
  /** How long people wait before they are shown that something happens; in real time by default. */
  readonly patience?: (ms: number) => Promise<void>;
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
export function createBot(given: BotParts): Bot {
  const moved = createMovedPolicy(given.store);
  return botOf({ ...given, moved, policy: (teamId) => moved.of(teamId, given.policy(teamId)) });
}

type OwnParts = BotParts & { readonly moved: MovedPolicy };

function botOf(parts: OwnParts): Bot {
  const { log, store } = parts;
  const arrivals = createArrivalTimes(parts.now ?? (() => new Date()));
  const shared = sharedParts(parts, () => report());
  const { workspaces, pages, receive } = appParts(parts, shared);
  const sweepAll = sweepOf(parts, shared, workspaces);
  const sweeper = createSweeper({ log, sweep: sweepAll }, parts.sweepEveryMs);
  const notReady = async () => [...(await missing(store, shared.lanes, workspaces)), ...transport.missing()];
  const { openTransport = createTransport } = parts;
  const transport: Transport = openTransport(parts.slack.transport, {
    apiUrl: parts.slack.apiUrl,
    network: parts.slack.network,
    listen: parts.listen,
    routes: [...healthRoutes({ missing: notReady, lanes: shared.lanes.status }), ...pages],
    log,
    newReference: shared.newReference,
    onRefused: parts.onRefused,
    route: noted(arrivals, receive),
    onUnsigned: arrivals.noteUnsigned,
  });
  const report = reporterOf(parts, { arrivals, shared, workspaces, transport });
  return {
    idle: shared.lanes.idle,
    inProgress: shared.lanes.keys,
    sweep: sweepAll,
    async start() {
      await workspaces.begin();
      // A database that fails here fails for a moment: it was opened just before.
      await sweeper.once(async () => store.beat(await report()));
      const started = await transport.start();
      // Takes over what the last process left unfinished before the first command is answered.
      await sweeper.once(sweepAll);
      sweeper.start();
      return started;
    },
    async stop() {
      await sweeper.stop();
      await stopBot({ lanes: shared.lanes, store, transport, flush: () => flush(log, shared, workspaces), log });
    },
  };
}

function sweepOf({ log, store, sealer, moved }: OwnParts, shared: Shared, workspaces: Workspaces): () => Promise<void> {
  const { lanes, dropped, retries, clock, report } = shared;
  const { flushCalls } = workspaces;
  const workspaceOf: SweepDeps["workspaceOf"] = async (teamId) => (await workspaces.of(teamId)).deps;
  const deps: SweepDeps = { log, store, sealer, lanes, dropped, retries, clock, report, workspaceOf, flushCalls };
  return async () => {
    await moved.refresh();
    await workspaces.refresh();
    await sweep(deps);
  };
}

/** Saving call counts and refused deliveries is best effort. */
async function flush(log: Logger, { dropped, logs }: Shared, { flushCalls }: Workspaces): Promise<void> {
  try {
    await Promise.all([dropped.flush(), flushCalls(), logs.close()]);
  } catch (err) {
    log.warn({ err }, "couldn't count the last calls");
  }
}

function noted(arrivals: ArrivalTimes, receive: TransportParts["route"]): TransportParts["route"] {
  return (body, ack) => {
    arrivals.note(body);
    return receive(body, ack);
  };
}

type Reporting = {
  readonly arrivals: ArrivalTimes;
  readonly shared: Shared;
  readonly workspaces: Workspaces;
  readonly transport: Transport;
};

function reporterOf(parts: BotParts, { arrivals, shared, workspaces, transport }: Reporting): Shared["report"] {
  const { api, settings, log, policy, health, slack } = parts;
  return createReporter({
    api,
    isEmbedded: !URL.canParse(settings.serviceUrl),
    arrivals,
    lanes: shared.lanes,
    log,
    missing: async () => [...(await workspaces.missing()), ...transport.missing()],
    now: shared.clock.now,
    policy: () => policy(undefined),
    policyProblem: health?.policyProblem ?? (() => undefined),
    transport: { kind: slack.transport.kind, links: transport.links },
  });
}

/** A bot that stops doesn't wait for it. */
const unheld = (ms: number): Promise<void> => sleep(ms, undefined, { ref: false });

function sharedParts(parts: BotParts, report: Shared["report"]): Shared {
  const { log, store, now = () => new Date(), wait = pause, patience = unheld } = parts;
  const nowMs = (): number => now().getTime();
  return {
    clock: { now, wait, patience },
    dropped: createDropped(store, log),
    lanes: createLanes({
      drain: parts.drain ?? drainLimits,
      onError: (err) => log.error({ err }, "work after an ack failed"),
      nowMs,
    }),
    logs: createLogPool(),
    newReference: () => randomBytes(4).toString("hex"),
    report,
    repeats: createRepeats(nowMs),
    retries: createRetries(nowMs),
  };
}

const pause = (ms: number): Promise<void> => sleep(ms);

/** Reasons why the bot is not ready, as sentences. */
async function missing(store: Store, lanes: Shared["lanes"], workspaces: Workspaces): Promise<readonly string[]> {
  if (lanes.isStopping()) return ["Gantry is stopping"];
  const [ofSlack, isStoreReady] = await Promise.all([
    workspaces.missing(),
    store.isOpen() ? store.isReachable() : false,
  ]);
  return [
    ...(isStoreReady ? [] : [store.isOpen() ? "the database doesn't answer" : "the store is closed"]),
    ...ofSlack,
  ];
}

/** Asking for other replicas and saving call counts is best effort: a stop doesn't wait longer for the database. */
const ASK_WITHIN_MS = 250;

type Stopping = {
  readonly lanes: Pick<Lanes, "drain">;
  readonly store: Pick<Store, "isAlone">;
  readonly transport: Pick<Transport, "handOver" | "stop">;
  /** Saves what is counted in memory. Never rejects. */
  readonly flush: () => Promise<void>;
  readonly log: Logger;
};

/**
 * Leaves new deliveries to the other replicas, if there are any: without them, people are told that Gantry restarts. Then
 * ends what is in progress.
 */
export async function stopBot({ lanes, store, transport, flush, log }: Stopping): Promise<void> {
  const isAlone = await inTime(store.isAlone().catch(() => true));
  if (isAlone === false) await transport.handOver();
  const { aborted, left } = await lanes.drain();
  if (aborted > 0) log.warn({ aborted, left }, "stopped while commands were running");
  await inTime(flush());
  await transport.stop();
}

function inTime<Result>(work: Promise<Result>): Promise<Result | undefined> {
  return within(ASK_WITHIN_MS, work, () => undefined);
}

/** The app in Slack: with the token of its one workspace, or installed in several by OAuth. */
export type SlackApp = {
  readonly transport: TransportChoice;
  /** Another base URL than Slack's own Web API, with the slash at its end. */
  readonly apiUrl?: string;
  /** Default: without a proxy. */
  readonly network?: Network;
} & (Pick<SlackAccess, "botToken"> | { readonly oauth: OAuthApp });
