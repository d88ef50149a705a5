import { z } from "zod";
import { type DatabaseAddress, databaseTls } from "../platform/database/database-tls.ts";
import type { DaemonSettings } from "./engines/docker/daemon/find-daemon.ts";
import {
  credentialVariablesOf,
  daemonSettingsOf,
  dockerProblems,
  dockerVariables,
} from "./engines/docker/docker-variables.ts";
import { quotasOf, quotaVariables } from "./workloads/machine/quota-variables.ts";
import type { QuotaSettings } from "./workloads/machine/host-limits.ts";

/** The engine that the environment asks for, before anything is opened. */
export type EngineChoice =
  | {
      readonly kind: "process";
      readonly regions: readonly string[];
      readonly hostCommands: boolean;
      readonly quotas: QuotaSettings;
    }
  | {
      readonly kind: "docker";
      readonly regions: readonly string[];
      readonly quotas: QuotaSettings;
      readonly daemon: DaemonSettings;
      /** The variables that say where credentials for registries are. */
      readonly credentials: Readonly<Record<string, string | undefined>>;
      /** The address of this machine that port mappings get. */
      readonly portsHost: string;
    }
  | {
      readonly kind: "kubernetes";
      /** The file of SERVICE_CLUSTERS; undefined for the kubeconfig's current context. */
      readonly clustersPath: string | undefined;
      /** A PostgreSQL database for the logs; undefined for a file. */
      readonly database: DatabaseAddress | undefined;
    };

/** Every part of a database's URL is percent-decoded later. */
export function hasValidEscapes(url: string): boolean {
  try {
    decodeURIComponent(url);
    return true;
  } catch {
    return false;
  }
}

const databaseForm = "must be a URL like postgres://user:password@host:5432/gantry (default: a file in GANTRY_DATA)";

/** The variables of the engines, for the service alone and for the one inside the bot. Messages complete the name. */
export const engineVariables = {
  SERVICE_ENGINE: z
    .enum(["process", "docker", "kubernetes"], "must be process, docker or kubernetes (default: process)")
    .optional(),
  SERVICE_CLUSTERS: z.string().optional(),
  SERVICE_DATABASE_URL: z
    .string()
    .refine((text) => URL.canParse(text) && /^postgres(?:ql)?:$/u.test(new URL(text).protocol), {
      error: databaseForm,
      abort: true,
    })
    .refine(hasValidEscapes, { error: "has an invalid percent encoding. Write a % in the password as %25" })
    .optional(),
  SERVICE_DATABASE_TLS: z.enum(["off", "verify", "unverified"], "must be verify, unverified or off").optional(),
  SERVICE_DATABASE_CA: z.string().optional(),
  ...quotaVariables,
  ...dockerVariables,
};

type EngineKind = EngineChoice["kind"];

type Values = {
  readonly SERVICE_ENGINE?: EngineKind | undefined;
  readonly SERVICE_CLUSTERS?: string | undefined;
  readonly SERVICE_DATABASE_URL?: string | undefined;
  readonly SERVICE_DATABASE_TLS?: "off" | "verify" | "unverified" | undefined;
  readonly SERVICE_DATABASE_CA?: string | undefined;
  readonly SERVICE_HOST_COMMANDS?: "allow" | undefined;
} & Parameters<typeof quotasOf>[0] &
  Parameters<typeof daemonSettingsOf>[0];

export function engineChoiceOf(values: Values, regions: readonly string[]): EngineChoice {
  if (values.SERVICE_ENGINE === "kubernetes") {
    return {
      kind: "kubernetes",
      clustersPath: values.SERVICE_CLUSTERS,
      database: logDatabaseOf(values),
    };
  }
  const quotas = quotasOf(values);
  if (values.SERVICE_ENGINE === "docker") {
    const portsHost = values.SERVICE_PORTS_HOST ?? "127.0.0.1";
    const credentials = credentialVariablesOf(values);
    return { kind: "docker", regions, quotas, daemon: daemonSettingsOf(values), credentials, portsHost };
  }
  return { kind: "process", regions, hostCommands: values.SERVICE_HOST_COMMANDS === "allow", quotas };
}

/** Call `engineProblems` first: it reports invalid settings. */
function logDatabaseOf(values: Values): DatabaseAddress | undefined {
  const { SERVICE_DATABASE_URL: url, SERVICE_DATABASE_TLS: tls, SERVICE_DATABASE_CA: caFile } = values;
  if (url === undefined) return undefined;
  const resolved = databaseTls({ url, tls, caFile }, "SERVICE_DATABASE");
  if ("problem" in resolved) throw new Error(resolved.problem);
  return { url, tls: resolved.tls };
}

const LogDatabaseVariables = z.object({
  SERVICE_DATABASE_URL: engineVariables.SERVICE_DATABASE_URL.unwrap(),
  SERVICE_DATABASE_TLS: engineVariables.SERVICE_DATABASE_TLS,
  SERVICE_DATABASE_CA: engineVariables.SERVICE_DATABASE_CA,
});

function logDatabaseProblems(given: Readonly<Record<string, string | undefined>>): string[] {
  const parsed = LogDatabaseVariables.safeParse(given);
  if (!parsed.success) {
    const alone = ["SERVICE_DATABASE_TLS", "SERVICE_DATABASE_CA"].filter((name) => given[name] !== undefined);
    return given["SERVICE_DATABASE_URL"] === undefined
      ? alone.map((name) => `${name} needs SERVICE_DATABASE_URL. Set it, or unset ${name}.`)
      : [];
  }
  const { SERVICE_DATABASE_URL: url, SERVICE_DATABASE_TLS: tls, SERVICE_DATABASE_CA: caFile } = parsed.data;
  const resolved = databaseTls({ url, tls, caFile }, "SERVICE_DATABASE");
  return "problem" in resolved ? [resolved.problem] : [];
}

type Fit = { readonly engines: readonly EngineKind[]; readonly why: string };

const LOGS_IN_DATA: Fit = { engines: ["kubernetes"], why: "The other engines keep their logs in GANTRY_DATA." };

/** The variables that mean nothing to some engine, and why. */
const fits: Readonly<Record<string, Fit>> = {
  SERVICE_REGIONS: {
    engines: ["process", "docker"],
    why: "The regions of Kubernetes are those of SERVICE_CLUSTERS, or the kubeconfig's current context.",
  },
  SERVICE_HOST_COMMANDS: { engines: ["process"], why: "Containers run images, no programs of this machine." },
  ...Object.fromEntries(
    Object.keys(quotaVariables).map((name): [string, Fit] => [
      name,
      {
        engines: ["process", "docker"],
        why: "Kubernetes has its own quotas: put a ResourceQuota into the user's namespace.",
      },
    ]),
  ),
  SERVICE_PORTS_HOST: { engines: ["docker"], why: "It is the address of port mappings on Docker and Podman." },
  SERVICE_CLUSTERS: { engines: ["kubernetes"], why: "It is the file of the clusters." },
  SERVICE_DATABASE_URL: LOGS_IN_DATA,
  SERVICE_DATABASE_TLS: LOGS_IN_DATA,
  SERVICE_DATABASE_CA: LOGS_IN_DATA,
};

/** Variables that are valid alone but mean nothing for the chosen engine, as sentences. */
export function engineProblems(given: Readonly<Record<string, string | undefined>>): string[] {
  const chosen = given["SERVICE_ENGINE"] ?? "process";
  const unfit = Object.entries(fits)
    .filter(([name, { engines }]) => given[name] !== undefined && engines.every((engine) => engine !== chosen))
    .map(
      ([name, { engines, why }]) =>
        `${name} needs SERVICE_ENGINE=${engines.join(" or ")}. ${why} Unset it, or change SERVICE_ENGINE.`,
    );
  if (chosen === "docker") return [...unfit, ...dockerProblems(given)];
  return chosen === "kubernetes" ? [...unfit, ...logDatabaseProblems(given)] : unfit;
}

/** Secrets of the choice that must not appear in any log. */
export function engineSecrets(choice: EngineChoice): readonly string[] {
  return choice.kind === "kubernetes" && choice.database ? urlSecrets(choice.database.url) : [];
}

/** A database's URL, and the passwords in it. */
export function urlSecrets(url: string): readonly string[] {
  const { password, searchParams } = new URL(url);
  const passwords = [decodeURIComponent(password), ...searchParams.getAll("password")];
  return [url, ...passwords.filter((each) => each !== "")];
}
