import { resolve } from "node:path";
import { z } from "zod";
import { samePorts } from "../platform/http/port.ts";
import { type ObservingConfig, observingOf, observingSettings } from "../platform/observing/observing-config.ts";
import { type Given, secretsIn, sentencesOf, shapeOf, withoutEmpty } from "../platform/settings.ts";
import type { EngineChoice } from "./engine-descriptor.ts";
import { chooseEngine, engineProblems, engineVariableProblems, engineVariables } from "./engines.ts";
import { aloneSettings, serviceSettings } from "./settings.ts";
import type { Account } from "./api/users.ts";

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
  /** These must not appear in any log. */
  readonly secrets: readonly string[];
};

const rows = { ...serviceSettings, ...aloneSettings, ...observingSettings };

const Environment = z.object({
  ...shapeOf(rows),
  GANTRY_DATA: z.string().default(".gantry"),
  NODE_ENV: z.string().optional(),
});

/** The regions of the API's document. */
const regions = ["us", "beijing1", "beijing2"];

/**
 * Reads the environment of the service. An empty variable counts as unset, and a relative folder is relative to the
 * project. `problems` has a sentence for each invalid variable, without its value.
 */
export function readServiceConfig(
  env: Given,
  projectDir: string,
): { readonly config: ServiceConfig } | { readonly problems: readonly string[] } {
  const set = withoutEmpty(env);
  const parsed = Environment.safeParse(set);
  const problems = [...sentencesOf(parsed.error), ...engineVariableProblems(set), ...engineProblems(set)];
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
      secrets: secretsIn({ ...rows, ...engineVariables }, set),
      ...observing,
      checkAnswers: data.NODE_ENV !== "production",
    },
  };
}
