import { randomBytes } from "node:crypto";
import { type Clock, machineClock } from "../../../../../../src/platform/clock.ts";
import { makeReconnects } from "../../../../../../src/service/engines/kubernetes/cache/reconnects.ts";
import {
  openClusterCaches,
  jobKinds,
  serviceKinds,
} from "../../../../../../src/service/engines/kubernetes/cache/namespace-cache.ts";
import type { ClusterConfig } from "../../../../../../src/service/engines/kubernetes/cluster/cluster-config.ts";
import { connect } from "../../../../../../src/service/engines/kubernetes/cluster/connect.ts";
import type { KubeApi } from "../../../../../../src/service/engines/kubernetes/cluster/kube-api.ts";
import type { CollectorLimits } from "../../../../../../src/service/engines/kubernetes/logs/collector-parts.ts";
import { startLogCollector } from "../../../../../../src/service/engines/kubernetes/logs/log-collector.ts";
import { logKey } from "../../../../../../src/service/engines/kubernetes/logs/stored-logs.ts";
import { logOperations } from "../../../../../../src/service/engines/kubernetes/logs/log-operations.ts";
import { collectedLogs } from "../../../../../../src/service/engines/kubernetes/logs/open-region-logs.ts";
import type { Region } from "../../../../../../src/service/engines/kubernetes/regions.ts";
import { DEFAULT_LOG_LIMITS } from "../../../../../../src/service/workloads/logs/log-bounds.ts";
import { type LogWriter, dayOf } from "../../../../../../src/service/workloads/logs/log-writer.ts";
import { openLogStore } from "../../../../../../src/service/workloads/logs/open-log-store.ts";
import type { TestCluster } from "../../../../../support/cluster.ts";
import { namespacesOf, quiet } from "../../support/known-objects.ts";

export function configOf(namespace: string, more: Partial<ClusterConfig> = {}): ClusterConfig {
  return {
    region: "us",
    kubeconfig: "default",
    context: undefined,
    namespacesOf: () => ({ names: [namespace] }),
    domains: { kind: "none" },
    ports: { kind: "cluster" },
    disks: undefined,
    hostPath: undefined,
    jobs: true,
    adopt: { which: "all", allow: [] },
    ...more,
  };
}

/** A replica that stops gives the lease back; no busy machine makes one that works lose it, or miss a beat. */
const steady: Partial<CollectorLimits> = { leaseMs: 60_000 };

export type Replica = Awaited<ReturnType<typeof startReplica>>;

type Starting = {
  readonly api: KubeApi;
  readonly namespace: string;
  readonly logs: LogWriter;
  readonly clock: Clock;
  readonly limits?: Partial<CollectorLimits>;
};

/** What one server of several has: caches, a collector, the log operations. */
export async function startReplica({ api, namespace, logs, clock, limits }: Starting) {
  const events: { message: string; data: object }[] = [];
  const onEvent = (message: string, data: object): void => void events.push({ message, data });
  const config = configOf(namespace);
  const kinds = [...new Set([...serviceKinds(config), ...jobKinds(config)])];
  const caches = openClusterCaches({ api, kinds, onEvent, clock, reconnects: makeReconnects(clock) });
  const region: Region = {
    config,
    api,
    version: "v1.20.2",
    namespaces: namespacesOf(config),
    cacheOf: caches.cacheOf,
    evidenceIn: quiet,
  };
  const collector = startLogCollector({
    region,
    logs,
    clock,
    onEvent,
    limits: { ...steady, ...limits },
  });
  const collected = collectedLogs({ region, logs, clock, collector });
  const parts = { regions: new Map([["us", region]]), logs, clock, onEvent, logsOf: () => collected };
  const operations = logOperations(parts);
  const asked = { user: { username: "dana" }, signal: new AbortController().signal, body: undefined };
  return {
    collector,
    events,
    /** The newest lines of a service today, as `pod: line`. */
    async log(name: string, size = 1_000): Promise<string[]> {
      const path = { region: "us", service_name: name };
      const lines = await operations.getServiceLogs({ ...asked, path, query: { size } });
      return lines.map(({ log }) => log);
    },
    async jobLog(name: string, pod: string): Promise<string[]> {
      const path = { region: "us", job_name: name, instance_name: pod };
      return await operations.getJobInstanceLogs({ ...asked, path, query: { size: 1_000 } });
    },
    async stop() {
      await collector.close();
      await caches.close();
    },
  };
}

/** All stored lines of a workload today. */
export async function storedLines(logs: LogWriter, { namespace, uid }: { namespace: string; uid: string }) {
  const workload = logKey({ region: "us", namespace, uid });
  const lines = await logs.page({ workload, day: dayOf(machineClock.now()), from: 0, size: 1_000_000 });
  return lines.map(({ line }) => line);
}

/** A namespace of the real cluster, an empty log, and one replica on them. `remove` ends all of it. */
export async function openLogWorld(cluster: TestCluster, limits?: Partial<CollectorLimits>) {
  const namespace = await cluster.newNamespace("logs");
  const api = await connect({ kubeconfig: { path: cluster.kubeconfig }, context: undefined }, machineClock);
  const many = { bytes: 512 * 1024 * 1024, lines: 5_000_000 };
  const logs = await openLogStore(
    { kind: "sqlite", path: ":memory:" },
    { limits: { ...DEFAULT_LOG_LIMITS, day: many, workload: many, total: many }, onEvent: () => undefined },
  );
  const replicas: Replica[] = [];
  const start = async (): Promise<Replica> => {
    const replica = await startReplica({ api, namespace, logs, clock: machineClock, ...(limits && { limits }) });
    replicas.push(replica);
    return replica;
  };
  const run = (kind: "Deployment" | "Job", script: string, more: Partial<Running> = {}) =>
    create(api, { namespace, image: cluster.image, kind, script, ...more });
  return {
    namespace,
    api,
    logs,
    start,
    run,
    first: await start(),
    async remove() {
      for (const replica of replicas) await replica.stop();
      await logs.close();
      api.close();
    },
  };
}

type Running = {
  readonly namespace: string;
  readonly image: string;
  readonly kind: "Deployment" | "Job";
  readonly script: string;
  readonly replicas: number;
};

/** A Deployment or Job that nobody but this test made: it is adopted. */
async function create(api: KubeApi, { namespace, image, kind, script, replicas = 1 }: Partial<Running> & Running0) {
  const name = `l${randomBytes(3).toString("hex")}`;
  const command = ["sh", "-c", `trap 'exit 0' TERM; ${script}`];
  const labels = { app: name };
  const container = { name: "main", image, imagePullPolicy: "IfNotPresent", command };
  const template = {
    metadata: { labels },
    spec: {
      terminationGracePeriodSeconds: 1,
      containers: [container],
      restartPolicy: kind === "Job" ? "Never" : "Always",
    },
  };
  const spec =
    kind === "Job" ? { template, backoffLimit: 0 } : { replicas, selector: { matchLabels: labels }, template };
  const made = await api.create({ kind, namespace }, { metadata: { name, labels }, spec });
  return { name, uid: made.metadata.uid };
}

type Running0 = Omit<Running, "replicas">;
