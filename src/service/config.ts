import { resolve } from "node:path";
import { z } from "zod";
import type { QuotaSettings } from "./engines/process/host-limits.ts";
import { type Account, parseUsers } from "./api/users.ts";

/** The configuration of the service as a separate program. */
export type ServiceConfig = {
  readonly host: string;
  readonly port: number;
  /** If undefined, users are created on the first start and saved in `dataDir`. */
  readonly users: readonly Account[] | undefined;
  readonly regions: readonly string[];
  readonly callsPerDay: number | undefined;
  readonly quotas: QuotaSettings;
  readonly hostCommands: boolean;
  readonly dataDir: string;
  readonly checkAnswers: boolean;
};

const portForm = "must be a port from 0 to 65535 (default: 3002)";
const callsForm = "must be a whole number of calls, at least 1 (default: no limit)";
const regionsForm = "must be region names separated by commas, like us,beijing1";

const quota = (unit: string) =>
  z
    .string()
    .regex(/^[1-9]\d{0,8}$/, `must be a whole number of ${unit}, at least 1, or unset`)
    .transform(Number)
    .optional();

/** The variables of the quotas, here and for the service inside the bot. */
export const quotaVariables = {
  SERVICE_USER_INSTANCES: quota("instances"),
  SERVICE_USER_MEMORY_MIB: quota("MiB"),
  SERVICE_HOST_INSTANCES: quota("instances"),
  SERVICE_HOST_MEMORY_MIB: quota("MiB"),
};

type QuotaVariables = { readonly [name in keyof typeof quotaVariables]?: number | undefined };

export function quotasOf(variables: QuotaVariables): QuotaSettings {
  return {
    userInstances: variables.SERVICE_USER_INSTANCES,
    userMemoryMib: variables.SERVICE_USER_MEMORY_MIB,
    hostInstances: variables.SERVICE_HOST_INSTANCES,
    hostMemoryMib: variables.SERVICE_HOST_MEMORY_MIB,
  };
}

/** The message of an error completes the name of its variable. */
const Environment = z.object({
  SERVICE_HOST: z.string().default("127.0.0.1"),
  SERVICE_PORT: z
    .string()
    .regex(/^\d{1,5}$/, portForm)
    .transform(Number)
    .refine((port) => port <= 65_535, portForm)
    .default(3002),
  SERVICE_USERS: z.string().transform(usersOf).optional(),
  SERVICE_REGIONS: z
    .string()
    .transform((text) => [...new Set(text.split(",").map((region) => region.trim()))])
    .refine((regions) => regions.every((region) => /^[A-Za-z0-9][\w-]{0,62}$/.test(region)), regionsForm)
    .default(["us", "beijing1", "beijing2"]),
  SERVICE_CALLS_PER_DAY: z
    .string()
    .regex(/^[1-9]\d{0,8}$/, callsForm)
    .transform(Number)
    .optional(),
  ...quotaVariables,
  SERVICE_HOST_COMMANDS: z
    .literal("allow", "must be unset, or allow: then every API user can run any program on this machine")
    .optional(),
  GANTRY_DATA: z.string().default(".gantry"),
  NODE_ENV: z.string().optional(),
});

function usersOf(text: string, context: z.RefinementCtx): readonly Account[] {
  try {
    return parseUsers(text);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    context.addIssue(`must be pairs like dana:TOKEN,alex:TOKEN: ${why}`);
    return z.NEVER;
  }
}

/**
 * Reads the environment of the service. An empty variable counts as unset, and a relative folder is relative to the
 * project. `problems` has a sentence for each invalid variable, without its value.
 */
export function readServiceConfig(
  env: Readonly<Record<string, string | undefined>>,
  projectDir: string,
): { readonly config: ServiceConfig } | { readonly problems: readonly string[] } {
  const set = Object.fromEntries(Object.entries(env).filter(([, value]) => value !== undefined && value !== ""));
  const parsed = Environment.safeParse(set);
  if (!parsed.success) {
    return { problems: parsed.error.issues.map(({ path, message }) => `${String(path[0])} ${message}.`) };
  }
  const { data } = parsed;
  return {
    config: {
      host: data.SERVICE_HOST,
      port: data.SERVICE_PORT,
      users: data.SERVICE_USERS,
      regions: data.SERVICE_REGIONS,
      callsPerDay: data.SERVICE_CALLS_PER_DAY,
      quotas: quotasOf(data),
      hostCommands: data.SERVICE_HOST_COMMANDS === "allow",
      dataDir: resolve(projectDir, data.GANTRY_DATA),
      checkAnswers: data.NODE_ENV !== "production",
    },
  };
}
