import type { EngineDescriptor } from "../../service/engine-descriptor.ts";
import { engines, engineVariables } from "../../service/engines.ts";
import type { Environment } from "./environment.ts";

export type Variable = { readonly meaning: string; readonly default: string };
type Group = { readonly title: string; readonly variables: Readonly<Record<string, Variable>> };

/** "Docker and Kubernetes". */
function titlesOf(which: (engine: EngineDescriptor) => boolean): string {
  const titles = engines.filter((engine) => which(engine)).map(({ title }) => title);
  return new Intl.ListFormat("en-GB").format(titles);
}

/** Every variable of the bot but those of the engines, for the reference in docs/configuration.md; a missing one doesn't compile. */
const bot = {
  SLACK_BOT_TOKEN: {
    default: "simulated Slack",
    meaning: "The app's bot token, `xoxb-…`. Set it together with `SLACK_APP_TOKEN` or `SLACK_SIGNING_SECRET`.",
  },
  SLACK_APP_TOKEN: {
    default: "simulated Slack",
    meaning: "The app-level token, `xapp-…`, for Socket Mode: Gantry connects to Slack and needs no public address.",
  },
  SLACK_SIGNING_SECRET: {
    default: "simulated Slack",
    meaning: "The app's signing secret, for requests from Slack over HTTP. Instead of `SLACK_APP_TOKEN`.",
  },
  SLACK_CLIENT_ID: {
    default: "",
    meaning:
      "The app's client id, for several workspaces. Instead of `SLACK_BOT_TOKEN`, with the next variable and `GANTRY_URL`.",
  },
  SLACK_CLIENT_SECRET: { default: "", meaning: "The app's client secret." },
  GANTRY_URL: { default: "", meaning: "The public https address at which workspaces install the app." },
  SLACK_API_URL: {
    default: "Slack's own",
    meaning: "Another address of Slack's Web API: `https://slack-gov.com/api/` for GovSlack.",
  },
  HTTPS_PROXY: {
    default: "",
    meaning: "The proxy to Slack and to a workload API at https addresses, `http://user:password@proxy:3128`.",
  },
  HTTP_PROXY: {
    default: "",
    meaning: "The same for http addresses, and for https ones without `HTTPS_PROXY`.",
  },
  NO_PROXY: {
    default: "",
    meaning:
      "Hosts reached without the proxy: `workloads.internal,.corp.example`. No address ranges. This machine is always " +
      "reached directly.",
  },
  HOST: { default: "127.0.0.1", meaning: "The address that Slack's requests arrive at." },
  PORT: { default: "3000", meaning: "The port for `/slack/events`, `/healthz` and `/readyz`." },
  GANTRY_COMMAND: { default: "/gantry", meaning: "The slash command, for a second deployment in one workspace." },
  WORKLOAD_API_URL: {
    default: "local workload API",
    meaning: "The address of the workload API. Set it together with the next two.",
  },
  WORKLOAD_API_USERNAME: { default: "local workload API", meaning: "The workspace's account." },
  WORKLOAD_API_TOKEN: { default: "local workload API", meaning: "That account's token." },
  WORKLOAD_REGION: { default: "the first known region", meaning: "The region used without `--region`." },
  WORKLOAD_REGIONS: { default: "beijing1,beijing2", meaning: "The known regions." },
  WORKLOAD_JOBS_REGION: {
    default: "us",
    meaning: `The region in which jobs run. With ${engines
      .filter(({ regions }) => regions.from === "engine")
      .map(({ name }) => `\`SERVICE_ENGINE=${name}\``)
      .join(" or ")} by default the first region that runs jobs.`,
  },
  WORKLOAD_API_RESOURCES_KEY: {
    default: "resources",
    meaning: "How the API spells memory limits in an update: `resources` or `resource`.",
  },
  WORKLOAD_API_LOG_FROM: {
    default: "offset",
    meaning: "How the API counts `from` in logs: `offset` (records) or `page`.",
  },
  WORKLOAD_API_LOG_ZONE: { default: "UTC", meaning: "The time zone of the API's log days." },
  GANTRY_DATA: {
    default: ".gantry",
    meaning:
      "The folder for the database, the key file and the messages of the simulated Slack. One process per folder.",
  },
  GANTRY_POLICY: {
    default: "the default policy",
    meaning:
      "A policy file, or a folder with one for each workspace, see [policy](policy.md) and [workspaces](workspaces.md).",
  },
  GANTRY_WATCHES: {
    default: "no file",
    meaning: "A file of watches, for teams that keep them in git, see [watching](watching.md).",
  },
  GANTRY_ACCOUNTS: {
    default: "fallback",
    meaning: "`own`: people act only with their own account. `fallback`: else the channel's, else the workspace's.",
  },
  GANTRY_KEYS: {
    default: "a key file in GANTRY_DATA",
    meaning: "`id:KEY[,id2:KEY]`, each 32 random bytes in base64. The first seals, all open.",
  },
  GANTRY_HEALTHY_AFTER: {
    default: "60",
    meaning:
      "A changed service counts as healthy once all its instances have been ready for so many seconds, without a restart. A period that the workload API reports for a service goes first.",
  },
  GANTRY_WATCH_CALLS: {
    default: "no limit",
    meaning:
      "API calls a day that watching may make with one account to look. The last lines of what fails cost up to two more for each message. Without a limit, Gantry looks at each watched list every ten seconds, with one call, and waits for the events of an API that has them.",
  },
  GANTRY_HISTORY_DAYS: { default: "365", meaning: "How long history is kept." },
  GANTRY_AUDIT_URL: {
    default: "",
    meaning: "Where every event of history is posted to, in order and signed: see [audit](audit.md#webhook).",
  },
  GANTRY_AUDIT_SECRET: {
    default: "",
    meaning: "Signs the posts. 24 characters or more; `whsec_…` for Standard Webhooks.",
  },
  GANTRY_AUDIT_STDOUT: {
    default: "off",
    meaning: "`on`: every event of history is also a JSON line on stdout, from one replica.",
  },
  GANTRY_LOG_LEVEL: {
    default: "info (warn in the playground)",
    meaning: "`debug`, `info`, `warn` or `error`. The log is JSON lines on standard output.",
  },
  LOG_FORMAT: {
    default: "json",
    meaning: "`pretty`: log lines for a terminal, in place of JSON. See [log fields](monitoring.md#logs).",
  },
  GANTRY_METRICS_PORT: {
    default: "off",
    meaning: "The port for `/metrics`, see [monitoring](monitoring.md).",
  },
  GANTRY_METRICS_HOST: { default: "127.0.0.1", meaning: "The address that metrics are read at." },
  OTEL_EXPORTER_OTLP_ENDPOINT: {
    default: "off",
    meaning:
      "The address of an OpenTelemetry collector, `http://collector:4318`: turns on [tracing](monitoring.md#tracing). Not " +
      "reached through a proxy.",
  },
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: {
    default: "`/v1/traces` at the address above",
    meaning: "The whole address for traces, if it is another one.",
  },
  OTEL_EXPORTER_OTLP_HEADERS: { default: "", meaning: "Headers for the collector: `api-key=abc,team=ops`." },
  OTEL_EXPORTER_OTLP_PROTOCOL: { default: "http/json", meaning: "Only `http/json`." },
  OTEL_SERVICE_NAME: {
    default: "gantry (gantry-workload-api for the workload API alone)",
    meaning: "The name of this deployment in traces.",
  },
  OTEL_RESOURCE_ATTRIBUTES: {
    default: "",
    meaning: "What else traces say about this process: `deployment.environment.name=production`.",
  },
  OTEL_TRACES_SAMPLER: {
    default: "parentbased_always_on",
    meaning:
      "Which interactions are traced: `always_on`, `always_off`, `traceidratio`, or one of them after `parentbased_`.",
  },
  OTEL_TRACES_SAMPLER_ARG: { default: "1", meaning: "The share for `traceidratio`: `0.1` is one in ten." },
  OTEL_SDK_DISABLED: { default: "false", meaning: "`true`: no tracing, whatever else is set." },
  DATABASE_URL: {
    default: "SQLite in GANTRY_DATA",
    meaning: "`postgres://…` for PostgreSQL and replicas. Needs `GANTRY_KEYS`.",
  },
  DATABASE_TLS: {
    default: "from DATABASE_URL, else off",
    meaning: "`verify` (check the certificate), `unverified` (encrypt only) or `off`. Must agree with `sslmode`.",
  },
  DATABASE_CA: {
    default: "from DATABASE_URL, else the system's",
    meaning: "A file with the certificate authorities to trust.",
  },
  DATABASE_POOL: { default: "10", meaning: "Connections per replica." },
  DATABASE_TIMEOUT_MS: {
    default: "900",
    meaning: "How long a statement may take. It waits at most half of that for a lock.",
  },
  PLAYGROUND_HOST: { default: "127.0.0.1", meaning: "The address of the simulated Slack." },
  PLAYGROUND_TRANSPORT: {
    default: "http",
    meaning: "How the simulated Slack reaches the bot: `http` or `socket` (Socket Mode).",
  },
  PLAYGROUND_WORKSPACES: {
    default: "one",
    meaning:
      "The workspaces of the simulated Slack: `one` that has the app, or `several` that install it. `several` needs `WORKLOAD_API_URL`.",
  },
  PLAYGROUND_PORT: { default: "3001", meaning: "The port of the simulated Slack and its page." },
  GANTRY_EMBEDDED_SERVICE_WITH_SLACK: {
    default: "",
    meaning:
      "`allow`: use the process engine with real Slack. People in Slack then start processes on this machine. " +
      `${titlesOf(({ isTrial }) => !isTrial)} don't need it: people change containers within the policy.`,
  },
  SERVICE_ENGINE: {
    default: engines[0].name,
    meaning: `${engines.map(({ name, runs }) => `\`${name}\`: ${runs}. `).join("")}Variables of other engines are refused.`,
  },
  SERVICE_REGIONS: {
    default: [
      "beijing1,beijing2",
      ...engines.flatMap(({ title, regions }) =>
        regions.from === "settings" && regions.byDefault !== undefined
          ? [`(${regions.byDefault.join(",")} on ${title})`]
          : [],
      ),
    ].join(" "),
    meaning: `The regions of services, not on ${titlesOf(({ regions }) => regions.from === "engine")}. Jobs run in us.`,
  },
  SERVICE_CALLS_PER_DAY: { default: "no limit", meaning: "Calls per user and day." },
} satisfies Readonly<Record<keyof Environment, Variable>>;

/** Only for `npm run service`, which reads the variables of the local workload API, of metrics and of traces as well. */
const alone: Readonly<Record<string, Variable>> = {
  SERVICE_HOST: { default: "127.0.0.1", meaning: "The address of the workload API." },
  SERVICE_PORT: { default: "3002", meaning: "The port of the workload API." },
  SERVICE_USERS: { default: "one user, made at the first start", meaning: "The API's users: `dana:TOKEN,alex:TOKEN`." },
};

const titles: readonly (readonly [title: string, names: RegExp])[] = [
  ["Slack", /^(?:SLACK_|HOST$|PORT$|GANTRY_COMMAND|GANTRY_URL)/u],
  ["Workload API", /^WORKLOAD_/u],
  ["Network", /_PROXY$/u],
  ["Gantry", /^GANTRY_(?!EMBEDDED|COMMAND|URL|METRICS|LOG)/u],
  ["Log, metrics and traces", /^(?:GANTRY_LOG|LOG_|GANTRY_METRICS|OTEL_)/u],
  ["Database", /^DATABASE_/u],
  ["Playground", /^PLAYGROUND_/u],
  ["Local workload API", /^(?:SERVICE_|GANTRY_EMBEDDED)/u],
];

export const variables: readonly Group[] = [
  ...titles.map(([title, names]) => ({
    title,
    variables: Object.fromEntries(Object.entries({ ...bot, ...engineVariables }).filter(([name]) => names.test(name))),
  })),
  ...engines.flatMap(({ title, variablesTitle = title, variables: all }) => {
    const others = Object.entries(all).filter(([name]) => !name.startsWith("SERVICE_"));
    return others.length === 0 ? [] : [{ title: variablesTitle, variables: Object.fromEntries(others) }];
  }),
  { title: "Workload API alone", variables: alone },
];
