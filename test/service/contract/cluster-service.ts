import { machineClock } from "../../../src/platform/clock.ts";
import { DEADLINE_MS } from "../../support/until.ts";
import { serve } from "../../../src/service/api/serve.ts";
import { openWorkloadEngine } from "../../../src/service/workloads/workload-engine.ts";
import { type Cluster, memoryAbout } from "../support/memory-runtime.ts";
import type { ServiceUnderTest, Workloads } from "./world.ts";

const workloads: Workloads = {
  web: { container: { image: "test/web" }, otherImage: "test/lasting", port: 8080, startLine: /^started$/ },
  lines: (count) => ({ image: "test/lines", command: [String(count)] }),
  nthLine: (n, count) => `line ${n} of ${count}.`,
  failing: { image: "test/failing" },
  crashing: { image: "test/failing" },
  lasting: { image: "test/lasting" },
};

const accounts = {
  user1: { username: "dana", token: "dana-token-0123456789" },
  user2: { username: "alex", token: "alex-token-0123456789" },
  newcomer: { username: "kim", token: "kim-token-0123456789" },
};
const regions = ["us", "beijing1"] as const;
const roomy = { instances: 100, memoryMib: 100_000, ports: 100, workloads: 100 };

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
  return {
    fetch: serve({ engine, changes, users: Object.values(accounts), checkAnswers: true }),
    ...accounts,
    regions,
    workloads,
    knows: { images: true, history: true },
    reach: async (serviceUrl) => serviceUrl,
    deadlineMs: DEADLINE_MS,
    close: () => close({ keepWorkloads }),
  };
}
