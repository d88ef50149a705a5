import { randomUUID } from "node:crypto";
import type { Logger } from "pino";
import { createSealer } from "./accounts/seal.ts";
import { createApi, type Api, type ApiAccount } from "./api/client.ts";
import type { Config } from "./boot/config.ts";
import { loadTls } from "./boot/database-tls.ts";
import { createDemo } from "./stand-ins/demo.ts";
import { openKeyring } from "./boot/key-file.ts";
import { withPortSentence } from "./http/listen.ts";
import { openLocalService } from "./stand-ins/local-service.ts";
import { openLocalSlack, type LocalSlackOptions } from "./stand-ins/local-slack.ts";
import type { ExternalFault } from "./playground/world.ts";
import { openPolicy } from "./boot/policy-source.ts";
import { troubledService } from "./stand-ins/service-trouble.ts";
import { createBot } from "./boot/bot.ts";
import { openStore, type OpenStore } from "./store/open-store.ts";

export type Gantry = {
  readonly botPort: number;
  /** Undefined without the simulated workspace. */
  readonly playgroundPort: number | undefined;
  /** Notices for the operator, as sentences. */
  readonly notices: readonly string[];
  /** Stops the bot, then the simulated workspace, then the embedded service with its workloads. May be called twice. */
  readonly stop: () => Promise<void>;
  /** Unfinished deliveries and changes, by id. */
  readonly inProgress: () => readonly string[];
};

type Closers = (() => Promise<void>)[];

/** Starts all parts or none: after a failure, the open ones are closed again. */
export async function startGantry(config: Config, log: Logger): Promise<Gantry> {
  const closers: Closers = [];
  let stopped: Promise<void> | undefined;
  const stop = (): Promise<void> => (stopped ??= closeAll(closers));
  try {
    return { ...(await startParts(config, log, closers)), stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function startParts(config: Config, log: Logger, closers: Closers): Promise<Omit<Gantry, "stop">> {
  const { settings, listen, dataDir } = config;
  const sealer = createSealer(openKeyring(config));
  const policy = await openPolicy({ path: config.policyPath, log });
  closers.push(async () => policy.close());
  const store = await openStore({ ...storeOf(config, log), sealer });
  closers.push(store.close);
  const { api, account, switches, notices } = await openService(config, log, closers);
  let botPort = listen.port;
  const slack = await openSlack(
    config,
    { botPort: () => botPort, externalFaults: switches, onTrouble: (text) => log.warn(text) },
    closers,
  );
  const bot = createBot({
    slack: slack.access,
    listen,
    api,
    account,
    accountMode: config.accountMode,
    policy: policy.current,
    sealer,
    settings,
    store,
    log,
  });
  closers.push(bot.stop);
  const started = await withPortSentence({ ...listen, variable: "PORT" }, bot.start());
  botPort = started.port;
  if (config.service.kind === "embedded" && config.slack.kind === "playground") {
    await createDemo(api.as(account), { dataDir, region: settings.region, log });
  }
  return { botPort, playgroundPort: slack.port, notices: [...notices, ...slack.notices], inProgress: bot.inProgress };
}

function storeOf({ store, dataDir, historyMs: keepHistoryMs }: Config, log: Logger): OpenStore {
  // Every process is a new replica, also after a restart.
  const common = { replicaId: randomUUID(), keepHistoryMs, log };
  if (store.kind === "sqlite") return { ...common, kind: "sqlite", dataDir };
  return { ...common, ...store, tls: loadTls(store.tls) };
}

type Service = {
  readonly api: Api;
  readonly account: ApiAccount;
  readonly switches: readonly ExternalFault[];
  readonly notices: readonly string[];
};

async function openService({ service, slack, dataDir }: Config, log: Logger, closers: Closers): Promise<Service> {
  if (service.kind === "remote") {
    const { url, username, token } = service;
    // Only the playground has a page with switches.
    const way = slack.kind === "playground" ? troubledService((request) => fetch(request)) : undefined;
    const api = createApi({ baseUrl: url, ...(way && { fetch: way.fetch }) });
    return { api, account: { username, token }, switches: way?.switches ?? [], notices: [] };
  }
  const local = await openLocalService({ config: service, dataDir, log });
  closers.push(local.close);
  const way = troubledService(local.fetch);
  return {
    api: createApi({ baseUrl: local.baseUrl, fetch: way.fetch }),
    account: local.account,
    switches: way.switches,
    notices: local.notices,
  };
}

type Slack = {
  readonly access: { readonly botToken: string; readonly signingSecret: string; readonly apiUrl?: string };
  readonly port: number | undefined;
  readonly notices: readonly string[];
};

type LocalParts = Pick<LocalSlackOptions, "botPort" | "onTrouble"> & {
  readonly externalFaults: readonly ExternalFault[];
};

async function openSlack({ slack, settings, dataDir }: Config, parts: LocalParts, closers: Closers): Promise<Slack> {
  if (slack.kind === "real") return { access: slack, port: undefined, notices: [] };
  const { host, port } = slack;
  const local = await openLocalSlack({ host, port, dataDir, command: settings.command, ...parts });
  closers.push(local.close);
  return { access: local.access, port: local.port, notices: local.playground.notices };
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
