import type { OpenedEngine } from "../../../src/service/engine.ts";
import type { Quotas } from "../../../src/service/workloads/quota.ts";
import type { Runtime } from "../../../src/service/workloads/runtime.ts";
import { openWorkloadEngine, type WorkloadOptions } from "../../../src/service/workloads/workload-engine.ts";
import { makeDataDir } from "../engines/process/support/data-dir.ts";
import { type Cluster, makeCluster, memoryAbout, nameOf } from "./memory-runtime.ts";

const roomy = { instances: 100, memoryMib: 100_000, ports: 100, workloads: 100 };

type WorldOptions = {
  readonly cluster?: Cluster;
  readonly quotas?: Quotas;
  /** What the cluster's runtime does otherwise. */
  readonly runtime?: (good: Runtime) => Partial<Runtime>;
};

/** Servers that come and go beside one cluster, all on the same data folder. */
export function makeClusterWorld({
  cluster = makeCluster(),
  quotas = { user: roomy, host: roomy },
  runtime = () => ({}),
}: WorldOptions = {}) {
  const dataDir = makeDataDir();
  const open = (options: Partial<WorkloadOptions> = {}): Promise<OpenedEngine> =>
    openWorkloadEngine(
      { dataDir, regions: ["us", "beijing1"], backOffMs: { first: 5, max: 20 }, readyAfterMs: 20, ...options },
      {
        about: memoryAbout,
        runtime: () => ({ ...cluster.runtime, ...runtime(cluster.runtime) }),
        quotas,
        startsAtOnce: 10,
      },
    );
  return { cluster, dataDir, open };
}

/** The units that run: `web-0 generation 1`. */
export function unitsOf({ running }: Cluster): string[] {
  return running().map(nameOf);
}
