import { randomUUID } from "node:crypto";
import type { Logger } from "pino";
import { createSealer } from "../accounts/seal.ts";
import { createApi } from "../../api/client.ts";
import { type Clock, machineClock } from "../../platform/clock.ts";
import { sendTo } from "../../platform/http/send.ts";
import { auditReceivers } from "./audit/receivers.ts";
import { openKeyring } from "./keys.ts";
import { readAppManifest } from "./manifest.ts";
import type { Config, EmbeddedService } from "./config.ts";
import { loadTls } from "../../platform/database/database-tls.ts";
import type { Settings } from "../commands/command.ts";
import { createNetwork, type Network } from "../../platform/http/network.ts";
import { type Measure, unmeasured } from "../../platform/trail.ts";
import { withPortSentence } from "../../platform/http/port.ts";
import type { LocalSlackOptions } from "./stand-ins/local-slack.ts";
import { freeBytesOf } from "./health/bot-checkup.ts";
import type { Observing } from "./observing/observer.ts";
import { openPolicy, openWatches } from "./operator-files.ts";
import { type BotParts, createBot } from "./bot.ts";
import { openStore } from "../store/open-store.ts";
import type { EngineAbout } from "../../service/engine.ts";
import { ConfigError } from "./config-problems.ts";

export type Gantry = {
  readonly botPort: number;
  /** Undefined without the simulated workspace. */
  readonly playgroundPort: number | undefined;
  /** Of `/metrics`; undefined when it is off. */
  readonly metricsPort: number | undefined;
  /** Notices for the operator, as sentences. */
  readonly notices: readonly string[];
  /** Stops the bot, then the simulated workspace, then the embedded service with its workloads. May be called twice. */
  readonly stop: () => Promise<void>;
  /** Unfinished deliveries and changes, by id. */
  readonly inProgress: () => readonly string[];
};

type Closers = (() => Promise<void>)[];

type StartOptions = Pick<BotParts, "onRefused"> & {
  /** Aborts the start, which then rejects with the signal's reason. */
  readonly signal?: AbortSignal | undefined;
};

/** Starts all parts, or closes those that it started and rejects. Imports only the stand-ins that are used. */
export async function startGantry(config: Config, log: Logger, options: StartOptions = {}): Promise<Gantry> {
  const closers: Closers = [];
  let stopped: Promise<void> | undefined;
  const stop = (): Promise<void> => (stopped ??= closeAll(closers));
  try {
    return { ...(await startParts(config, { ...options, log, closers })), stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function startParts(
  config: Config,
  { signal, log, closers, ...telling }: StartOptions & { readonly log: Logger; readonly closers: Closers },
): Promise<Omit<Gantry, "stop">> {
  const { listen, dataDir, service, store: place } = config;
  const clock = machineClock;
  const network = createNetwork(config.proxy);
  closers.push(network.close);
  const sealer = createSealer(openKeyring(config));
  const policy = await openPolicy({ path: config.policyPath, log, clock });
  closers.push(async () => policy.close());
  const { slack: app } = config;
  const needsTeam = app.kind === "real" && app.tokens.kind === "oauth";
  const watches = await openWatches({ path: config.watchesPath, needsTeam, log, clock });
  closers.push(async () => watches.close());
  // Every process is a new replica, also after a restart.
  const replicaId = randomUUID();
  const observing = await observe(config, { replicaId, log, clock }, closers);
  const store = await openStore({
    replicaId,
    keepHistoryMs: config.historyMs,
    signal,
    log,
    sealer,
    ...(place.kind === "sqlite" ? { kind: "sqlite", dataDir } : { ...place, tls: loadTls(place.tls) }),
  });
  closers.push(store.close);
  signal?.throwIfAborted();
  const { measure } = observing?.observer ?? {};
  const { api, account, switches, notices, settings } = await openService(config, {
    log,
    clock,
    network,
    closers,
    measure,
  });
  let botPort = listen.port;
  const slack = await openSlack(
    config,
    { botPort: () => botPort, externalFaults: switches, onTrouble: (text) => log.warn(text) },
    closers,
  );
  const bot = createBot({
    slack: { ...slack.access, network },
    listen,
    api,
    account,
    accountMode: config.accountMode,
    policy: policy.current,
    fileWatches: watches.current,
    health: {
      callsPerDay: service.kind === "embedded" ? service.callsPerDay : undefined,
      policyProblem: policy.problem,
      watches: watches.facts,
      ...(place.kind === "sqlite" && { freeBytes: () => freeBytesOf(dataDir) }),
    },
    sealer,
    settings,
    store,
    observer: observing?.observer,
    auditReceivers: auditReceivers(config.audit, { fetch: network.fetch, clock }),
    log,
    ...telling,
  });
  closers.push(bot.stop);
  const started = await withPortSentence({ ...listen, variable: "PORT" }, bot.start());
  botPort = started.port;
  // For a trial: nobody asked for it on their cluster.
  const isDemo = service.kind === "embedded" && service.engine.descriptor.isTrial && app.kind === "playground";
  if (isDemo && account !== undefined) {
    const { createDemo } = await import("./stand-ins/local-service.ts");
    await createDemo(api.as(account), { dataDir, settings, log, store, clock });
  }
  return {
    botPort,
    playgroundPort: slack.port,
    metricsPort: observing?.port,
    notices: [...notices, ...slack.notices],
    inProgress: bot.inProgress,
  };
}

type Parts = {
  readonly log: Logger;
  readonly clock: Clock;
  readonly network: Network;
  readonly closers: Closers;
  readonly measure: Measure | undefined;
};

/** Undefined when nothing is measured or traced: nothing is loaded for it then. */
async function observe(
  config: Config,
  parts: Pick<Parts, "log" | "clock"> & { readonly replicaId: string },
  closers: Closers,
): Promise<Observing | undefined> {
  if (config.metrics === undefined && config.tracing === undefined) return undefined;
  const { openObserver } = await import("./observing/observer.ts");
  const observing = await openObserver(config, parts);
  closers.push(observing.close);
  return observing;
}

/** The workload API, and the settings with the regions of its engine. Only the simulated Slack has a page with switches. */
async function openService(config: Config, { network, measure = unmeasured, ...parts }: Parts) {
  const { service, slack } = config;
  const { baseUrl, send, account, ...opened } =
    service.kind === "remote"
      ? { baseUrl: service.url, send: network.send, account: service.account, notices: [], settings: config.settings }
      : await openEmbedded(config, service, parts);
  const { clock } = parts;
  const way =
    slack.kind === "playground"
      ? (await import("./stand-ins/local-slack.ts")).troubledService(send, clock)
      : { send, switches: [] };
  return { ...opened, account, switches: way.switches, api: createApi({ baseUrl, send: way.send, clock, measure }) };
}

async function openEmbedded(
  { dataDir, settings }: Config,
  service: EmbeddedService,
  { log, clock, closers }: Pick<Parts, "log" | "clock" | "closers">,
) {
  const { openLocalService } = await import("./stand-ins/local-service.ts");
  const { fetch, close, about, ...local } = await openLocalService({ config: service, dataDir, log, clock });
  closers.push(close);
  return {
    ...local,
    send: sendTo(fetch),
    settings: service.engine.regions === undefined ? withRegionsOf(about(), settings, service) : settings,
  };
}

type Slack = {
  readonly access: BotParts["slack"];
  readonly port: number | undefined;
  readonly notices: readonly string[];
};

type LocalParts = Pick<LocalSlackOptions, "botPort" | "onTrouble" | "externalFaults">;

async function openSlack({ slack, settings, dataDir }: Config, parts: LocalParts, closers: Closers): Promise<Slack> {
  const scopes = (): readonly string[] => readAppManifest().oauth_config.scopes.bot;
  if (slack.kind === "real") {
    const { tokens, transport, apiUrl } = slack;
    const app = tokens.kind === "one" ? { botToken: tokens.botToken } : { oauth: { ...tokens, scopes: scopes() } };
    return { access: { transport, ...(apiUrl !== undefined && { apiUrl }), ...app }, port: undefined, notices: [] };
  }
  const { transport, host, port } = slack;
  const botUrl = (): string => `http://127.0.0.1:${parts.botPort()}`;
  const oauth = slack.workspaces === "several" ? { botUrl } : undefined;
  const { openLocalSlack } = await import("./stand-ins/local-slack.ts");
  const { command } = settings;
  const way = { transport, host, port, dataDir, command, ...parts, ...(oauth && { oauth }) };
  const { access, client, playground, close, port: taken } = await openLocalSlack(way);
  closers.push(close);
  const app = oauth === undefined ? access : { ...access, oauth: { ...client, url: botUrl(), scopes: scopes() } };
  return { access: app, port: taken, notices: playground.notices };
}

/** Closes in reverse order. A failure doesn't keep the other parts open. */
async function closeAll(closers: Closers): Promise<void> {
  let failure: unknown;
  for (const close of closers.toReversed()) {
    try {
      await close();
    } catch (error) {
      failure ??= error;
    }
  }
  if (failure !== undefined) throw failure;
}

type Chosen = { readonly region?: string | undefined; readonly jobsRegion?: string | undefined };

/**
 * The settings with the regions of an engine that knows them itself. Throws a `ConfigError` when the operator chose one
 * that it doesn't have.
 */
export function withRegionsOf({ regions }: EngineAbout, settings: Settings, chosen: Chosen): Settings {
  const services = regions.filter((each) => each.services).map(({ name }) => name);
  const jobs = regions.filter((each) => each.jobs).map(({ name }) => name);
  const problems = [
    ...wrong("WORKLOAD_REGION", chosen.region, services),
    ...wrong("WORKLOAD_JOBS_REGION", chosen.jobsRegion, jobs),
  ];
  if (problems.length > 0) throw new ConfigError(problems);
  return {
    ...settings,
    region: chosen.region ?? services[0] ?? settings.region,
    regions: services,
    jobsRegion: chosen.jobsRegion ?? jobs[0] ?? settings.jobsRegion,
  };
}

function wrong(variable: string, value: string | undefined, known: readonly string[]): string[] {
  return value === undefined || known.includes(value) ? [] : [`${variable} must be ${known.join(" or ")}, or unset.`];
}
