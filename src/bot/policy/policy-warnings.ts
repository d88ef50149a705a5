import { matchesPattern } from "./match.ts";
import { isActionId, operationFacts } from "./operation-facts.ts";
import type { Policy, Rule, RuleActions } from "./policy.ts";
import type { PolicyProblem } from "./read-policy.ts";

/** What a valid policy may not mean: rules that are limited to regions in which no job runs, and don't say so. */
export function policyWarnings({ rules }: Policy, { jobsRegion }: { readonly jobsRegion: string }): PolicyProblem[] {
  return rules.filter((rule) => missesJobs(rule, jobsRegion)).map((rule) => warning(rule, jobsRegion));
}

function missesJobs({ regions, kinds, does }: Rule, jobsRegion: string): boolean {
  if (regions === undefined || regions.some((pattern) => matchesPattern(pattern, jobsRegion))) return false;
  return (kinds === undefined || kinds.includes("job")) && does.some(isAboutJobs);
}

/** No operation on jobs is disruptive. */
function isAboutJobs(deeds: RuleActions): boolean {
  return isActionId(deeds) ? operationFacts[deeds].kind === "job" : deeds !== "disruptive";
}

function warning({ name, line, regions = [], kinds }: Rule, jobsRegion: string): PolicyProblem {
  const where = `${regions.length === 1 ? "region" : "regions"} ${regions.join(", ")}`;
  const wanted = kinds?.includes("service") === false ? `Use region: ${jobsRegion}` : `Add ${jobsRegion} to region`;
  return {
    line,
    sentence:
      `rule “${name}” never matches jobs: it is for ${where}, and jobs run in ${jobsRegion}. The rules below it decide about them. ` +
      `${wanted}, or write kind: service if only services are meant.`,
  };
}
