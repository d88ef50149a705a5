import { z } from "zod";
import { isZone } from "../../platform/zones.ts";
import { hasValidEscapes } from "../../platform/database/database-tls.ts";
import { engineName } from "../../service/engines.ts";
import type { ProxySettings } from "../../platform/http/network.ts";
import { observingVariables } from "../../platform/observing/observing-config.ts";

function port(byDefault: number) {
  const error = `must be a port from 0 to 65535 (default: ${byDefault})`;
  return z.coerce.number({ error }).int({ error }).min(0, { error }).max(65_535, { error }).default(byDefault);
}

function wholeNumber(what: string, { from, to, byDefault }: { from: number; to: number; byDefault: number }) {
  const error = `must be a whole number ${what} from ${from} to ${to} (default: ${byDefault})`;
  return z.coerce.number({ error }).int({ error }).min(from, { error }).max(to, { error }).default(byDefault);
}

function list(error: string) {
  return z.string().transform((text, context) => {
    const items = text.split(",").map((item) => item.trim());
    if (items.every((item) => /^[A-Za-z0-9][A-Za-z0-9_-]*$/u.test(item))) return [...new Set(items)];
    context.addIssue(error);
    return z.NEVER;
  });
}

const region = "must be region names separated by commas, like beijing1,beijing2";
const httpUrl = (example: string) =>
  z.string().refine((text) => URL.canParse(text) && /^https?:$/u.test(new URL(text).protocol), {
    error: `must be a URL that starts with https:// or http://, like ${example}`,
  });

/** Shells and other programs accept a proxy without its scheme. */
const proxy = z
  .string()
  .transform((text) => (text.includes("://") ? text : `http://${text}`))
  .refine((text) => URL.canParse(text) && /^https?:$/u.test(new URL(text).protocol), {
    error: "must be the address of an HTTP proxy, like http://proxy.example.com:3128",
  })
  .optional();

const calls = z.coerce
  .number({ error: "must be a whole number of calls" })
  .int({ error: "must be a whole number of calls" })
  .min(1, { error: "must be at least 1" });

/** Every variable of the bot but those of the engines, with its format and default. Error messages complete the variable's name. */
export const Environment = z.object({
  SLACK_BOT_TOKEN: z
    .string()
    .regex(
      /^xoxb-/u,
      "must be the bot token, which starts with xoxb-. Copy it from your app's page, under OAuth & Permissions",
    )
    .optional(),
  SLACK_SIGNING_SECRET: z
    .string()
    .min(16, "is too short. Copy the signing secret from your app's page, under Basic Information")
    .optional(),
  SLACK_APP_TOKEN: z
    .string()
    .regex(
      /^xapp-/u,
      "must be an app-level token, which starts with xapp-. Create one with the scope connections:write on your app's page, under Basic Information",
    )
    .optional(),
  SLACK_CLIENT_ID: z
    .string()
    .regex(/^\d+\.\d+$/u, "must be two numbers with a dot. Copy it from your app's page, under Basic Information")
    .optional(),
  SLACK_CLIENT_SECRET: z
    .string()
    .min(16, "is too short. Copy the client secret from your app's page, under Basic Information")
    .optional(),
  GANTRY_URL: httpUrl("https://gantry.example.com")
    .transform((text) => text.replace(/\/+$/u, ""))
    .optional(),
  SLACK_API_URL: httpUrl("https://slack.com/api/")
    .transform((text) => (text.endsWith("/") ? text : `${text}/`))
    .optional(),
  HTTPS_PROXY: proxy,
  HTTP_PROXY: proxy,
  NO_PROXY: z.string().optional(),
  HOST: z.string().default("127.0.0.1"),
  PORT: port(3000),
  PLAYGROUND_HOST: z.string().default("127.0.0.1"),
  PLAYGROUND_PORT: port(3001),
  PLAYGROUND_WORKSPACES: z.enum(["one", "several"], "must be one or several").default("one"),
  PLAYGROUND_TRANSPORT: z.enum(["http", "socket"], "must be http or socket").default("http"),
  WORKLOAD_API_URL: httpUrl("https://workloads.example.com")
    .refine((text) => !/[?#]|\/\/[^/]*@/u.test(text), { error: "must have no user, query or fragment" })
    .optional(),
  WORKLOAD_API_USERNAME: z.string().optional(),
  WORKLOAD_API_TOKEN: z.string().optional(),
  WORKLOAD_API_RESOURCES_KEY: z
    .enum(["resources", "resource"], "must be resources or resource, whichever key the workload API uses in updates")
    .default("resources"),
  WORKLOAD_API_LOG_FROM: z
    .enum(["offset", "page"], "must be offset or page, whichever the workload API means by `from`")
    .default("offset"),
  WORKLOAD_API_LOG_ZONE: z
    .string()
    .refine(isZone, {
      error: "must be the time zone of the workload API's log days, like UTC or Asia/Shanghai",
    })
    .default("UTC"),
  WORKLOAD_REGIONS: list(region).optional(),
  WORKLOAD_JOBS_REGION: list("must be one region name, like us")
    .refine((names) => names.length === 1, { error: "must be one region: the one in which jobs run" })
    .transform(([first]) => first)
    .optional(),
  WORKLOAD_REGION: list("must be one region name, like beijing1")
    .refine((names) => names.length === 1, { error: "must be one region: the default without --region" })
    .optional(),
  GANTRY_COMMAND: z
    .string()
    .regex(
      /^\/[a-z0-9_-]{1,31}$/u,
      "must be a slash command like /gantry: a slash and up to 31 lowercase letters, digits, - or _",
    )
    .default("/gantry"),
  GANTRY_DATA: z.string().optional(),
  GANTRY_POLICY: z.string().optional(),
  GANTRY_WATCHES: z.string().optional(),
  GANTRY_KEYS: z.string().optional(),
  GANTRY_ACCOUNTS: z
    .enum(
      ["own", "fallback"],
      "must be own (everybody uses their own account) or fallback (own account, else the channel's, else the workspace's)",
    )
    .default("fallback"),
  // Looks end after ten minutes.
  GANTRY_HEALTHY_AFTER: wholeNumber("of seconds", { from: 0, to: 540, byDefault: 60 }),
  GANTRY_WATCH_CALLS: calls.optional(),
  GANTRY_HISTORY_DAYS: wholeNumber("of days", { from: 1, to: 36_500, byDefault: 365 }),
  GANTRY_AUDIT_URL: httpUrl("https://audit.example.com/gantry")
    .refine((text) => !/#|\/\/[^/]*@/u.test(text), { error: "must have no user and no fragment" })
    .optional(),
  GANTRY_AUDIT_SECRET: z
    .string()
    .min(24, "is too short. Make one with `openssl rand -base64 32`, and give it to the receiver too")
    .optional(),
  GANTRY_AUDIT_STDOUT: z.enum(["on", "off"], "must be on or off").default("off"),
  DATABASE_URL: z
    .string()
    .refine((text) => URL.canParse(text) && /^postgres(?:ql)?:$/u.test(new URL(text).protocol), {
      error: "must be a URL like postgres://user:password@host:5432/gantry (default: a file in GANTRY_DATA)",
      abort: true,
    })
    .refine(hasValidEscapes, {
      error: "has an invalid percent encoding. Write a % in the user name or password as %25",
    })
    .optional(),
  DATABASE_TLS: z
    .enum(
      ["off", "verify", "unverified"],
      "must be verify (encrypted, certificate checked), unverified (encrypted only) or off",
    )
    .optional(),
  DATABASE_CA: z.string().optional(),
  DATABASE_POOL: wholeNumber("of connections", { from: 1, to: 1_000, byDefault: 10 }),
  DATABASE_TIMEOUT_MS: wholeNumber("of milliseconds for one statement", { from: 50, to: 60_000, byDefault: 900 }),
  ...observingVariables,
  GANTRY_LOG_LEVEL: z.enum(["debug", "info", "warn", "error"], "must be debug, info, warn or error").optional(),
  GANTRY_EMBEDDED_SERVICE_WITH_SLACK: z.literal("allow", "must be allow or unset").optional(),
  SERVICE_REGIONS: list(region).optional(),
  SERVICE_CALLS_PER_DAY: calls.optional(),
  SERVICE_ENGINE: engineName,
});
export type Environment = z.infer<typeof Environment>;

const names = ["HTTPS_PROXY", "HTTP_PROXY", "NO_PROXY"] as const;

type Given = Readonly<Record<string, string | undefined>>;

/** The variables of proxies that are set in lower case, as most programs read them first. */
export function lowerCaseProxies(set: Given): Given {
  const lower = names.filter((name) => set[name.toLowerCase()] !== undefined);
  return Object.fromEntries(lower.map((name) => [name, set[name.toLowerCase()]]));
}

export function proxyOf(env: Pick<Environment, (typeof names)[number]>): ProxySettings {
  return { httpsProxy: env.HTTPS_PROXY, httpProxy: env.HTTP_PROXY, noProxy: env.NO_PROXY };
}
