import type { EnvChanges } from "./env-lines.ts";
import { askFor, askWhich, type Known } from "./known.ts";

const kinds = ["api", "docker", "kubernetes", "demo"] as const;
type Kind = (typeof kinds)[number];

type Steps = Known & { readonly workloads: string | undefined; readonly areManyWorkspaces: boolean };

/** Where the containers run. */
export async function workloadSteps(steps: Steps): Promise<EnvChanges> {
  const kind = steps.areManyWorkspaces ? "api" : await kindOf(steps);
  const none = {
    WORKLOAD_API_URL: undefined,
    WORKLOAD_API_USERNAME: undefined,
    WORKLOAD_API_TOKEN: undefined,
    SERVICE_ENGINE: undefined,
    SERVICE_CLUSTERS: undefined,
    GANTRY_EMBEDDED_SERVICE_WITH_SLACK: undefined,
  };
  return { ...none, ...(await answersFor(kind, steps)) };
}

async function answersFor(kind: Kind, steps: Steps): Promise<EnvChanges> {
  const optional = (name: string): string | undefined => steps.given[name] ?? steps.set[name];
  switch (kind) {
    case "api":
      return apiAnswers(steps);
    case "docker":
      return { SERVICE_ENGINE: "docker", DOCKER_HOST: optional("DOCKER_HOST") };
    case "kubernetes":
      return { SERVICE_ENGINE: "kubernetes", SERVICE_CLUSTERS: optional("SERVICE_CLUSTERS") };
    case "demo":
      return { GANTRY_EMBEDDED_SERVICE_WITH_SLACK: "allow" };
  }
}

function kindOf({ asker, workloads, given, set }: Steps): Promise<Kind> {
  return askWhich<Kind>(asker, workloads ?? kindIn(given), {
    flag: "workloads",
    message: "Where do your containers run?",
    current: kindIn(set),
    options: [
      { value: "api", label: "Behind a workload API", hint: "an address and an account" },
      { value: "docker", label: "Docker or Podman on this machine" },
      { value: "kubernetes", label: "A Kubernetes cluster", hint: "your kubeconfig's current context" },
      { value: "demo", label: "Nowhere yet: demo programs", hint: "people in Slack start processes on this machine" },
    ],
  });
}

function kindIn(from: EnvChanges): Kind | undefined {
  if (from["WORKLOAD_API_URL"] !== undefined) return "api";
  const engine = kinds.find((kind) => kind === from["SERVICE_ENGINE"]);
  if (engine !== undefined) return engine;
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
