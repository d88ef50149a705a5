import { z } from "zod";
import { hasValidEscapes, urlSecrets } from "../../platform/database/database-tls.ts";
import type { ProxySettings } from "../../platform/http/network.ts";
import { observingSettings } from "../../platform/observing/observing-config.ts";
import {
  type Given,
  hasProtocol,
  httpUrl,
  names,
  port,
  type Settings,
  shapeOf,
  wholeNumber,
  whole,
} from "../../platform/settings.ts";
import { isZone } from "../../platform/zones.ts";
import { engines, engineVariables } from "../../service/engines.ts";
import { aloneSettings, serviceSettings, titlesOf } from "../../service/config.ts";

/** Shells and other programs accept a proxy without its scheme. */
const proxy = z
  .string()
  .transform((text) => (text.includes("://") ? text : `http://${text}`))
  .refine((text) => hasProtocol(text, /^https?:$/u), {
    error: "must be the address of an HTTP proxy, like http://proxy.example.com:3128",
  });

/** The password in the address of a proxy. */
function proxyPassword(text: string): readonly string[] {
  const { password } = new URL(proxy.parse(text));
  return password === "" ? [] : [password, decodeURIComponent(password)];
}

const slack = {
  SLACK_BOT_TOKEN: {
    schema: z
      .string()
      .regex(
        /^xoxb-/u,
        "must be the bot token, which starts with xoxb-. Copy it from your app's page, under OAuth & Permissions",
      )
      .optional(),
    unset: "simulated Slack",
    meaning: "The app's bot token, `xoxb-…`. Set it together with `SLACK_APP_TOKEN` or `SLACK_SIGNING_SECRET`.",
    secrets: whole,
    setup: { option: "bot-token", value: "xoxb-…", question: "Bot token, xoxb-…" },
  },
  SLACK_APP_TOKEN: {
    schema: z
      .string()
      .regex(
        /^xapp-/u,
        "must be an app-level token, which starts with xapp-. Create one with the scope connections:write on your app's page, under Basic Information",
      )
      .optional(),
    unset: "simulated Slack",
    meaning: "The app-level token, `xapp-…`, for Socket Mode.",
    secrets: whole,
    setup: { option: "app-token", value: "xapp-…", help: ", with socket", question: "App-level token, xapp-…" },
  },
  SLACK_SIGNING_SECRET: {
    schema: z
      .string()
      .min(16, "is too short. Copy the signing secret from your app's page, under Basic Information")
      .optional(),
    unset: "simulated Slack",
    meaning: "The app's signing secret, for requests from Slack over HTTP. Instead of `SLACK_APP_TOKEN`.",
    secrets: whole,
    setup: { option: "signing-secret", value: "SECRET", help: ", with http", question: "Signing secret" },
  },
  SLACK_CLIENT_ID: {
    schema: z
      .string()
      .regex(/^\d+\.\d+$/u, "must be two numbers with a dot. Copy it from your app's page, under Basic Information")
      .optional(),
    meaning:
      "The app's client id, for several workspaces. Instead of `SLACK_BOT_TOKEN`, with the next variable and `GANTRY_URL`.",
    setup: { option: "client-id", value: "ID", help: ", with many", question: "Client ID, under Basic Information" },
  },
  SLACK_CLIENT_SECRET: {
    schema: z
      .string()
      .min(16, "is too short. Copy the client secret from your app's page, under Basic Information")
      .optional(),
    meaning: "The app's client secret.",
    secrets: whole,
    setup: { option: "client-secret", value: "SECRET", help: ", with many", question: "Client secret" },
  },
  GANTRY_URL: {
    schema: httpUrl("https://gantry.example.com")
      .transform((text) => text.replace(/\/+$/u, ""))
      .optional(),
    meaning: "The public https address at which workspaces install the app.",
    setup: {
      option: "install-url",
      value: "URL",
      help: ", with many",
      question: "The public https address of Gantry, for its install page",
    },
  },
  SLACK_API_URL: {
    schema: httpUrl("https://slack.com/api/")
      .transform((text) => (text.endsWith("/") ? text : `${text}/`))
      .optional(),
    unset: "Slack's own",
    meaning: "Another address of Slack's Web API: `https://slack-gov.com/api/` for GovSlack.",
    setup: { option: "slack-api-url", value: "URL", help: ": GovSlack, https://slack-gov.com/api/" },
  },
  HOST: { schema: z.string().default("127.0.0.1"), meaning: "The address that Slack's requests arrive at." },
  PORT: { schema: port("3000").default(3000), meaning: "The port for `/slack/events`, `/healthz` and `/readyz`." },
  GANTRY_COMMAND: {
    schema: z
      .string()
      .regex(
        /^\/[a-z0-9_-]{1,31}$/u,
        "must be a slash command like /gantry: a slash and up to 31 lowercase letters, digits, - or _",
      )
      .default("/gantry"),
    meaning: "The slash command, for a second deployment in one workspace.",
    setup: { option: "command", value: "/NAME", help: ": another slash command" },
  },
};

const workloadApi = {
  WORKLOAD_API_URL: {
    schema: httpUrl("https://workloads.example.com")
      .refine((text) => !/[?#]|\/\/[^/]*@/u.test(text), { error: "must have no user, query or fragment" })
      .optional(),
    unset: "local workload API",
    meaning: "The address of the workload API. Set it together with the next two.",
    setup: { option: "workload-api-url", value: "URL", help: ", with api", question: "Address of the workload API" },
  },
  WORKLOAD_API_USERNAME: {
    schema: z.string().optional(),
    unset: "local workload API",
    meaning: "The workspace's account.",
    setup: { option: "workload-api-username", value: "NAME", question: "Username there" },
  },
  WORKLOAD_API_TOKEN: {
    schema: z.string().optional(),
    unset: "local workload API",
    meaning: "That account's token.",
    secrets: whole,
    setup: { option: "workload-api-token", value: "TOKEN", question: "That user's API token" },
  },
  WORKLOAD_REGION: {
    schema: names("must be one region name, like beijing1")
      .refine((names) => names.length === 1, { error: "must be one region: the default without --region" })
      .optional(),
    unset: "the first known region",
    meaning: "The region used without `--region`.",
    setup: { option: "region", value: "NAME", question: "Region" },
  },
  WORKLOAD_REGIONS: {
    schema: names("must be region names separated by commas, like beijing1,beijing2").optional(),
    unset: "beijing1,beijing2",
    meaning: "The known regions.",
  },
  WORKLOAD_JOBS_REGION: {
    schema: names("must be one region name, like us")
      .refine((names) => names.length === 1, { error: "must be one region: the one in which jobs run" })
      .transform(([first]) => first)
      .optional(),
    unset: "us",
    meaning: `The region in which jobs run. With ${engines
      .filter(({ regions }) => regions.from === "engine")
      .map(({ name }) => `\`SERVICE_ENGINE=${name}\``)
      .join(" or ")} by default the first region that runs jobs.`,
  },
  WORKLOAD_API_RESOURCES_KEY: {
    schema: z
      .enum(["resources", "resource"], "must be resources or resource, whichever key the workload API uses in updates")
      .default("resources"),
    meaning: "How the API spells memory limits in an update: `resources` or `resource`.",
  },
  WORKLOAD_API_LOG_FROM: {
    schema: z
      .enum(["offset", "page"], "must be offset or page, whichever the workload API means by `from`")
      .default("offset"),
    meaning: "How the API counts `from` in logs: `offset` (records) or `page`.",
  },
  WORKLOAD_API_LOG_ZONE: {
    schema: z
      .string()
      .refine(isZone, { error: "must be the time zone of the workload API's log days, like UTC or Asia/Shanghai" })
      .default("UTC"),
    meaning: "The time zone of the API's log days.",
  },
};

const network = {
  HTTPS_PROXY: {
    schema: proxy.optional(),
    meaning: "The proxy to Slack and to a workload API at https addresses, `http://user:password@proxy:3128`.",
    secrets: proxyPassword,
  },
  HTTP_PROXY: {
    schema: proxy.optional(),
    meaning: "The same for http addresses, and for https ones without `HTTPS_PROXY`.",
    secrets: proxyPassword,
  },
  NO_PROXY: {
    schema: z.string().optional(),
    meaning:
      "Hosts reached without the proxy: `workloads.internal,.corp.example`. No address ranges. This machine is always " +
      "reached directly.",
  },
};

const gantry = {
  GANTRY_DATA: {
    schema: z.string().optional(),
    unset: ".gantry",
    meaning:
      "The folder for the database, the key file and the messages of the simulated Slack. One process per folder.",
  },
  GANTRY_POLICY: {
    schema: z.string().optional(),
    unset: "the default policy",
    meaning:
      "A policy file, or a folder with one for each workspace, see [policy](policy.md) and [workspaces](workspaces.md).",
  },
  GANTRY_WATCHES: {
    schema: z.string().optional(),
    unset: "no file",
    meaning: "A file of watches, see [watching](watching.md).",
  },
  GANTRY_ACCOUNTS: {
    schema: z
      .enum(
        ["own", "fallback"],
        "must be own (everybody uses their own account) or fallback (own account, else the channel's, else the workspace's)",
      )
      .default("fallback"),
    meaning: "`own`: people act only with their own account. `fallback`: else the channel's, else the workspace's.",
  },
  GANTRY_KEYS: {
    schema: z.string().optional(),
    unset: "a key file in GANTRY_DATA",
    meaning: "`id:KEY[,id2:KEY]`, each 32 random bytes in base64. The first seals, all open.",
    secrets: (text: string) => [text, ...text.split(",").map((key) => key.slice(key.indexOf(":") + 1))],
  },
  // Looks end after ten minutes.
  GANTRY_HEALTHY_AFTER: {
    schema: wholeNumber("seconds", { from: 0, to: 540, unset: 60 }).default(60),
    meaning:
      "How many seconds all instances of a changed service have to be ready, without a restart, until it is healthy. A period that the workload API reports goes first.",
  },
  GANTRY_WATCH_CALLS: {
    schema: wholeNumber("calls", { from: 1 }).optional(),
    unset: "no limit",
    meaning:
      "API calls a day that watching may make with one account to look. The last lines of what fails cost up to two more for each message. Without a limit, each watched list is read every ten seconds, or at the events of an API that has them.",
  },
  GANTRY_HISTORY_DAYS: {
    schema: wholeNumber("days", { from: 1, to: 36_500, unset: 365 }).default(365),
    meaning: "How long history is kept.",
  },
  GANTRY_AUDIT_URL: {
    schema: httpUrl("https://audit.example.com/gantry")
      .refine((text) => !/#|\/\/[^/]*@/u.test(text), { error: "must have no user and no fragment" })
      .optional(),
    meaning: "Where every event of history is posted to: see [audit](audit.md#webhook).",
  },
  GANTRY_AUDIT_SECRET: {
    schema: z
      .string()
      .min(24, "is too short. Make one with `openssl rand -base64 32`, and give it to the receiver too")
      .optional(),
    meaning: "Signs the posts. 24 characters or more; `whsec_…` for Standard Webhooks.",
    secrets: whole,
  },
  GANTRY_AUDIT_STDOUT: {
    schema: z.enum(["on", "off"], "must be on or off").default("off"),
    meaning: "`on`: every event of history is also a JSON line on stdout, from one replica.",
  },
};

const log = {
  GANTRY_LOG_LEVEL: {
    schema: z.enum(["debug", "info", "warn", "error"], "must be debug, info, warn or error").optional(),
    unset: "info (warn in the playground)",
    meaning: "`debug`, `info`, `warn` or `error`.",
  },
};

const database = {
  DATABASE_URL: {
    schema: z
      .string()
      .refine((text) => hasProtocol(text, /^postgres(?:ql)?:$/u), {
        error: "must be a URL like postgres://user:password@host:5432/gantry (default: a file in GANTRY_DATA)",
        abort: true,
      })
      .refine(hasValidEscapes, {
        error: "has an invalid percent encoding. Write a % in the user name or password as %25",
      })
      .optional(),
    unset: "SQLite in GANTRY_DATA",
    meaning: "`postgres://…` for PostgreSQL and replicas. Needs `GANTRY_KEYS`.",
    secrets: urlSecrets,
  },
  DATABASE_TLS: {
    schema: z
      .enum(
        ["off", "verify", "unverified"],
        "must be verify (encrypted, certificate checked), unverified (encrypted only) or off",
      )
      .optional(),
    unset: "from DATABASE_URL, else off",
    meaning: "`verify` (check the certificate), `unverified` (encrypt only) or `off`. Must agree with `sslmode`.",
  },
  DATABASE_CA: {
    schema: z.string().optional(),
    unset: "from DATABASE_URL, else the system's",
    meaning: "A file with the certificate authorities to trust.",
  },
  DATABASE_POOL: {
    schema: wholeNumber("connections", { from: 1, to: 1_000, unset: 10 }).default(10),
    meaning: "Connections per replica.",
  },
  DATABASE_TIMEOUT_MS: {
    schema: wholeNumber("milliseconds for one statement", { from: 50, to: 60_000, unset: 900 }).default(900),
    meaning: "How long a statement may take. It waits at most half of that for a lock.",
  },
};

const playground = {
  PLAYGROUND_HOST: { schema: z.string().default("127.0.0.1"), meaning: "The address of the simulated Slack." },
  PLAYGROUND_TRANSPORT: {
    schema: z.enum(["http", "socket"], "must be http or socket").default("http"),
    meaning: "How the simulated Slack reaches the bot: `http` or `socket` (Socket Mode).",
  },
  PLAYGROUND_WORKSPACES: {
    schema: z.enum(["one", "several"], "must be one or several").default("one"),
    meaning:
      "The workspaces of the simulated Slack: `one` that has the app, or `several` that install it, which needs `WORKLOAD_API_URL`.",
  },
  PLAYGROUND_PORT: { schema: port("3001").default(3001), meaning: "The port of the simulated Slack and its page." },
};

const local = {
  GANTRY_EMBEDDED_SERVICE_WITH_SLACK: {
    schema: z.literal("allow", "must be allow or unset").optional(),
    meaning:
      "`allow`: use the process engine with real Slack. People in Slack then start processes on this machine. " +
      `${titlesOf(({ isTrial }) => !isTrial)} don't need it.`,
  },
};

const bot = {
  ...slack,
  ...workloadApi,
  ...network,
  ...gantry,
  ...log,
  ...observingSettings,
  ...database,
  ...playground,
  ...local,
  ...serviceSettings,
};

/** The bot's variables but those of the engines. */
export const Environment = z.object(shapeOf(bot));
export type Environment = z.infer<typeof Environment>;

/** All that the bot reads. */
export const botSettings: Settings = { ...bot, ...engineVariables };

type Group = { readonly title: string; readonly settings: Settings };

const ofEngines = Object.entries(engineVariables);
const isOfService = ([name]: readonly [string, unknown]): boolean => name.startsWith("SERVICE_");

/** Every variable of every program, for docs/configuration.md. */
export const settingGroups: readonly Group[] = [
  { title: "Slack", settings: slack },
  { title: "Workload API", settings: workloadApi },
  { title: "Network", settings: network },
  { title: "Gantry", settings: gantry },
  { title: "Log, metrics and traces", settings: { ...log, ...observingSettings } },
  { title: "Database", settings: database },
  { title: "Playground", settings: playground },
  {
    title: "Local workload API",
    settings: { ...local, ...serviceSettings, ...Object.fromEntries(ofEngines.filter(isOfService)) },
  },
  ...engines.flatMap(({ title, variablesTitle = title, variables }) => {
    const others = Object.entries(variables).filter((row) => !isOfService(row));
    return others.length === 0 ? [] : [{ title: variablesTitle, settings: Object.fromEntries(others) }];
  }),
  { title: "Workload API alone", settings: aloneSettings },
];

const proxies = ["HTTPS_PROXY", "HTTP_PROXY", "NO_PROXY"] as const;

/** The variables of proxies that are set in lower case, as most programs read them first. */
export function lowerCaseProxies(set: Given): Given {
  const lower = proxies.filter((name) => set[name.toLowerCase()] !== undefined);
  return Object.fromEntries(lower.map((name) => [name, set[name.toLowerCase()]]));
}

export function proxyOf(env: Pick<Environment, (typeof proxies)[number]>): ProxySettings {
  return { httpsProxy: env.HTTPS_PROXY, httpProxy: env.HTTP_PROXY, noProxy: env.NO_PROXY };
}
