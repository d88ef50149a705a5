import { engineIn, engineProblems, engineVariables } from "../../service/engines.ts";
import { isOAuth, isSlackReal, slackProblems } from "./slack-sets.ts";

export type ConfigOptions = {
  /** Simulate nothing: Slack and the workload API must both be configured. */
  readonly isBotAlone?: boolean;
};

const serviceSet = ["WORKLOAD_API_URL", "WORKLOAD_API_USERNAME", "WORKLOAD_API_TOKEN"];

type Given = Readonly<Record<string, string | undefined>>;

/** Variables that are valid alone but not together, as sentences. */
export function wrongSets(given: Given, { isBotAlone = false }: ConfigOptions): string[] {
  const lacks = (set: readonly string[]): string[] => set.filter((name) => given[name] === undefined);
  const part = (set: readonly string[], what: string): string[] => {
    const missing = lacks(set);
    if (missing.length === 0 || (missing.length === set.length && !isBotAlone)) return [];
    const instead = isBotAlone ? "" : ` To use the local stand-in, unset ${set.join(", ")}.`;
    return missing.map((name) => `${name} is missing. ${what} needs ${set.join(", ")}.${instead}`);
  };
  const slack = slackProblems(given, { isBotAlone });
  const isEmbedded = lacks(serviceSet).length === serviceSet.length && !isBotAlone && !isOAuth(given);
  return [
    ...slack,
    ...(isOAuth(given) ? withOAuth(given) : part(serviceSet, "A real workload API")),
    ...(given["DATABASE_URL"] !== undefined && given["GANTRY_KEYS"] === undefined
      ? [
          "GANTRY_KEYS is missing. Replicas that share DATABASE_URL need the same key. Set it to k1:KEY, with a KEY from `openssl rand -base64 32`.",
        ]
      : []),
    ...(isSlackReal(given) && slack.length === 0 ? withRealSlack(given, isEmbedded) : []),
    ...(isEmbedded ? [...engineProblems(given), ...wrongRegions(given)] : unusedEngine(given, isBotAlone)),
  ];
}

/** People of one workspace must not act with the account of another. */
function withOAuth(given: Given): string[] {
  const why =
    "would be used by every workspace that installs Gantry. Unset it: each connects its own account with `/gantry connect workspace`.";
  return [
    ...(given["WORKLOAD_API_URL"] === undefined
      ? ["WORKLOAD_API_URL is missing. Several workspaces need a workload API, where each has its own account."]
      : []),
    ...["WORKLOAD_API_USERNAME", "WORKLOAD_API_TOKEN"]
      .filter((name) => given[name] !== undefined)
      .map((name) => `${name} ${why}`),
  ];
}

function withRealSlack(given: Given, isEmbedded: boolean): string[] {
  const isAllowed = given["GANTRY_EMBEDDED_SERVICE_WITH_SLACK"] === "allow";
  return [
    ...Object.entries(engineVariables).flatMap(([name, { withRealSlack: why }]) =>
      given[name] === undefined || why === undefined ? [] : [`${name} ${why}`],
    ),
    // Who chooses Docker or a cluster wants people of the workspace to change it, as far as the policy lets them.
    ...(isEmbedded && engineIn(given)?.isTrial === true && !isAllowed
      ? [
          "GANTRY_EMBEDDED_SERVICE_WITH_SLACK is missing. Without a workload API, people in Slack would start processes on " +
            "this machine. Set WORKLOAD_API_URL, WORKLOAD_API_USERNAME and WORKLOAD_API_TOKEN, or set it to allow.",
        ]
      : []),
  ];
}

function wrongRegions(given: Given): string[] {
  const jobs = given["WORKLOAD_JOBS_REGION"];
  const engine = engineIn(given);
  if (engine?.regions.from !== "engine") {
    return jobs === undefined || jobs === "us"
      ? []
      : ["WORKLOAD_JOBS_REGION must be us: this engine runs jobs only there. Unset it."];
  }
  return given["WORKLOAD_REGIONS"] === undefined
    ? []
    : [`WORKLOAD_REGIONS isn't used with SERVICE_ENGINE=${engine.name}: ${engine.regions.whose}. Unset it.`];
}

/** `npm run bot` may share its environment with `npm run service`. */
function unusedEngine(given: Given, isBotAlone: boolean): string[] {
  if (isBotAlone || given["SERVICE_ENGINE"] === undefined) return [];
  return [
    "SERVICE_ENGINE is for the built-in workload API, but WORKLOAD_API_URL names another one. Unset one of them.",
  ];
}
