import type { Settings } from "../commands/command.ts";
import type { EngineAbout } from "../../service/engine.ts";
import { ConfigError } from "./config-error.ts";

type Chosen = { readonly region?: string | undefined; readonly jobsRegion?: string | undefined };

/**
 * The settings with the regions of an engine that knows them itself. Throws a `ConfigError` when the operator chose one
 * that it doesn't have.
 */
export function withRegionsOf({ regions }: EngineAbout, settings: Settings, chosen: Chosen): Settings {
  const services = regions.filter((each) => each.services).map(({ name }) => name);
  const jobs = regions.filter((each) => each.jobs).map(({ name }) => name);
  const problems = [
    ...wrong("WORKLOAD_REGION", chosen.region, services),
    ...wrong("WORKLOAD_JOBS_REGION", chosen.jobsRegion, jobs),
  ];
  if (problems.length > 0) throw new ConfigError(problems);
  return {
    ...settings,
    region: chosen.region ?? services[0] ?? settings.region,
    regions: services,
    jobsRegion: chosen.jobsRegion ?? jobs[0] ?? settings.jobsRegion,
  };
}

function wrong(variable: string, value: string | undefined, known: readonly string[]): string[] {
  return value === undefined || known.includes(value) ? [] : [`${variable} must be ${known.join(" or ")}, or unset.`];
}
