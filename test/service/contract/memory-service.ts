import { machineClock } from "../../../src/platform/clock.ts";
import { openWorkloadEngine } from "../../../src/service/workloads/workload-engine.ts";
import { memoryEngine } from "../support/memory-engine.ts";
import { type Cluster, memoryAbout } from "../support/memory-runtime.ts";
import { images } from "../support/memory-store.ts";
import { regions, served } from "./served.ts";
import type { ServiceUnderTest, Workloads } from "./world.ts";

const workloads: Workloads = {
  web: { container: { image: images.web }, otherImage: images.lasting, port: 8080, startLine: /^started$/ },
  lines: (count) => ({ image: images.lines, command: [String(count)] }),
  nthLine: (n, count) => `line ${n} of ${count}.`,
  failing: { image: images.failing },
  crashing: { image: images.failing },
  lasting: { image: images.lasting },
};
const known = { workloads, knows: { images: true, history: true } };
const roomy = { instances: 100, memoryMib: 100_000, ports: 100, workloads: 100 };

/** The service over the engine in memory. */
export async function memoryService(): Promise<ServiceUnderTest> {
  return served({ ...memoryEngine({ regions }), ...known });
}

/** The service over a cluster in memory whose units outlive it. `keepWorkloads` says whether they do. */
export async function openClusterService(
  dataDir: string,
  cluster: Cluster,
  keepWorkloads: boolean,
): Promise<ServiceUnderTest> {
  const { engine, changes, close } = await openWorkloadEngine(
    { clock: machineClock, dataDir, regions, backOffMs: { first: 5, max: 20 }, readyAfterMs: 10 },
    { about: memoryAbout, runtime: () => cluster.runtime, quotas: { user: roomy, host: roomy }, startsAtOnce: 10 },
  );
  const reach = async (serviceUrl: string) => serviceUrl;
  return served({ engine, changes, ...known, reach, close: () => close({ keepWorkloads }) });
}
