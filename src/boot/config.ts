import { resolve } from "node:path";
import type { AccountMode } from "../accounts/account.ts";
import type { Settings } from "../commands/command.ts";
import { ConfigError } from "./config-error.ts";
import { type DatabaseTls, databaseTls } from "./database-tls.ts";
import { Environment } from "./environment.ts";
import { quotasOf } from "../service/config.ts";
import type { QuotaSettings } from "../service/engines/process/host-limits.ts";
import { version } from "./version.ts";

type Listen = { readonly host: string; readonly port: number };

type SlackConfig =
  | { readonly kind: "real"; readonly botToken: string; readonly signingSecret: string; readonly apiUrl?: string }
  | ({ readonly kind: "playground" } & Listen);

export type EmbeddedService = {
  readonly kind: "embedded";
  readonly regions: readonly string[];
  readonly hostCommands: boolean;
  readonly callsPerDay?: number;
  readonly quotas?: QuotaSettings;
};

type ServiceConfig =
  | { readonly kind: "remote"; readonly url: string; readonly username: string; readonly token: string }
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

/** The complete configuration, validated. */
export type Config = {
  readonly slack: SlackConfig;
  readonly service: ServiceConfig;
  readonly listen: Listen;
  readonly settings: Settings;
  readonly dataDir: string;
  readonly store: StoreConfig;
  /** GANTRY_KEYS, which seal tokens and bodies; undefined to keep a key in `dataDir`. */
  readonly keys: string | undefined;
  /** Undefined for the built-in policy. */
  readonly policyPath: string | undefined;
  readonly accountMode: AccountMode;
  readonly historyMs: number;
  readonly logLevel: "debug" | "info" | "warn" | "error";
  /** Warnings printed at start. */
  readonly notices: readonly string[];
};

export type ConfigOptions = {
  /** Without stand-ins: both Slack and the workload API must be configured. */
  readonly isBotAlone?: boolean;
};

/** Secrets that must not appear in any log. */
export function secretsOf({ slack, service, store, keys }: Config): readonly string[] {
  return [
    ...(store.kind === "postgres" ? [store.url, ...passwordsIn(new URL(store.url))] : []),
    ...(keys === undefined ? [] : [keys, ...keys.split(",").map((key) => key.slice(key.indexOf(":") + 1))]),
    ...(slack.kind === "real" ? [slack.botToken, slack.signingSecret] : []),
    ...(service.kind === "remote" ? [service.token] : []),
  ];
}

function passwordsIn({ password, searchParams }: URL): string[] {
  return [decodeURIComponent(password), ...searchParams.getAll("password")].filter((each) => each !== "");
}

const JOB_REGION = "us";
const REGIONS = ["beijing1", "beijing2"];
const projectDir = resolve(import.meta.dirname, "../..");

/**
 * Reads the environment; nothing else does. Throws a `ConfigError` that names every wrong or missing variable and what to
 * set, and never contains a value.
 */
export function readConfig(env: Readonly<Record<string, string | undefined>>, options: ConfigOptions = {}): Config {
  // Compose files and shells pass unset variables as empty.
  const given = Object.fromEntries(Object.entries(env).filter(([, value]) => value !== undefined && value !== ""));
  const parsed = Environment.safeParse(given);
  const problems = [
    ...(parsed.error?.issues.map(({ path, message }) => `${String(path[0])} ${message}.`) ?? []),
    ...wrongSets(given, options),
  ];
  if (!parsed.success) throw new ConfigError(problems);
  const store = storeOf(parsed.data);
  if ("problem" in store) problems.push(store.problem);
  if (problems.length > 0 || "problem" in store) throw new ConfigError(problems);
  return configOf(parsed.data, store);
}

const slackSet = ["SLACK_BOT_TOKEN", "SLACK_SIGNING_SECRET"];
const serviceSet = ["WORKLOAD_API_URL", "WORKLOAD_API_USERNAME", "WORKLOAD_API_TOKEN"];

type Given = Readonly<Record<string, string | undefined>>;

/** Variables that are valid alone but not together. */
function wrongSets(given: Given, { isBotAlone = false }: ConfigOptions): string[] {
  const lacks = (set: readonly string[]): string[] => set.filter((name) => given[name] === undefined);
  const part = (set: readonly string[], what: string): string[] => {
    const missing = lacks(set);
    if (missing.length === 0 || (missing.length === set.length && !isBotAlone)) return [];
    const instead = isBotAlone ? "" : ` To use the local stand-in, unset ${set.join(", ")}.`;
    return missing.map((name) => `${name} is missing. ${what} needs ${set.join(", ")}.${instead}`);
  };
  const isSlackReal = lacks(slackSet).length === 0;
  const isEmbedded = lacks(serviceSet).length === serviceSet.length && !isBotAlone;
  const isAllowed = given["GANTRY_EMBEDDED_SERVICE_WITH_SLACK"] === "allow";
  return [
    ...part(slackSet, "Real Slack"),
    ...part(serviceSet, "A real workload API"),
    ...(given["SLACK_API_URL"] !== undefined && lacks(slackSet).length === slackSet.length
      ? ["SLACK_API_URL needs SLACK_BOT_TOKEN and SLACK_SIGNING_SECRET. Set both, or unset SLACK_API_URL."]
      : []),
    ...(given["DATABASE_URL"] !== undefined && given["GANTRY_KEYS"] === undefined
      ? [
          "GANTRY_KEYS is missing. Replicas that share DATABASE_URL need the same key. Set it to k1:KEY, with a KEY from `openssl rand -base64 32`.",
        ]
      : []),
    ...(isSlackReal && given["SERVICE_HOST_COMMANDS"] !== undefined
      ? [
          "SERVICE_HOST_COMMANDS isn't allowed with real Slack: anybody there could run any program on this machine. Unset it.",
        ]
      : []),
    ...(isSlackReal && isEmbedded && !isAllowed
      ? [
          "GANTRY_EMBEDDED_SERVICE_WITH_SLACK is missing. Without a workload API, people in Slack would start processes on " +
            "this machine. Set WORKLOAD_API_URL, WORKLOAD_API_USERNAME and WORKLOAD_API_TOKEN, or set it to allow.",
        ]
      : []),
  ];
}

function configOf(env: Environment, store: StoreConfig): Config {
  const slack = slackOf(env);
  const service = serviceOf(env);
  const isLocal = slack.kind === "playground" && service.kind === "embedded";
  return {
    slack,
    service,
    listen: { host: env.HOST, port: env.PORT },
    settings: settingsOf(env, service),
    dataDir: resolve(projectDir, env.GANTRY_DATA ?? ".gantry"),
    store,
    keys: env.GANTRY_KEYS,
    policyPath: env.GANTRY_POLICY === undefined ? undefined : resolve(env.GANTRY_POLICY),
    accountMode: env.GANTRY_ACCOUNTS,
    historyMs: env.GANTRY_HISTORY_DAYS * 24 * 60 * 60_000,
    // A first run shows the next steps in the terminal, not log lines.
    logLevel: env.GANTRY_LOG_LEVEL ?? (isLocal ? "warn" : "info"),
    notices: noticesOf(slack, service),
  };
}

function slackOf({ SLACK_BOT_TOKEN, SLACK_SIGNING_SECRET, SLACK_API_URL, ...env }: Environment): SlackConfig {
  if (SLACK_BOT_TOKEN === undefined || SLACK_SIGNING_SECRET === undefined) {
    return { kind: "playground", host: env.PLAYGROUND_HOST, port: env.PLAYGROUND_PORT };
  }
  return {
    kind: "real",
    botToken: SLACK_BOT_TOKEN,
    signingSecret: SLACK_SIGNING_SECRET,
    ...(SLACK_API_URL !== undefined && { apiUrl: SLACK_API_URL }),
  };
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

function serviceOf(env: Environment): ServiceConfig {
  const { WORKLOAD_API_URL: url, WORKLOAD_API_USERNAME: username, WORKLOAD_API_TOKEN: token } = env;
  if (url !== undefined && username !== undefined && token !== undefined) {
    return { kind: "remote", url, username, token };
  }
  return {
    kind: "embedded",
    regions: env.SERVICE_REGIONS ?? env.WORKLOAD_REGIONS ?? REGIONS,
    hostCommands: env.SERVICE_HOST_COMMANDS === "allow",
    ...(env.SERVICE_CALLS_PER_DAY !== undefined && { callsPerDay: env.SERVICE_CALLS_PER_DAY }),
    quotas: quotasOf(env),
  };
}

function settingsOf(env: Environment, service: ServiceConfig): Settings {
  const known = env.WORKLOAD_REGIONS ?? (service.kind === "embedded" ? service.regions : REGIONS);
  const region = env.WORKLOAD_REGION?.[0] ?? known.find((each) => each !== JOB_REGION) ?? known[0] ?? JOB_REGION;
  return {
    command: env.GANTRY_COMMAND,
    region,
    regions: [...new Set([region, ...known])],
    serviceUrl: service.kind === "remote" ? service.url : "the built-in workload API",
    logFrom: env.WORKLOAD_API_LOG_FROM,
    logZone: env.WORKLOAD_API_LOG_ZONE,
    resourcesKey: env.WORKLOAD_API_RESOURCES_KEY,
    version,
  };
}

function noticesOf(slack: SlackConfig, service: ServiceConfig): string[] {
  if (slack.kind === "playground" && service.kind === "remote") {
    return [
      `WARNING: Slack is simulated, but the workload API is real: ${service.url}. Commands in the playground change real workloads.`,
    ];
  }
  if (slack.kind === "real" && service.kind === "embedded") {
    return [
      "WARNING: Slack is real, but the workload API is the built-in one. People in Slack start processes on this machine.",
    ];
  }
  return [];
}
