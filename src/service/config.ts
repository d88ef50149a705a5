import { resolve } from "node:path";
import { z } from "zod";
import { samePorts } from "../platform/http/port.ts";
import { type ObservingConfig, observingOf, observingVariables } from "../platform/observing/observing-config.ts";
import type { EngineChoice } from "./engine-descriptor.ts";
import { chooseEngine, engineName, engineProblems, engineVariableProblems } from "./engines.ts";
import { type Account, parseUsers } from "./api/users.ts";

/** The configuration of the service as a separate program. */
export type ServiceConfig = ObservingConfig & {
  readonly host: string;
  readonly port: number;
  /** If undefined, users are created on the first start and saved in `dataDir`. */
  readonly users: readonly Account[] | undefined;
  readonly engine: EngineChoice;
  readonly callsPerDay: number | undefined;
  readonly dataDir: string;
  readonly checkAnswers: boolean;
};

const portForm = "must be a port from 0 to 65535 (default: 3002)";
const callsForm = "must be a whole number of calls, at least 1 (default: no limit)";
const regionsForm = "must be region names separated by commas, like us,beijing1";

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
    .optional(),
  SERVICE_CALLS_PER_DAY: z
    .string()
    .regex(/^[1-9]\d{0,8}$/, callsForm)
    .transform(Number)
    .optional(),
  SERVICE_ENGINE: engineName,
  GANTRY_DATA: z.string().default(".gantry"),
  NODE_ENV: z.string().optional(),
  ...observingVariables,
});

/** The regions of the API's document. */
const regions = ["us", "beijing1", "beijing2"];

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
  const wrong = parsed.error?.issues.map(({ path, message }) => `${String(path[0])} ${message}.`) ?? [];
  const problems = [...wrong, ...engineVariableProblems(set), ...engineProblems(set)];
  if (!parsed.success || problems.length > 0) return { problems };
  const { data } = parsed;
  const observing = observingOf(data, "gantry-workload-api");
  const same = samePorts([
    { host: data.SERVICE_HOST, port: data.SERVICE_PORT, variable: "SERVICE_PORT" },
    ...(observing.metrics === undefined ? [] : [{ ...observing.metrics, variable: "GANTRY_METRICS_PORT" }]),
  ]);
  if (same.length > 0) return { problems: same };
  return {
    config: {
      host: data.SERVICE_HOST,
      port: data.SERVICE_PORT,
      users: data.SERVICE_USERS,
      engine: chooseEngine(set, { set: data.SERVICE_REGIONS, byDefault: regions }),
      callsPerDay: data.SERVICE_CALLS_PER_DAY,
      dataDir: resolve(projectDir, data.GANTRY_DATA),
      ...observing,
      checkAnswers: data.NODE_ENV !== "production",
    },
  };
}
