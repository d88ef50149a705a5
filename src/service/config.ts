import { resolve } from "node:path";
import { z } from "zod";
import { samePorts } from "../platform/http/port.ts";
import { type ObservingConfig, observingOf, observingSettings } from "../platform/observing/observing-config.ts";
import {
  type Given,
  quotedProblems,
  secretsIn,
  sentencesOf,
  shapeOf,
  withoutEmpty,
  withoutQuotes,
  names,
  port,
  wholeNumber,
} from "../platform/settings.ts";
import type { EngineChoice, EngineDescriptor } from "./engine-descriptor.ts";
import {
  chooseEngine,
  engineProblems,
  engineVariableProblems,
  engineVariables,
  engineName,
  engines,
} from "./engines.ts";
import { type Account, parseUsers } from "./api/users.ts";

/** "Docker and Kubernetes". */
export function titlesOf(which: (engine: EngineDescriptor) => boolean): string {
  return new Intl.ListFormat("en-GB").format(engines.filter((engine) => which(engine)).map(({ title }) => title));
}

/** Of the workload API, whether it runs alone or inside of the bot. Engines have more. */
export const serviceSettings = {
  SERVICE_ENGINE: {
    schema: engineName,
    unset: engines[0].name,
    meaning: `${engines.map(({ name, runs }) => `\`${name}\`: ${runs}. `).join("")}Variables of other engines are refused.`,
  },
  SERVICE_REGIONS: {
    schema: names("must be region names separated by commas, like us,beijing1").optional(),
    unset: [
      "beijing1,beijing2",
      ...engines.flatMap(({ title, regions }) =>
        regions.from === "settings" && regions.byDefault !== undefined
          ? [`(${regions.byDefault.join(",")} on ${title})`]
          : [],
      ),
    ].join(" "),
    meaning: `The regions of services, not on ${titlesOf(({ regions }) => regions.from === "engine")}. Jobs run in us.`,
  },
  SERVICE_CALLS_PER_DAY: {
    schema: wholeNumber("calls", { from: 1 }).optional(),
    unset: "no limit",
    meaning: "Calls per user and day.",
  },
};

/** Only of the workload API alone. */
export const aloneSettings = {
  SERVICE_HOST: { schema: z.string().default("127.0.0.1"), meaning: "The address of the workload API." },
  SERVICE_PORT: { schema: port("3002").default(3002), meaning: "The port of the workload API." },
  SERVICE_USERS: {
    schema: z
      .string()
      .transform((text, context) => {
        try {
          return parseUsers(text);
        } catch (error) {
          const why = error instanceof Error ? error.message : String(error);
          context.addIssue(`must be pairs like dana:TOKEN,alex:TOKEN: ${why}`);
          return z.NEVER;
        }
      })
      .optional(),
    unset: "one user, made at the first start",
    meaning: "The API's users: `dana:TOKEN,alex:TOKEN`.",
  },
};

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
  const typed = withoutEmpty(env);
  const set = withoutQuotes(typed);
  const parsed = Environment.safeParse(set);
  const problems = [
    ...quotedProblems({ ...rows, ...engineVariables }, typed),
    ...sentencesOf(parsed.error),
    ...engineVariableProblems(set),
    ...engineProblems(set),
  ];
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
