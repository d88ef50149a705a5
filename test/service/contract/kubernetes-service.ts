import { type Clock, machineClock } from "../../../src/platform/clock.ts";
import type { ClusterConfig } from "../../../src/service/engines/kubernetes/cluster/cluster-config.ts";
import { openKubernetesEngine } from "../../../src/service/engines/kubernetes/kubernetes-engine.ts";
import type { TestCluster } from "../../support/cluster.ts";
import { rest, shell } from "../../support/container-script.ts";
import { accounts, regions, served } from "./served.ts";
import { shellWorkloads } from "./shell-workloads.ts";
import type { ServiceUnderTest } from "./world.ts";

const names = Object.values(accounts).map(({ username }) => username);

export type Namespaces = ReadonlyMap<string, string>;

/** A namespace for each user in each region. */
export async function makeNamespaces(cluster: TestCluster): Promise<Namespaces> {
  const places = regions.flatMap((region) => names.map((name) => `${region}-${name}`));
  return new Map(
    await Promise.all(places.map(async (place) => [place, await cluster.newNamespace(place.slice(0, 8))] as const)),
  );
}

type Opening = { readonly cluster: TestCluster; readonly namespaces: Namespaces; readonly host: string };

/** On a busy node an answer would leave out what the cluster takes long to say, such as revisions. */
const patient: Clock = { ...machineClock, limit: (ms) => machineClock.limit(10 * ms) };

/** The service on a real cluster, whose ports are reached over a node. */
export async function openKubernetesService({ cluster, namespaces, host }: Opening): Promise<ServiceUnderTest> {
  const clusters = regions.map((region): ClusterConfig => ({
    region,
    kubeconfig: { path: cluster.kubeconfig },
    context: undefined,
    namespacesOf(username) {
      const namespace = namespaces.get(`${region}-${username}`);
      return namespace === undefined ? undefined : { names: [namespace] };
    },
    domains: { by: "ingress" },
    ports: { by: "node-port", host },
    disks: { storageClass: "gantry-test", size: "1Mi" },
    hostPath: "/tmp/gantry-test",
    jobs: region === "us",
    adopt: { workloads: "none", allow: [] },
  }));
  const { engine, changes, close } = await openKubernetesEngine({
    clusters,
    users: names,
    clock: patient,
    jobRetries: 2,
    onEvent: () => undefined,
  });
  return served({
    engine,
    changes,
    workloads: shellWorkloads(cluster.image, cluster.otherImage),
    knows: { images: false, history: false },
    forgetsLogs: {
      still: { image: cluster.image, command: shell(`echo one; echo two; echo three; ${rest}`) },
    },
    close: () => close(),
  });
}

/** The address of a node, at which its ports are reached; any address where there is no node. */
export async function nodeAddress(cluster: TestCluster): Promise<string> {
  if (cluster.noPods !== undefined) return "127.0.0.1";
  const [node] = await cluster.listed("/api/v1/nodes");
  const { addresses = [] } = (node?.["status"] ?? {}) as { addresses?: { type: string; address: string }[] }; // a Node
  const internal = addresses.find(({ type }) => type === "InternalIP");
  if (!internal) throw new Error("the cluster's node has no internal address");
  return internal.address;
}

/** The service on namespaces of its own, which go with it. */
export async function kubernetesService(cluster: TestCluster): Promise<ServiceUnderTest> {
  const namespaces = await makeNamespaces(cluster);
  const service = await openKubernetesService({ cluster, namespaces, host: await nodeAddress(cluster) });
  return {
    ...service,
    async close() {
      await service.close();
      await cluster.removeNamespaces();
    },
  };
}
