import type { Clock } from "../../../platform/clock.ts";
import { type NamespaceCache, openClusterCaches, jobKinds, serviceKinds, isOptional } from "./cache/namespace-cache.ts";
import type { ClusterConfig } from "./cluster/cluster-config.ts";
import { type KubeApi, KubeError, KubeUnreachable, NoCredentials, missingRightOf } from "./cluster/kube-api.ts";
import {
  type RegionNamespaces,
  makeNamespaceClaims,
  type NamespaceClaims,
  openNamespaces,
} from "./region-namespaces.ts";
import { type Evidence, evidenceReader } from "./read/evidence.ts";
import { type ReadHealth, makeReconnects } from "./cache/reflection.ts";
import { connect } from "./cluster/connect.ts";
import { isDenied, TooManyObjects } from "./cluster/refusal-of.ts";
import { kinds } from "./cluster/kinds.ts";

/** One region: its cluster, and what is known of each namespace. */
export type Region = {
  readonly config: ClusterConfig;
  readonly api: KubeApi;
  /** Of the cluster, as it said at the start: `v1.36.0`. */
  readonly version: string;
  readonly namespaces: RegionNamespaces;
  /** The cache of a namespace; opened with the first call, then shared. */
  readonly cacheOf: (namespace: string) => NamespaceCache;
  /** What pods of these namespaces are judged by, beside the objects. Never rejects. */
  readonly evidenceIn: (namespaces: readonly string[]) => Promise<Omit<Evidence, "now">>;
};

/** Dependencies of the operations. Nothing in them is state of a workload: that is in the cluster. */
export type KubernetesParts = {
  readonly regions: ReadonlyMap<string, Region>;
  readonly clock: Clock;
  readonly onEvent: (message: string, data: object) => void;
};

export type OpenedRegion = Region & {
  readonly problem: () => RegionProblem | undefined;
  readonly close: () => Promise<void>;
};

type Opening = {
  readonly users: readonly string[];
  readonly clock: Clock;
  readonly onEvent: (message: string, data: object) => void;
};

/** Connects to each cluster. Throws an Error that says what was tried when one of them doesn't answer. */
export async function openRegions(clusters: readonly ClusterConfig[], opening: Opening): Promise<OpenedRegion[]> {
  const claims = makeNamespaceClaims();
  const opened = await Promise.allSettled(clusters.map((config) => openRegion(config, { ...opening, claims })));
  const regions = opened.flatMap((each) => (each.status === "fulfilled" ? [each.value] : []));
  const failed = opened.find((each) => each.status === "rejected");
  if (!failed) return regions;
  await Promise.all(regions.map((region) => region.close()));
  throw failed.reason;
}

async function openRegion(
  config: ClusterConfig,
  { users, clock, claims, onEvent }: Opening & { readonly claims: NamespaceClaims },
): Promise<OpenedRegion> {
  const api = await connect(config, clock);
  const version = await api.version().catch((error: unknown) => {
    api.close();
    const why = error instanceof Error ? error.message : String(error);
    throw new Error(`region ${config.region}: the cluster at ${api.server} didn't tell its version (${why})`, {
      cause: error,
    });
  });
  const shared = {
    api,
    clock,
    reconnects: makeReconnects(clock),
    onEvent: (message: string, data: object) => onEvent(message, { region: config.region, ...data }),
  };
  const caches = openClusterCaches({ ...shared, kinds: [...new Set([...serviceKinds(config), ...jobKinds(config)])] });
  const namespaces = openNamespaces({ ...shared, config, users, claims });
  const end = namespaces.onChange(() => caches.keepOnly(new Set(namespaces.all())));
  return {
    config,
    api,
    version,
    namespaces,
    cacheOf: caches.cacheOf,
    evidenceIn: evidenceReader({ api, cacheOf: caches.cacheOf, clock }),
    problem: () => regionProblem([...namespaces.health(), ...caches.health()]),
    async close() {
      end();
      await namespaces.close();
      await caches.close();
      api.close();
    },
  };
}

/** Why a region's cluster can't be read, or not all of it. */
type RegionProblem = {
  /** Nothing of the cluster can be read now, so every request is refused. */
  readonly isAway: boolean;
  /** A sentence without addresses and names of the cluster: anybody may read it. */
  readonly sentence: string;
};

/** Undefined while everything that was asked for is read, and before anything was. */
export function regionProblem(all: readonly ReadHealth[]): RegionProblem | undefined {
  const failing = all.flatMap(({ kind, namespace, failure }) =>
    // A kind whose rights are optional is left out: the lists say so.
    failure && !(isOptional(kind) && isDenied(failure.error)) ? [{ kind, namespace, failure }] : [],
  );
  const [first] = failing.toSorted((left, right) => left.failure.since.getTime() - right.failure.since.getTime());
  if (!first) return undefined;
  // What the cluster denies lasts until somebody changes the cluster, and tells nothing of whether it answers.
  const askable = all.filter(({ failure }) => failure === undefined || !isDenied(failure.error));
  const isAway = askable.length > 0 && askable.every(({ failure }) => failure !== undefined);
  const plurals = [...new Set(failing.map(({ kind }) => kinds[kind].plural))].toSorted();
  const what = isAway ? "the cluster" : `${plurals.join(", ")}${whereIn(failing, all)}`;
  const since = first.failure.since.toISOString().replace(/\.\d+Z$/u, "Z");
  return { isAway, sentence: `Reads of ${what} have failed since ${since}: ${why(first.failure.error)}.` };
}

type InNamespace = Pick<ReadHealth, "namespace">;

/** Only where others of the region are read; by their number, because anybody may read it. */
function whereIn(failing: readonly InNamespace[], all: readonly InNamespace[]): string {
  const [bad = 0, total = 0] = [failing, all].map((each) => {
    return new Set(each.map(({ namespace }) => namespace).filter((name) => name !== "")).size;
  });
  return bad === 0 || bad === total ? "" : ` in ${bad} of ${total} namespaces`;
}

const unreachable: Readonly<Record<string, string>> = {
  ECONNREFUSED: "its API server refuses connections",
  ENOTFOUND: "the host name of its API server is unknown",
  EAI_AGAIN: "the host name of its API server is unknown",
};

function why(error: unknown): string {
  if (error instanceof TooManyObjects) return "there are more than Gantry holds";
  if (error instanceof KubeError) return answered(error);
  if (error instanceof NoCredentials) return "the exec plugin of Gantry's kubeconfig gives no credentials";
  const cause = error instanceof KubeUnreachable ? error.cause : undefined;
  const code = cause instanceof Error && "code" in cause ? String(cause.code) : "";
  return unreachable[code] ?? "its API server didn't answer";
}

function answered(error: KubeError): string {
  if (error.isEarly) return "its API server has just come back and doesn't know Gantry's rights yet";
  const right = missingRightOf(error);
  if (right) return `Gantry's account may not ${right.verb} ${right.resource}`;
  if (error.status === 401) return "it doesn't accept Gantry's credentials";
  if (error.status === 404) return "it doesn't have this API";
  return `its API server answered ${error.status}`;
}
