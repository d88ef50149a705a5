import { engines, engineVariables } from "../../../service/engines.ts";
import type { EnvChanges } from "./env-lines.ts";
import { askFor, askWhich, type Known } from "./known.ts";

/** The engines that it offers, and the variables that their options set. */
const offered = engines.flatMap(({ name, setup }) =>
  setup === undefined
    ? []
    : [{ name, ...setup, variables: Object.values(setup.options).map(({ variable }) => variable) }],
);

type Steps = Known & { readonly workloads: string | undefined; readonly areManyWorkspaces: boolean };

/** Where the containers run. */
export async function workloadSteps(steps: Steps): Promise<EnvChanges> {
  const kind = steps.areManyWorkspaces ? "api" : await kindOf(steps);
  const none = {
    WORKLOAD_API_URL: undefined,
    WORKLOAD_API_USERNAME: undefined,
    WORKLOAD_API_TOKEN: undefined,
    SERVICE_ENGINE: undefined,
    // Of these, another engine would refuse those that are its own.
    ...Object.fromEntries(
      offered.flatMap(({ variables }) =>
        variables.filter((name) => engineVariables[name]?.elsewhere !== undefined).map((name) => [name, undefined]),
      ),
    ),
    GANTRY_EMBEDDED_SERVICE_WITH_SLACK: undefined,
  };
  return { ...none, ...(await answersFor(kind, steps)) };
}

async function answersFor(kind: string, steps: Steps): Promise<EnvChanges> {
  if (kind === "api") return apiAnswers(steps);
  const engine = offered.find(({ name }) => name === kind);
  if (engine === undefined) return { GANTRY_EMBEDDED_SERVICE_WITH_SLACK: "allow" };
  const { given, set } = steps;
  const values = engine.variables.map((name): [string, string | undefined] => [name, given[name] ?? set[name]]);
  return { SERVICE_ENGINE: engine.name, ...Object.fromEntries(values) };
}

function kindOf({ asker, workloads, given, set }: Steps): Promise<string> {
  return askWhich(asker, workloads ?? kindIn(given), {
    flag: "workloads",
    message: "Where do your containers run?",
    current: kindIn(set),
    options: [
      { value: "api", label: "Behind a workload API", hint: "an address and an account" },
      ...offered.map(({ name, label, hint }) => ({ value: name, label, ...(hint !== undefined && { hint }) })),
      { value: "demo", label: "Nowhere yet: demo programs", hint: "people in Slack start processes on this machine" },
    ],
  });
}

function kindIn(from: EnvChanges): string | undefined {
  if (from["WORKLOAD_API_URL"] !== undefined) return "api";
  const engine = offered.find(({ name }) => name === from["SERVICE_ENGINE"]);
  if (engine !== undefined) return engine.name;
  return from["GANTRY_EMBEDDED_SERVICE_WITH_SLACK"] === "allow" ? "demo" : undefined;
}

/** Several workspaces connect an account each, in Slack. */
async function apiAnswers(steps: Steps): Promise<EnvChanges> {
  const url = { name: "WORKLOAD_API_URL", flag: "workload-api-url", message: "Address of the workload API" };
  const address = { WORKLOAD_API_URL: await askFor(steps, "text", url) };
  if (steps.areManyWorkspaces) return address;
  const name = { name: "WORKLOAD_API_USERNAME", flag: "workload-api-username", message: "Username there" };
  const token = { name: "WORKLOAD_API_TOKEN", flag: "workload-api-token", message: "That user's API token" };
  const region = { name: "WORKLOAD_REGION", flag: "region", message: "Region", byDefault: "beijing1" };
  return {
    ...address,
    WORKLOAD_API_USERNAME: await askFor(steps, "text", name),
    WORKLOAD_API_TOKEN: await askFor(steps, "secret", token),
    WORKLOAD_REGION: await askFor(steps, "text", region),
  };
}
