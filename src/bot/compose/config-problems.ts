import { closest, distance } from "fastest-levenshtein";
import type { Given } from "../../platform/settings.ts";
import { engineIn, engineProblems, engineVariables } from "../../service/engines.ts";

/** All problems of the configuration at once: a sentence for each variable, with the value to set. */
export class ConfigError extends Error {
  override readonly name = "ConfigError";
  readonly problems: readonly string[];

  constructor(problems: readonly string[]) {
    super(`Gantry wasn't started. Correct these settings:\n${problems.map((problem) => `- ${problem}`).join("\n")}`);
    this.problems = problems;
  }
}

export type ConfigOptions = {
  /** Simulate nothing: Slack and the workload API must both be configured. */
  readonly isBotAlone?: boolean;
};

const OURS = /^(?:GANTRY|SLACK|WORKLOAD|SERVICE|DATABASE|PLAYGROUND)_/u;
/** Letters per typo. With fewer, short names of other programs look like ours. */
const LETTERS_FOR_A_TYPO = 6;

/** Warnings about likely typos in our variables: otherwise a policy or a limit would silently not apply. */
export function mistypedNames(given: Given, known: readonly string[]): string[] {
  return Object.keys(given)
    .filter((name) => OURS.test(name) && !known.includes(name))
    .flatMap((name) => {
      const near = closest(name, known);
      const typos = distance(name, near);
      return typos > 2 || typos * LETTERS_FOR_A_TYPO > name.length
        ? []
        : [`WARNING: ${name} is set, but Gantry doesn't read it. Did you mean ${near}?`];
    });
}

const serviceSet = ["WORKLOAD_API_URL", "WORKLOAD_API_USERNAME", "WORKLOAD_API_TOKEN"];

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
    ...auditProblems(given),
    ...(isSlackReal(given) && slack.length === 0 ? withRealSlack(given, isEmbedded) : []),
    ...(isEmbedded ? [...engineProblems(given), ...wrongRegions(given)] : unusedEngine(given, isBotAlone)),
  ];
}

/** A receiver must be able to tell whose events they are. */
function auditProblems(given: Given): string[] {
  const names = ["GANTRY_AUDIT_URL", "GANTRY_AUDIT_SECRET"];
  const missing = names.filter((name) => given[name] === undefined);
  return missing.length === 1
    ? missing.map((name) => `${name} is missing. The audit webhook needs ${names.join(" and ")}.`)
    : [];
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

const one = ["SLACK_BOT_TOKEN"];
const oauth = ["SLACK_CLIENT_ID", "SLACK_CLIENT_SECRET", "GANTRY_URL"];
const transports = ["SLACK_APP_TOKEN", "SLACK_SIGNING_SECRET"];
const all = [...one, ...oauth, ...transports];

/** True when any of Slack's own settings is set: then nothing of Slack is simulated. */
export function isSlackReal(given: Given): boolean {
  return all.some((name) => given[name] !== undefined);
}

/** True when several workspaces may install the app, of the real Slack or the simulated one. */
export function isOAuth(given: Given): boolean {
  if (!isSlackReal(given)) return given["PLAYGROUND_WORKSPACES"] === "several";
  return given["SLACK_BOT_TOKEN"] === undefined && oauth.some((name) => given[name] !== undefined);
}

/** Settings of Slack that are valid alone but not together, as sentences. */
export function slackProblems(given: Given, { isBotAlone = false }: { readonly isBotAlone?: boolean }): string[] {
  const isSet = (name: string): boolean => given[name] !== undefined;
  if (!isSlackReal(given) && !isBotAlone) {
    return isSet("SLACK_API_URL")
      ? ["SLACK_API_URL needs the settings of a Slack app, such as SLACK_BOT_TOKEN. Set them, or unset SLACK_API_URL."]
      : [];
  }
  const set = all.filter(isSet);
  const instead = isBotAlone || set.length === 0 ? "" : ` To use the simulated Slack, unset ${set.join(", ")}.`;
  return [...tokenProblems(isSet, instead), ...transportProblems(isSet, instead)];
}

type IsSet = (name: string) => boolean;

function tokenProblems(isSet: IsSet, instead: string): string[] {
  const some = oauth.filter(isSet);
  if (isSet("SLACK_BOT_TOKEN")) {
    return some.length === 0
      ? []
      : [`SLACK_BOT_TOKEN is for one workspace, ${some.join(", ")} for several. Unset one or the other.`];
  }
  if (some.length === 0) {
    return [
      `SLACK_BOT_TOKEN is missing. Copy it from your app's page, under OAuth & Permissions. For several workspaces set ${oauth.join(", ")} instead.${instead}`,
    ];
  }
  return oauth
    .filter((name) => !isSet(name))
    .map((name) => `${name} is missing. Several workspaces need ${oauth.join(", ")}.${instead}`);
}

function transportProblems(isSet: IsSet, instead: string): string[] {
  const some = transports.filter(isSet);
  if (some.length === 1) return [];
  return some.length === 0
    ? [
        `SLACK_APP_TOKEN or SLACK_SIGNING_SECRET is missing. Set SLACK_APP_TOKEN for Socket Mode, or SLACK_SIGNING_SECRET when Slack can reach Gantry over https.${instead}`,
      ]
    : [
        "SLACK_APP_TOKEN is for Socket Mode, SLACK_SIGNING_SECRET for requests over https. Unset the one that your app doesn't use.",
      ];
}
