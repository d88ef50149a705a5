import { hostname } from "node:os";
import { resolve } from "node:path";
import { expect, test } from "vitest";
import { readConfig } from "../../../src/bot/compose/config.ts";
import { processEngine } from "../../../src/service/engines/process/descriptor.ts";
import { problems, service, slack } from "./support/settings.ts";

test("without configuration everything is local", () => {
  expect(readConfig({})).toEqual({
    slack: { kind: "playground", transport: "http", workspaces: "one", host: "127.0.0.1", port: 3001 },
    service: {
      kind: "embedded",
      engine: expect.objectContaining({
        descriptor: processEngine,
        settings: { regions: ["beijing1", "beijing2"], allowHostCommands: false, quotas: {} },
      }),
    },
    listen: { host: "127.0.0.1", port: 3000 },
    proxy: { httpsProxy: undefined, httpProxy: undefined, noProxy: undefined },
    settings: {
      command: "/gantry",
      region: "beijing1",
      regions: ["beijing1", "beijing2"],
      jobsRegion: "us",
      serviceUrl: "the built-in workload API",
      logFrom: "offset",
      logZone: "UTC",
      resourcesKey: "resources",
      healthyAfterMs: 60_000,
      version: expect.stringMatching(/^\d+\.\d+\.\d+/u),
      host: hostname(),
    },
    dataDir: resolve(import.meta.dirname, "../../../.gantry"),
    store: { kind: "sqlite" },
    keys: undefined,
    policyPath: undefined,
    accountMode: "fallback",
    historyMs: 365 * 24 * 60 * 60_000,
    audit: { webhook: undefined, toStdout: false },
    logLevel: "warn",
    logFormat: "json",
    metrics: undefined,
    tracing: undefined,
    notices: [],
    secrets: [],
  });
});

test.each(["'", '"'])("a value in quotes (%s) is named, and nothing else is said about it", (quote) => {
  const token = `${quote}${slack.SLACK_BOT_TOKEN}${quote}`;

  expect(problems({ ...slack, ...service, SLACK_BOT_TOKEN: token })).toEqual([
    "SLACK_BOT_TOKEN begins or ends with a quote. Remove the quotes: only Gantry's own .env file may have them.",
  ]);
});

test("with both sets it is the real bot, and says its secrets to the log's redaction only", () => {
  const config = readConfig({ ...slack, ...service, WORKLOAD_REGIONS: "us,tokyo1", HOST: "0.0.0.0", PORT: "8080" });

  expect(config).toMatchObject({
    slack: {
      kind: "real",
      tokens: { kind: "one", botToken: slack.SLACK_BOT_TOKEN },
      transport: { kind: "http", signingSecret: slack.SLACK_SIGNING_SECRET },
    },
    service: { kind: "remote", url: service.WORKLOAD_API_URL, account: { username: "dana" } },
    listen: { host: "0.0.0.0", port: 8080 },
    settings: { region: "tokyo1", regions: ["tokyo1", "us"], serviceUrl: service.WORKLOAD_API_URL },
    logLevel: "info",
    notices: [],
  });
  expect(config.secrets).toEqual([slack.SLACK_BOT_TOKEN, slack.SLACK_SIGNING_SECRET, service.WORKLOAD_API_TOKEN]);
});

test("a proxy may be named in lower case and without its scheme, and its password is a secret", () => {
  const config = readConfig({
    https_proxy: "dana:p%40ss@proxy.example:3128",
    HTTPS_PROXY: "http://old:1",
    NO_PROXY: "db",
  });

  expect(config.proxy).toEqual({
    httpsProxy: "http://dana:p%40ss@proxy.example:3128",
    httpProxy: undefined,
    noProxy: "db",
  });
  expect(config.secrets).toEqual(["p%40ss", "p@ss"]);
  expect(problems({ HTTP_PROXY: "socks5://proxy.example:1080" })).toEqual([
    "HTTP_PROXY must be the address of an HTTP proxy, like http://proxy.example.com:3128.",
  ]);
});

const database = { DATABASE_URL: "postgres://gantry:p%40ss-word@db.example:5432/gantry" };
const keys = {
  GANTRY_KEYS: "k2:bmV3LWtleS1vZi0zMi1ieXRlcy1mb3ItdGhpcy10MDE=,k1:b2xkLWtleS1vZi0zMi1ieXRlcy1mb3ItdGhpcy10MDE=",
};

test("with a database for several replicas, its limits are set, and its password and the keys are secrets", () => {
  const config = readConfig({ ...database, ...keys, DATABASE_TLS: "verify", DATABASE_CA: "/etc/ca.pem" });

  expect(config.store).toEqual({
    kind: "postgres",
    url: database.DATABASE_URL,
    tls: { verify: "chain and name", caFile: "/etc/ca.pem" },
    poolSize: 10,
    statementTimeoutMs: 900,
  });
  expect(config.secrets).toEqual(
    expect.arrayContaining([
      "p@ss-word",
      "bmV3LWtleS1vZi0zMi1ieXRlcy1mb3ItdGhpcy10MDE=",
      "b2xkLWtleS1vZi0zMi1ieXRlcy1mb3ItdGhpcy10MDE=",
    ]),
  );
});

test("replicas that share a database have to share a key", () => {
  expect(problems(database)).toEqual([expect.stringMatching(/^GANTRY_KEYS is missing.*openssl rand/u)]);
});

test("a % in the database's password that is not encoded is told, with the setting and without the password", () => {
  expect(problems({ ...keys, DATABASE_URL: "postgres://gantry:100%safe@db.example/gantry" })).toEqual([
    "DATABASE_URL has an invalid percent encoding. Write a % in the user name or password as %25.",
  ]);
});

test("whose accounts count, where the policy lies and how long history is kept are settings", () => {
  const config = readConfig({ GANTRY_ACCOUNTS: "own", GANTRY_POLICY: "policy.yaml", GANTRY_HISTORY_DAYS: "30" });

  expect(config).toMatchObject({
    accountMode: "own",
    policyPath: resolve("policy.yaml"),
    historyMs: 30 * 24 * 60 * 60_000,
  });
});

test("with one set only, the other side is local, and that is said loudly", () => {
  expect(readConfig(service).slack.kind).toBe("playground");
  expect(readConfig(service).notices.join()).toMatch(/^WARNING: Slack is simulated.*change real workloads/u);

  const allowed = { ...slack, GANTRY_EMBEDDED_SERVICE_WITH_SLACK: "allow" };
  expect(readConfig(allowed).service.kind).toBe("embedded");
  expect(readConfig(allowed).notices.join()).toMatch(
    /^WARNING: Slack is real, but the workload API is the built-in one/u,
  );
});

test.each([
  ["PORT", "http", /^PORT must be a port/u],
  ["PORT", "70000", /^PORT must be a port/u],
  ["PLAYGROUND_PORT", "-1", /^PLAYGROUND_PORT must be a port/u],
  ["GANTRY_COMMAND", "gantry", /^GANTRY_COMMAND must be a slash command like \/gantry/u],
  ["GANTRY_LOG_LEVEL", "loud", /^GANTRY_LOG_LEVEL must be debug, info, warn or error/u],
  ["WORKLOAD_API_LOG_FROM", "start", /^WORKLOAD_API_LOG_FROM must be offset or page/u],
  ["WORKLOAD_API_LOG_ZONE", "Mars/Base", /^WORKLOAD_API_LOG_ZONE must be the time zone .* like UTC/u],
  ["WORKLOAD_API_RESOURCES_KEY", "ressources", /^WORKLOAD_API_RESOURCES_KEY must be resources or resource/u],
  ["WORKLOAD_REGIONS", "a b", /^WORKLOAD_REGIONS must be region names/u],
  ["WORKLOAD_REGION", "a,b", /^WORKLOAD_REGION must be one region/u],
  ["WORKLOAD_REGION", "mars", /^WORKLOAD_REGION must be beijing1 or beijing2 or us, or unset\.$/u],
  ["SERVICE_CALLS_PER_DAY", "many", /^SERVICE_CALLS_PER_DAY must be a whole number/u],
  ["GANTRY_ACCOUNTS", "mine", /^GANTRY_ACCOUNTS must be own .* or fallback/u],
  ["GANTRY_HEALTHY_AFTER", "1 minute", /^GANTRY_HEALTHY_AFTER must be a whole number of seconds from 0 to 540/u],
  ["GANTRY_HISTORY_DAYS", "0", /^GANTRY_HISTORY_DAYS must be a whole number of days from 1/u],
  ["DATABASE_TLS", "yes", /^DATABASE_TLS must be verify .*, unverified .* or off/u],
  ["DATABASE_POOL", "0", /^DATABASE_POOL must be a whole number of connections from 1/u],
  ["DATABASE_TIMEOUT_MS", "soon", /^DATABASE_TIMEOUT_MS must be a whole number of milliseconds/u],
  ["SLACK_API_URL", "http://127.0.0.1:1/api", /^SLACK_API_URL needs the settings of a Slack app/u],
])("%s=%s is refused by name, with what to set", (name, value, message) => {
  expect(problems({ [name]: value })).toEqual([expect.stringMatching(message)]);
});

test.each([
  ["a token without a way to be reached", { SLACK_BOT_TOKEN: slack.SLACK_BOT_TOKEN }, ["SLACK_APP_TOKEN"]],
  [
    "Socket Mode together with requests over https",
    { ...slack, ...service, SLACK_APP_TOKEN: "xapp-1" },
    ["SLACK_APP_TOKEN"],
  ],
  ["one workspace together with several", { ...slack, ...service, SLACK_CLIENT_ID: "1.2" }, ["SLACK_BOT_TOKEN"]],
  [
    "several workspaces without an address",
    {
      WORKLOAD_API_URL: service.WORKLOAD_API_URL,
      SLACK_APP_TOKEN: "xapp-1",
      SLACK_CLIENT_ID: "1.2",
      SLACK_CLIENT_SECRET: "0123456789abcdef",
    },
    ["GANTRY_URL"],
  ],
  [
    "a bot token in place of the app's",
    { ...service, SLACK_BOT_TOKEN: "xoxb-1", SLACK_APP_TOKEN: "xoxb-1" },
    ["SLACK_APP_TOKEN"],
  ],
  ["a secret without its token", { SLACK_SIGNING_SECRET: slack.SLACK_SIGNING_SECRET }, ["SLACK_BOT_TOKEN"]],
  [
    "an address without an account",
    { WORKLOAD_API_URL: service.WORKLOAD_API_URL },
    ["WORKLOAD_API_USERNAME", "WORKLOAD_API_TOKEN"],
  ],
  ["a user token", { ...slack, ...service, SLACK_BOT_TOKEN: "xoxp-1" }, ["SLACK_BOT_TOKEN"]],
  ["an address with a password", { ...service, WORKLOAD_API_URL: "https://a:b@c" }, ["WORKLOAD_API_URL"]],
  ["processes beside real Slack", slack, ["GANTRY_EMBEDDED_SERVICE_WITH_SLACK"]],
  [
    "host programs beside real Slack",
    { ...slack, ...service, SERVICE_HOST_COMMANDS: "allow" },
    ["SERVICE_HOST_COMMANDS"],
  ],
])("%s does not start half", (_, env, named) => {
  expect(problems(env as Record<string, string>).map((each) => each.split(" ")[0])).toEqual(named); // plain strings
});

test("with an app-level token, deliveries come over Socket Mode, and the token is a secret", () => {
  const { SLACK_BOT_TOKEN } = slack;
  const config = readConfig({ ...service, SLACK_BOT_TOKEN, SLACK_APP_TOKEN: "xapp-1-A1-2-abc" });

  expect(config.slack).toMatchObject({ kind: "real", transport: { kind: "socket", appToken: "xapp-1-A1-2-abc" } });
  expect(config.secrets).toContain("xapp-1-A1-2-abc");
});

const several = {
  SLACK_CLIENT_ID: "1.2",
  SLACK_CLIENT_SECRET: "0123456789abcdef",
  GANTRY_URL: "https://gantry.example.com/",
  SLACK_SIGNING_SECRET: slack.SLACK_SIGNING_SECRET,
};

test("the simulated Slack can have several workspaces, with the same rules", () => {
  const simulated = { PLAYGROUND_WORKSPACES: "several", WORKLOAD_API_URL: service.WORKLOAD_API_URL };
  expect(readConfig(simulated)).toMatchObject({ slack: { workspaces: "several" }, service: { account: undefined } });
  expect(problems({ ...simulated, ...service })).toHaveLength(2);
});

test("with OAuth, no workspace acts with an account of another", () => {
  const config = readConfig({ ...several, WORKLOAD_API_URL: service.WORKLOAD_API_URL });

  expect(config).toMatchObject({
    slack: { tokens: { kind: "oauth", clientId: "1.2", url: "https://gantry.example.com" } },
    service: { kind: "remote", account: undefined },
  });
  expect(config.secrets).toContain(several.SLACK_CLIENT_SECRET);
  expect(problems(several)).toEqual([expect.stringMatching(/^WORKLOAD_API_URL is missing/u)]);
  expect(problems({ ...several, ...service })).toEqual([
    expect.stringMatching(/^WORKLOAD_API_USERNAME would be used by every workspace/u),
    expect.stringMatching(/^WORKLOAD_API_TOKEN would be used by every workspace/u),
  ]);
});

test("the start warns if GANTRY_URL isn't an https address, where workspaces install the app", () => {
  const { WORKLOAD_API_URL } = service;
  const noticesAt = (url: string) => readConfig({ ...several, WORKLOAD_API_URL, GANTRY_URL: url }).notices;

  expect(noticesAt("http://gantry.example.com")).toEqual([
    expect.stringMatching(/^WARNING: GANTRY_URL isn't an https/u),
  ]);
  expect(noticesAt("https://gantry.example.com")).toEqual([]);
  expect(problems({ ...several, WORKLOAD_API_URL, GANTRY_URL: "gantry.example.com" })).toEqual([
    expect.stringMatching(/^GANTRY_URL must be a URL/u),
  ]);
});

test("a likely typo in the name of a variable is reported: otherwise the default would apply silently", () => {
  const { notices } = readConfig({
    GANTRY_POLCY: "policy.yaml",
    SLACK_BOT_TOKNE: "xoxb-1",
    DATABASE_URI: "postgres://x",
  });

  expect(notices).toEqual([
    "WARNING: GANTRY_POLCY is set, but Gantry doesn't read it. Did you mean GANTRY_POLICY?",
    "WARNING: SLACK_BOT_TOKNE is set, but Gantry doesn't read it. Did you mean SLACK_BOT_TOKEN?",
    "WARNING: DATABASE_URI is set, but Gantry doesn't read it. Did you mean DATABASE_URL?",
  ]);
});

test.each([
  ["what Kubernetes sets for a Service", { GANTRY_PORT: "tcp://10.0.0.1:3000", GANTRY_SERVICE_HOST: "10.0.0.1" }],
  [
    "variables of other programs",
    {
      DATABASE_DB: "x",
      DATABASE_NAME: "x",
      SERVICE_NAME: "x",
      SLACK_WEBHOOK_URL: "x",
      HOSTS: "x",
      CONTAINER_PORT: "80",
    },
  ],
  [
    "variables of Gantry's other programs",
    { GANTRY_ENV_FILE: "x", PLAYGROUND_URL: "x", SERVICE_USERS: "x", GANTRY_TEST: "x" },
  ],
])("there is no warning about %s", (_, env) => {
  expect(readConfig(env as Record<string, string>).notices).toEqual([]); // plain strings
});

test("the region of services is one that the local workload API has", () => {
  expect(readConfig({ WORKLOAD_REGION: "us" }).settings.region).toBe("us");
  expect(readConfig({ WORKLOAD_REGION: "mars", SERVICE_REGIONS: "earth,mars" }).settings.region).toBe("mars");
  expect(readConfig({ ...service, WORKLOAD_REGION: "mars" }).settings.region).toBe("mars");
});

test("the bot alone needs both sets", () => {
  expect(problems(slack, { isBotAlone: true }).map((each) => each.split(" ")[0])).toEqual(Object.keys(service));
  expect(problems({}, { isBotAlone: true })).toHaveLength(5);
  expect(problems({ ...slack, ...service }, { isBotAlone: true })).toEqual([]);
});

test("metrics have a port of their own, and traces go where the standard variables say", () => {
  expect(readConfig({ GANTRY_METRICS_PORT: "9464", GANTRY_METRICS_HOST: "0.0.0.0" }).metrics).toEqual({
    host: "0.0.0.0",
    port: 9464,
  });
  const OTEL_EXPORTER_OTLP_ENDPOINT = "https://collector.example.com/otlp/";
  const config = readConfig({
    OTEL_EXPORTER_OTLP_ENDPOINT,
    OTEL_EXPORTER_OTLP_HEADERS: "api-key=a%20key%3D, team = ops",
    OTEL_RESOURCE_ATTRIBUTES: "deployment.environment.name=production",
    OTEL_TRACES_SAMPLER: "traceidratio",
    OTEL_TRACES_SAMPLER_ARG: "0.25",
  });
  expect(config.tracing).toEqual({
    url: "https://collector.example.com/otlp/v1/traces",
    headers: { "api-key": "a key=", team: "ops" },
    serviceName: "gantry",
    attributes: { "deployment.environment.name": "production" },
    sampler: "traceidratio",
    ratio: 0.25,
  });
  expect(config.secrets).toEqual(expect.arrayContaining(["a key="]));
  const elsewhere = { OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: "http://tempo:4318/v1/traces" };
  expect(readConfig({ OTEL_EXPORTER_OTLP_ENDPOINT, ...elsewhere }).tracing?.url).toBe("http://tempo:4318/v1/traces");
  expect(readConfig({ OTEL_EXPORTER_OTLP_ENDPOINT, OTEL_SDK_DISABLED: "true" }).tracing).toBeUndefined();
});

test("two equal ports are reported with both variables, also where one is the default", () => {
  expect(problems({ PORT: "4300", PLAYGROUND_PORT: "4300" })).toEqual([
    "PORT and PLAYGROUND_PORT name the same port, 4300. Change one of them, e.g. PLAYGROUND_PORT=4400.",
  ]);
  expect(problems({ PORT: "3001" })).toHaveLength(1);
  expect(problems({ HOST: "0.0.0.0", GANTRY_METRICS_PORT: "3000" })).toEqual([
    "PORT and GANTRY_METRICS_PORT name the same port, 3000. Change one of them, e.g. GANTRY_METRICS_PORT=3100.",
  ]);
  expect(problems({ PORT: "0", PLAYGROUND_PORT: "0" })).toEqual([]);
  expect(problems({ PORT: "3001", HOST: "127.0.0.2" })).toEqual([]);
});

test("wrong settings of metrics and traces are named, without their values", () => {
  const wrong = {
    GANTRY_METRICS_PORT: "70000",
    OTEL_EXPORTER_OTLP_ENDPOINT: "collector:4317",
    OTEL_EXPORTER_OTLP_PROTOCOL: "grpc",
    OTEL_EXPORTER_OTLP_HEADERS: "hunter2",
    OTEL_TRACES_SAMPLER: "sometimes",
    OTEL_TRACES_SAMPLER_ARG: "7",
    LOG_FORMAT: "xml",
  };
  const said = problems(wrong).join("\n");
  for (const name of Object.keys(wrong)) expect(said, name).toContain(name);
  expect(said).not.toContain("hunter2");
  expect(said).toContain("must be http/json or unset: Gantry sends JSON over HTTP, usually to port 4318.");
});

test("all errors come at once, empty means not set, and no value is repeated", () => {
  const found = problems({
    PORT: "x-secret-x",
    GANTRY_COMMAND: "",
    SLACK_BOT_TOKEN: "xoxp-secret",
    GANTRY_LOG_LEVEL: "no",
  });

  expect(found.map((each) => each.split(" ")[0])).toEqual([
    "SLACK_BOT_TOKEN",
    "PORT",
    "GANTRY_LOG_LEVEL",
    "SLACK_APP_TOKEN",
  ]);
  expect(found.join()).not.toContain("secret-x");
  expect(found.join()).not.toContain("xoxp-secret");
});
