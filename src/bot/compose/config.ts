import { type Place, samePorts } from "../../platform/http/port.ts";
import { hostname } from "node:os";
import { resolve } from "node:path";
import type { ApiAccount } from "../../api/client.ts";
import type { AccountMode } from "../accounts/resolve.ts";
import type { Settings } from "../commands/command.ts";
import { ConfigError, type ConfigOptions, mistypedNames, wrongSets } from "./config-problems.ts";
import { type DatabaseTls, databaseTls } from "../../platform/database/database-tls.ts";
import { botSettings, Environment, lowerCaseProxies, proxyOf } from "./settings.ts";
import type { EngineChoice } from "../../service/engine-descriptor.ts";
import { chooseEngine, engineVariableProblems } from "../../service/engines.ts";
import { aloneSettings } from "../../service/config.ts";
import {
  type Given,
  quotedProblems,
  secretsIn,
  sentencesOf,
  withoutEmpty,
  withoutQuotes,
} from "../../platform/settings.ts";
import { type ObservingConfig, observingOf } from "../../platform/observing/observing-config.ts";
import type { ProxySettings } from "../../platform/http/network.ts";
import type { TransportChoice } from "../slack/receive/transport.ts";
import { version } from "../../platform/version.ts";

type Listen = { readonly host: string; readonly port: number };

/** One workspace's token, or an app that any workspace installs by OAuth. */
export type SlackTokens =
  | { readonly kind: "one"; readonly botToken: string }
  | {
      readonly kind: "oauth";
      readonly clientId: string;
      readonly clientSecret: string;
      /** The public address of /slack/install, without a slash at its end. */
      readonly url: string;
    };

export type RealSlack = {
  readonly kind: "real";
  readonly tokens: SlackTokens;
  readonly transport: TransportChoice;
  readonly apiUrl?: string;
};

type SimulatedSlack = Listen & {
  readonly kind: "playground";
  readonly transport: TransportChoice["kind"];
  /** Several workspaces install the app themselves. */
  readonly workspaces: "one" | "several";
};

type SlackConfig = RealSlack | SimulatedSlack;

export type EmbeddedService = {
  readonly kind: "embedded";
  readonly engine: EngineChoice;
  readonly callsPerDay?: number;
  /** Set by the operator, and checked against the engine's regions when these are known. */
  readonly region?: string | undefined;
  readonly jobsRegion?: string | undefined;
};

type ServiceConfig =
  | {
      readonly kind: "remote";
      readonly url: string;
      /** The workspace's account; undefined with OAuth, where each workspace connects its own. */
      readonly account: ApiAccount | undefined;
    }
  | EmbeddedService;

export type StoreConfig =
  | { readonly kind: "sqlite" }
  | {
      readonly kind: "postgres";
      readonly url: string;
      readonly tls: DatabaseTls;
      readonly poolSize: number;
      readonly statementTimeoutMs: number;
    };

export type AuditSettings = {
  readonly webhook: { readonly url: string; readonly secret: string } | undefined;
  readonly toStdout: boolean;
};

/** The complete configuration, validated. */
export type Config = ObservingConfig & {
  readonly slack: SlackConfig;
  readonly service: ServiceConfig;
  readonly listen: Listen;
  readonly proxy: ProxySettings;
  readonly settings: Settings;
  readonly dataDir: string;
  readonly store: StoreConfig;
  /** GANTRY_KEYS, which seal tokens and bodies; undefined to keep a key in `dataDir`. */
  readonly keys: string | undefined;
  /** Undefined for the built-in policy. */
  readonly policyPath: string | undefined;
  /** Undefined without a file of watches. */
  readonly watchesPath: string | undefined;
  readonly accountMode: AccountMode;
  readonly historyMs: number;
  /** Who gets every event of history. */
  readonly audit: AuditSettings;
  readonly logLevel: "debug" | "info" | "warn" | "error";
  /** These must not appear in any log. */
  readonly secrets: readonly string[];
  /** Warnings printed at start. */
  readonly notices: readonly string[];
};

/** Variables that Gantry reads, or its other programs, which may share its environment. */
const readNames = [...Object.keys({ ...botSettings, ...aloneSettings }), "GANTRY_ENV_FILE", "PLAYGROUND_URL"];

/** The document of the API knows one region for jobs. */
const JOBS_REGION = "us";
const REGIONS = ["beijing1", "beijing2"];
const projectDir = resolve(import.meta.dirname, "../../..");

/**
 * Reads the environment; nothing else does. Throws a `ConfigError` that names every wrong or missing variable and what to
 * set. It contains no values except ports.
 */
export function readConfig(env: Given, options: ConfigOptions = {}): Config {
  const typed = withoutEmpty(env);
  const set = withoutQuotes(typed);
  const given = { ...set, ...lowerCaseProxies(set) };
  const parsed = Environment.safeParse(given);
  const problems = [
    ...quotedProblems(botSettings, typed),
    ...sentencesOf(parsed.error),
    ...engineVariableProblems(given),
    ...wrongSets(given, options),
  ];
  if (!parsed.success) throw new ConfigError(problems);
  const store = storeOf(parsed.data);
  if ("problem" in store) problems.push(store.problem);
  if (problems.length > 0 || "problem" in store) throw new ConfigError(problems);
  const config = configOf(parsed.data, given, store);
  const unknown = unknownRegion(config.service);
  const same = samePorts(placesOf(config));
  if (unknown !== undefined || same.length > 0) throw new ConfigError([...(unknown ? [unknown] : []), ...same]);
  return config;
}

function placesOf({ listen, slack, metrics }: Config): Place[] {
  return [
    { ...listen, variable: "PORT" },
    ...(slack.kind === "playground" ? [{ host: slack.host, port: slack.port, variable: "PLAYGROUND_PORT" }] : []),
    ...(metrics === undefined ? [] : [{ ...metrics, variable: "GANTRY_METRICS_PORT" }]),
  ];
}

function configOf(env: Environment, given: Given, store: StoreConfig): Config {
  const slack = slackOf(env);
  const service = serviceOf(env, given);
  const isLocal = slack.kind === "playground" && service.kind === "embedded";
  return {
    slack,
    service,
    listen: { host: env.HOST, port: env.PORT },
    proxy: proxyOf(env),
    settings: settingsOf(env, service),
    dataDir: resolve(projectDir, env.GANTRY_DATA ?? ".gantry"),
    store,
    keys: env.GANTRY_KEYS,
    policyPath: env.GANTRY_POLICY === undefined ? undefined : resolve(env.GANTRY_POLICY),
    watchesPath: env.GANTRY_WATCHES === undefined ? undefined : resolve(env.GANTRY_WATCHES),
    accountMode: env.GANTRY_ACCOUNTS,
    historyMs: env.GANTRY_HISTORY_DAYS * 24 * 60 * 60_000,
    audit: {
      webhook:
        env.GANTRY_AUDIT_URL === undefined || env.GANTRY_AUDIT_SECRET === undefined
          ? undefined
          : { url: env.GANTRY_AUDIT_URL, secret: env.GANTRY_AUDIT_SECRET },
      toStdout: env.GANTRY_AUDIT_STDOUT === "on",
    },
    // A first run shows the next steps in the terminal, not log lines.
    logLevel: env.GANTRY_LOG_LEVEL ?? (isLocal ? "warn" : "info"),
    ...observingOf(env, "gantry"),
    secrets: secretsIn(botSettings, given),
    notices: [...mistypedNames(given, readNames), ...noticesOf(slack, service)],
  };
}

function slackOf({ SLACK_API_URL, ...env }: Environment): SlackConfig {
  const tokens = tokensOf(env);
  const { SLACK_SIGNING_SECRET: signingSecret, SLACK_APP_TOKEN: appToken } = env;
  const transport: TransportChoice | undefined =
    appToken !== undefined
      ? { kind: "socket", appToken }
      : signingSecret !== undefined
        ? { kind: "http", signingSecret }
        : undefined;
  if (tokens === undefined || transport === undefined) {
    return {
      kind: "playground",
      transport: env.PLAYGROUND_TRANSPORT,
      workspaces: env.PLAYGROUND_WORKSPACES,
      host: env.PLAYGROUND_HOST,
      port: env.PLAYGROUND_PORT,
    };
  }
  return { kind: "real", tokens, transport, ...(SLACK_API_URL !== undefined && { apiUrl: SLACK_API_URL }) };
}

function tokensOf(env: Omit<Environment, "SLACK_API_URL">): SlackTokens | undefined {
  const { SLACK_BOT_TOKEN: botToken, SLACK_CLIENT_ID: clientId, SLACK_CLIENT_SECRET: clientSecret } = env;
  if (botToken !== undefined) return { kind: "one", botToken };
  const url = env.GANTRY_URL;
  if (clientId === undefined || clientSecret === undefined || url === undefined) return undefined;
  return { kind: "oauth", clientId, clientSecret, url };
}

function storeOf(env: Environment): StoreConfig | { readonly problem: string } {
  if (env.DATABASE_URL === undefined) return { kind: "sqlite" };
  const resolved = databaseTls({ url: env.DATABASE_URL, tls: env.DATABASE_TLS, caFile: env.DATABASE_CA });
  if ("problem" in resolved) return resolved;
  return {
    kind: "postgres",
    url: env.DATABASE_URL,
    tls: resolved.tls,
    poolSize: env.DATABASE_POOL,
    statementTimeoutMs: env.DATABASE_TIMEOUT_MS,
  };
}

function serviceOf(env: Environment, given: Given): ServiceConfig {
  const { WORKLOAD_API_URL: url, WORKLOAD_API_USERNAME: username, WORKLOAD_API_TOKEN: token } = env;
  if (url !== undefined) {
    const account = username === undefined || token === undefined ? undefined : { username, token };
    return { kind: "remote", url, account };
  }
  return {
    kind: "embedded",
    engine: chooseEngine(given, { set: env.SERVICE_REGIONS ?? env.WORKLOAD_REGIONS, byDefault: REGIONS }),
    ...(env.SERVICE_CALLS_PER_DAY !== undefined && { callsPerDay: env.SERVICE_CALLS_PER_DAY }),
    region: env.WORKLOAD_REGION?.[0],
    jobsRegion: env.WORKLOAD_JOBS_REGION,
  };
}

/** The problem of a WORKLOAD_REGION that the engine doesn't have: every request without `--region` would be refused. */
function unknownRegion(service: ServiceConfig): string | undefined {
  if (service.kind === "remote" || service.region === undefined || service.engine.regions === undefined)
    return undefined;
  const known = [...new Set([...service.engine.regions, JOBS_REGION])];
  return known.includes(service.region) ? undefined : `WORKLOAD_REGION must be ${known.join(" or ")}, or unset.`;
}

/** An engine may know its regions only when it is open: `withRegionsOf` in gantry.ts puts them in. */
function settingsOf(env: Environment, service: ServiceConfig): Settings {
  const own = service.kind === "embedded" ? service.engine.regions : undefined;
  const known = env.WORKLOAD_REGIONS ?? own ?? REGIONS;
  const jobsRegion = env.WORKLOAD_JOBS_REGION ?? JOBS_REGION;
  const region = env.WORKLOAD_REGION?.[0] ?? known.find((each) => each !== jobsRegion) ?? known[0] ?? jobsRegion;
  return {
    command: env.GANTRY_COMMAND,
    region,
    regions: [...new Set([region, ...known])],
    jobsRegion,
    serviceUrl: service.kind === "remote" ? service.url : "the built-in workload API",
    logFrom: env.WORKLOAD_API_LOG_FROM,
    logZone: env.WORKLOAD_API_LOG_ZONE,
    resourcesKey: env.WORKLOAD_API_RESOURCES_KEY,
    healthyAfterMs: env.GANTRY_HEALTHY_AFTER * 1_000,
    watchCallsPerDay: env.GANTRY_WATCH_CALLS,
    version,
    host: hostname(),
  };
}

function noticesOf(slack: SlackConfig, service: ServiceConfig): string[] {
  const isInsecure = slack.kind === "real" && slack.tokens.kind === "oauth" && slack.tokens.url.startsWith("http:");
  const insecure =
    "WARNING: GANTRY_URL isn't an https address. Slack redirects only to https: no workspace can install the app.";
  return [...(isInsecure ? [insecure] : []), ...serviceNotices(slack, service)];
}

function serviceNotices(slack: SlackConfig, service: ServiceConfig): string[] {
  if (slack.kind === "playground" && service.kind === "remote") {
    return [
      `WARNING: Slack is simulated, but the workload API is real: ${service.url}. Commands in the playground change real workloads.`,
    ];
  }
  if (service.kind !== "embedded") return [];
  const { withSimulatedSlack, withRealSlack } = service.engine.descriptor.says;
  const notice = slack.kind === "playground" ? withSimulatedSlack : withRealSlack;
  return notice === undefined ? [] : [notice];
}
