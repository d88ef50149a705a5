import { z } from "zod";
import { names, port, wholeNumber } from "../platform/settings.ts";
import type { EngineDescriptor } from "./engine-descriptor.ts";
import { engineName, engines } from "./engines.ts";
import { parseUsers } from "./api/users.ts";

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
