import { readFileSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { closest, distance } from "fastest-levenshtein";
import { parseDocument } from "yaml";
import type { z } from "zod";
import type { Clock } from "../../../../platform/clock.ts";
import { type ClusterConfig, MOST_NAMESPACES, type UserNamespaces } from "../cluster/cluster-config.ts";
import { kubeConfigOf } from "../cluster/connect.ts";
import { ClustersFile, type ClustersInFile, knownKeys, type RegionInFile } from "./clusters-schema.ts";
import { brokenRules } from "../write/pod-template.ts";
import { parseLabelSelector } from "../read/label-selector.ts";

/** The file of SERVICE_CLUSTERS is wrong: a sentence for each problem, with the file, the place and what to write. */
export class ClustersError extends Error {
  override readonly name = "ClustersError";
  readonly problems: readonly string[];

  constructor(source: string, problems: readonly string[]) {
    super(`Nothing was started. Correct ${source}:\n${problems.map((problem) => `- ${problem}`).join("\n")}`);
    this.problems = problems;
  }
}

type Reading = {
  /** The path of the file: its relative paths start there. */
  readonly path: string;
  readonly users: readonly string[];
};

/** The clusters of a file, in its order. Throws a `ClustersError` that lists all problems. */
export function readClusters(text: string, { path, users }: Reading): readonly ClusterConfig[] {
  const document = parseDocument(text, { prettyErrors: false });
  const [broken] = document.errors;
  if (broken) throw new ClustersError(path, [`It isn't valid YAML: ${broken.message.replace(/\.$/u, "")}.`]);
  const parsed = ClustersFile.safeParse(document.toJS({ maxAliasCount: 100 }));
  if (!parsed.success) throw new ClustersError(path, parsed.error.issues.flatMap(problemsOf));
  const problems = [...wrongSets(parsed.data), ...namespaceProblems(parsed.data, users)];
  if (problems.length > 0) throw new ClustersError(path, problems);
  return Object.entries(parsed.data.regions).map(([region, settings]) => clusterOf(region, settings, path));
}

function problemsOf(issue: z.core.$ZodIssue): string[] {
  // A choice that isn't known is about the whole setting, however it was written.
  const isChoice = issue.code === "invalid_union" && issue.path.at(-1) === "by";
  const place = (isChoice ? issue.path.slice(0, -1) : issue.path).join(".");
  if (issue.code !== "unrecognized_keys") return [`${place || "The file"} ${issue.message}.`];
  const generic = issue.path.map((part, at) => (at === 1 ? "*" : String(part))).join(".");
  const known = knownKeys[generic] ?? [];
  return issue.keys.map((key) => {
    const where = place === "" ? key : `${place}.${key}`;
    return `${where} is no setting.${suggestion(key, known)} Known here: ${known.join(", ")}.`;
  });
}

function suggestion(key: string, known: readonly string[]): string {
  const near = known.length === 0 ? "" : closest(key.toLowerCase(), known);
  return near !== "" && distance(key.toLowerCase(), near.toLowerCase()) <= 2 ? ` Did you mean ${near}?` : "";
}

const REGION = /^[A-Za-z0-9][\w-]{0,62}$/u;

/** Settings that are valid alone but not together. */
function wrongSets({ regions }: ClustersInFile): string[] {
  const names = Object.keys(regions);
  if (names.length === 0) return ["regions has no region: add one, like us."];
  return [
    ...names
      .filter((name) => !REGION.test(name))
      .map((name) => `regions.${name} is no region name: use up to 63 letters, digits, - or _.`),
    ...Object.entries(regions).flatMap(([name, region]) => unrestricted(name, region)),
    ...(Object.values(regions).some(({ jobs }) => jobs)
      ? []
      : [`No region runs jobs: write jobs: true in regions.${names[0]}, or in another one.`]),
  ];
}

/** Pods that the setting `restricted` and its defaults would make for PodSecurity to refuse. */
function unrestricted(region: string, { podSecurity, defaults }: RegionInFile): string[] {
  if (podSecurity !== "restricted" || !defaults?.securityContext) return [];
  const broken = brokenRules(defaults.securityContext);
  return broken.map(
    (key) => `regions.${region}.defaults.securityContext.${key} breaks podSecurity: restricted. Correct one of them.`,
  );
}

function clusterOf(region: string, settings: RegionInFile, path: string): ClusterConfig {
  const { namespace: _, namespaces: _ofUsers, namespaceLabels: _labels, kubeconfig, disks, logs, ...same } = settings;
  const { storageClass, size, claims = [] } = disks ?? {};
  return {
    ...same,
    region,
    kubeconfig: kubeconfigOf(kubeconfig, path),
    namespacesOf: namespacesOf(settings),
    disks: storageClass === undefined || size === undefined ? undefined : { storageClass, size },
    ...(claims.length > 0 && { claims }),
    ...logsOf(logs, path),
  };
}

function kubeconfigOf(kubeconfig: string | undefined, path: string): ClusterConfig["kubeconfig"] {
  if (kubeconfig === undefined) return "default";
  if (kubeconfig === "in-cluster") return kubeconfig;
  const isHome = kubeconfig.startsWith("~/");
  return { path: isHome ? join(homedir(), kubeconfig.slice(2)) : resolve(dirname(path), kubeconfig) };
}

/** The secret is in a file of its own, so that the file of clusters can be shown to everybody. */
function logsOf(logs: RegionInFile["logs"], path: string): Pick<ClusterConfig, "logs" | "wantsCollector"> {
  if (logs.by === "live") return {};
  if (logs.by === "collector") return { wantsCollector: true };
  const { by: _, authorizationFile, url, ...loki } = logs;
  const authorization = authorizationFile && secretIn(authorizationFile, path);
  return { logs: { loki: { ...loki, url: url.replace(/\/+$/u, ""), ...(authorization && { authorization }) } } };
}

function secretIn(file: string, path: string): string {
  try {
    return readFileSync(resolve(dirname(path), file), "utf8").trim();
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new ClustersError(path, [`logs.authorizationFile can't be read: ${why}.`]);
  }
}

/**
 * The cluster of the kubeconfig's current context, as kubectl would use it: one region, one namespace, everything in it
 * adopted. Throws an Error with a sentence when there is no such context.
 */
export async function currentContext(users: readonly string[], clock: Clock): Promise<ClusterConfig> {
  const [user, ...others] = users;
  if (others.length > 0) {
    const todo = "write the clusters and a namespace for each user into a file, and set SERVICE_CLUSTERS to its path";
    throw new Error(
      `Nothing was started: ${users.length} users would share one namespace. Either keep one user, or ${todo}.`,
    );
  }
  const config = await kubeConfigOf({ kubeconfig: "default", context: undefined }, clock).catch((error: unknown) => {
    const why = error instanceof Error ? error.message : String(error);
    throw new Error(`Nothing was started: ${why}. ${HOW}`, { cause: error });
  });
  const context = config.getCurrentContext();
  const namespace = config.getContextObject(context)?.namespace ?? "default";
  return {
    region: regionName(context),
    kubeconfig: "default",
    // By name: a switch to another context while Gantry runs must not move it to another cluster.
    context,
    namespacesOf: (username) => (username === user ? { names: [namespace] } : undefined),
    domains: { by: "none" },
    ports: { by: "cluster" },
    disks: undefined,
    hostPath: undefined,
    jobs: true,
    adopt: { workloads: "all", allow: [] },
  };
}

const HOW =
  "Check KUBECONFIG or ~/.kube/config with `kubectl config get-contexts`, choose a cluster with " +
  "`kubectl config use-context NAME`, or set SERVICE_CLUSTERS to a file of clusters.";

/** A region from the name of a context: cloud providers put accounts and paths into it. */
export function regionName(context: string): string {
  const [last = ""] = context.split("/").slice(-1);
  const name = last
    .replaceAll(/[^\w-]+/gu, "-")
    .replace(/^[^A-Za-z0-9]+/u, "")
    .slice(0, 63)
    .replace(/[^A-Za-z0-9]+$/u, "");
  return name === "" ? "cluster" : name;
}

/** https://kubernetes.io/docs/concepts/overview/working-with-objects/names/#dns-label-names */
const NAMESPACE = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/u;
const USER = "{user}";

type Settings = Pick<RegionInFile, "namespace" | "namespaces" | "namespaceLabels">;

export function namespacesOf(settings: Settings): ClusterConfig["namespacesOf"] {
  return (username) => {
    const named = (text: string): string => text.replaceAll(USER, username);
    const [first, ...others] = namesOf(settings, username);
    if (first === undefined) return undefined;
    const { namespaceLabels: labels } = settings;
    return { names: [named(first), ...others.map(named)], ...(labels !== undefined && { labels: named(labels) }) };
  };
}

/** Those that are written for this user, else those for everybody. */
function namesOf({ namespace, namespaces = {} }: Settings, username: string): readonly string[] {
  if (Array.isArray(namespaces)) return namespaces;
  const own = Object.hasOwn(namespaces, username) ? namespaces[username] : namespace;
  return own === undefined ? [] : [own].flat();
}

/** Problems with the users' namespaces, as sentences. Each user needs their own. */
export function namespaceProblems({ regions }: ClustersInFile, users: readonly string[]): string[] {
  return Object.entries(regions).flatMap(([region, settings]) => {
    const place = `regions.${region}`;
    const { namespace, namespaces } = settings;
    if (namespace === undefined && namespaces === undefined) {
      return [
        `${place} has no namespace: write namespace: gantry-${USER}, or namespaces with a list or one for each user.`,
      ];
    }
    if (namespace !== undefined && Array.isArray(namespaces)) {
      return [
        `${place} has namespace and a list of namespaces: write one of them. The first of a list takes new workloads.`,
      ];
    }
    const of = namespacesOf(settings);
    const everyone = users.flatMap((user) => {
      const own = of(user);
      return own ? [{ place, user, own }] : [];
    });
    return [...everyone.flatMap(wrongNames), ...sharedNames(everyone), ...sharedLabels(everyone)];
  });
}

type UserInRegion = { readonly place: string; readonly user: string; readonly own: UserNamespaces };

function wrongNames({ place, user, own: { names, labels } }: UserInRegion): string[] {
  const wrong = names.filter((name) => !NAMESPACE.test(name));
  const twice = names.find((name, at) => names.indexOf(name) !== at);
  return [
    ...wrong.map(
      (name) =>
        `${place} gives the user ${user} the namespace ${name}, which Kubernetes doesn't allow: ` +
        `it takes up to 63 lowercase letters, digits and -. Write namespaces: {${user}: NAME}.`,
    ),
    ...(twice === undefined ? [] : [`${place} gives the user ${user} the namespace ${twice} twice: write it once.`]),
    ...(names.length > MOST_NAMESPACES
      ? [`${place} gives the user ${user} ${names.length} namespaces: ${MOST_NAMESPACES} are the most.`]
      : []),
    ...wrongLabels(labels).map((why) => `${place}.namespaceLabels must be a label selector: ${why}.`),
  ];
}

function wrongLabels(labels: string | undefined): string[] {
  try {
    if (labels !== undefined) parseLabelSelector(labels);
    return [];
  } catch (error) {
    return [error instanceof Error ? error.message : String(error)];
  }
}

function sharedNames(everyone: readonly UserInRegion[]): string[] {
  const taken = new Map<string, string>();
  return everyone.flatMap(({ place, user, own }) =>
    own.names.flatMap((name) => {
      const other = taken.get(name);
      taken.set(name, user);
      if (other === undefined || other === user) return [];
      const todo = `Use ${USER} in namespace, like gantry-${USER}, or write namespaces with one for each user.`;
      return [`${place} gives the users ${other} and ${user} the same namespace ${name}. ${todo}`];
    }),
  );
}

function sharedLabels(everyone: readonly UserInRegion[]): string[] {
  const taken = new Map<string, string>();
  return everyone.flatMap(({ place, user, own: { labels } }) => {
    const other = labels === undefined ? undefined : taken.get(labels);
    if (labels !== undefined) taken.set(labels, user);
    if (other === undefined) return [];
    return [
      `${place} gives the users ${other} and ${user} the same namespaces, those with ${labels}. ` +
        `Use ${USER} in namespaceLabels, like owner=${USER}.`,
    ];
  });
}
