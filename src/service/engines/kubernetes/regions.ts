import type { Clock } from "../../../platform/clock.ts";
import { type NamespaceCache, openClusterCaches, jobKinds, serviceKinds } from "./cache/namespace-cache.ts";
import type { ClusterConfig } from "./cluster/cluster-config.ts";
import type { KubeApi } from "./cluster/kube-api.ts";
import {
  type RegionNamespaces,
  makeNamespaceClaims,
  type NamespaceClaims,
  openNamespaces,
} from "./region-namespaces.ts";
import type { Evidence } from "./read/evidence.ts";
import { evidenceReader } from "./read/held-up.ts";
import type { ReadHealth } from "./cache/reflection.ts";
import { makeReconnects } from "./cache/reconnects.ts";
import { connect } from "./cluster/connect.ts";

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
  readonly health: () => readonly ReadHealth[];
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

type OpeningRegion = Opening & { readonly claims: NamespaceClaims };

async function openRegion(
  config: ClusterConfig,
  { users, clock, claims, onEvent }: OpeningRegion,
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
    health: () => [...namespaces.health(), ...caches.health()],
    async close() {
      end();
      await namespaces.close();
      await caches.close();
      api.close();
    },
  };
}
