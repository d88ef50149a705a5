import { randomUUID } from "node:crypto";
import type { Logger } from "pino";
import { createSealer } from "../accounts/seal.ts";
import { createApi, type Api, type ApiAccount } from "../../api/client.ts";
import { type Clock, machineClock } from "../../platform/clock.ts";
import { sendTo } from "../../platform/http/send.ts";
import { auditReceivers } from "./audit/receivers.ts";
import { openKeyring } from "./keys.ts";
import { readAppManifest } from "./manifest.ts";
import type { Config, RealSlack } from "./config.ts";
import { loadTls } from "../../platform/database/database-tls.ts";
import type { Settings } from "../commands/command.ts";
import { createNetwork, type Network } from "../../platform/http/network.ts";
import { type Measure, unmeasured } from "../../platform/trail.ts";
import { withPortSentence } from "../../platform/http/port.ts";
import type { LocalSlackOptions } from "./stand-ins/local-slack.ts";
import type { ExternalFault } from "../../playground/world.ts";
import type { HealthParts } from "./health/bot-checkup.ts";
import { freeBytesOf } from "./health/gather-facts.ts";
import type { Observing } from "./observing/open-observer.ts";
import { openPolicy, type PolicySource } from "./policy-source.ts";
import { openWatches, type WatchesSource } from "./watches-source.ts";
import { troubledService } from "./stand-ins/service-trouble.ts";
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

type StartOptions = {
  /** Aborts the start, which then rejects with the signal's reason. */
  readonly signal?: AbortSignal | undefined;
  /** Called with a sentence when Slack refuses all connections until an operator acts. */
  readonly onRefused?: (sentence: string) => void;
};

/** Starts all parts, or closes those that it started and rejects. Imports only the stand-ins that are used. */
export async function startGantry(
  config: Config,
  log: Logger,
  { signal, onRefused }: StartOptions = {},
): Promise<Gantry> {
  const closers: Closers = [];
  let stopped: Promise<void> | undefined;
  const stop = (): Promise<void> => (stopped ??= closeAll(closers));
  try {
    return { ...(await startParts(config, { log, signal, ...(onRefused && { onRefused }) }, closers)), stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function startParts(
  config: Config,
  { signal, ...logging }: Pick<BotParts, "log" | "onRefused"> & Pick<StartOptions, "signal">,
  closers: Closers,
): Promise<Omit<Gantry, "stop">> {
  const { listen, dataDir } = config;
  const { log } = logging;
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
    ...(config.store.kind === "sqlite"
      ? { kind: "sqlite", dataDir }
      : { ...config.store, tls: loadTls(config.store.tls) }),
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
    health: healthOf(config, { policy, watches }),
    sealer,
    settings,
    store,
    observer: observing?.observer,
    auditReceivers: auditReceivers(config.audit, { fetch: network.fetch, clock }),
    ...logging,
  });
  closers.push(bot.stop);
  const started = await withPortSentence({ ...listen, variable: "PORT" }, bot.start());
  botPort = started.port;
  const { service } = config;
  // For a trial: nobody asked for it on their cluster.
  const isDemo = service.kind === "embedded" && service.engine.descriptor.isTrial && config.slack.kind === "playground";
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

/** Undefined when nothing is measured or traced: nothing is loaded for it then. */
async function observe(
  config: Config,
  parts: { readonly replicaId: string; readonly log: Logger; readonly clock: Clock },
  closers: Closers,
): Promise<Observing | undefined> {
  if (config.metrics === undefined && config.tracing === undefined) return undefined;
  const { openObserver } = await import("./observing/open-observer.ts");
  const observing = await openObserver(config, parts);
  closers.push(observing.close);
  return observing;
}

function healthOf(
  { service, store, dataDir }: Config,
  { policy, watches }: { readonly policy: PolicySource; readonly watches: WatchesSource },
): HealthParts {
  return {
    callsPerDay: service.kind === "embedded" ? service.callsPerDay : undefined,
    policyProblem: policy.problem,
    watches: watches.facts,
    ...(store.kind === "sqlite" && { freeBytes: () => freeBytesOf(dataDir) }),
  };
}

type Service = {
  readonly api: Api;
  /** Undefined when each workspace connects its own. */
  readonly account: ApiAccount | undefined;
  readonly switches: readonly ExternalFault[];
  readonly notices: readonly string[];
  /** With the regions of the engine. */
  readonly settings: Settings;
};

type Parts = {
  readonly log: Logger;
  readonly clock: Clock;
  readonly network: Network;
  readonly closers: Closers;
  readonly measure: Measure | undefined;
};

async function openService(
  { service, slack, dataDir, settings }: Config,
  { log, clock, network, closers, measure = unmeasured }: Parts,
): Promise<Service> {
  if (service.kind === "remote") {
    const { url, account } = service;
    // Only the playground has a page with switches.
    const way = slack.kind === "playground" ? troubledService(network.send, clock) : undefined;
    const api = createApi({ baseUrl: url, send: way?.send ?? network.send, clock, measure });
    return { api, account, switches: way?.switches ?? [], notices: [], settings };
  }
  const { openLocalService } = await import("./stand-ins/local-service.ts");
  const local = await openLocalService({ config: service, dataDir, log, clock });
  closers.push(local.close);
  const way = troubledService(sendTo(local.fetch), clock);
  return {
    api: createApi({ baseUrl: local.baseUrl, send: way.send, clock, measure }),
    account: local.account,
    switches: way.switches,
    notices: [...local.notices, ...local.found],
    settings: service.engine.regions === undefined ? withRegionsOf(local.about(), settings, service) : settings,
  };
}

type Slack = {
  readonly access: BotParts["slack"];
  readonly port: number | undefined;
  readonly notices: readonly string[];
};

type LocalParts = Pick<LocalSlackOptions, "botPort" | "onTrouble"> & {
  readonly externalFaults: readonly ExternalFault[];
};

function accessOf({ tokens, transport, apiUrl }: RealSlack): BotParts["slack"] {
  const common = { transport, ...(apiUrl !== undefined && { apiUrl }) };
  if (tokens.kind === "one") return { ...common, botToken: tokens.botToken };
  const { clientId, clientSecret, url } = tokens;
  return { ...common, oauth: { clientId, clientSecret, url, scopes: scopesOfBot() } };
}

function scopesOfBot(): readonly string[] {
  return readAppManifest().oauth_config.scopes.bot;
}

async function openSlack({ slack, settings, dataDir }: Config, parts: LocalParts, closers: Closers): Promise<Slack> {
  if (slack.kind === "real") {
    const access = accessOf(slack);
    return { access, port: undefined, notices: [] };
  }
  const { transport, host, port } = slack;
  const botUrl = (): string => `http://127.0.0.1:${parts.botPort()}`;
  const oauth = slack.workspaces === "several" ? { botUrl } : undefined;
  const { openLocalSlack } = await import("./stand-ins/local-slack.ts");
  const local = await openLocalSlack({
    transport,
    host,
    port,
    dataDir,
    command: settings.command,
    ...parts,
    ...(oauth && { oauth }),
  });
  closers.push(local.close);
  const { access, client, playground } = local;
  const installed = {
    apiUrl: access.apiUrl,
    transport: access.transport,
    oauth: { ...client, url: botUrl(), scopes: scopesOfBot() },
  };
  return { access: oauth === undefined ? access : installed, port: local.port, notices: playground.notices };
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
