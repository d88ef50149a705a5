import { machineClock } from "../../../src/platform/clock.ts";
import { openProcessEngine } from "../../../src/service/engines/process/process-engine.ts";
import { onFolder, regions, served } from "./served.ts";
import type { ServiceUnderTest, Workloads } from "./world.ts";

const workloads: Workloads = {
  web: {
    container: { image: "gantry/hello-web", command: ["--heartbeat", "100"] },
    otherImage: "gantry/hello-web:2",
    port: 8080,
    startLine: /Z listening on port /u,
  },
  lines: (count) => ({ image: "gantry/batch", command: [String(count), "--delay", "1"] }),
  nthLine: (n, count) => `step ${n} of ${count}`,
  failing: { image: "gantry/batch", command: ["1", "--delay", "1", "--exit", "3"] },
  crashing: { image: "gantry/flaky", command: ["--after", "20", "--exit", "3"] },
  lasting: { image: "gantry/batch", command: ["100000", "--delay", "50"] },
};

/** The service over real processes, on a folder of its own. */
export const processService = (): Promise<ServiceUnderTest> => onFolder(openProcessService);

/** The service over real processes, with short intervals. */
export async function openProcessService(dataDir: string): Promise<ServiceUnderTest> {
  const { engine, changes, close } = await openProcessEngine({
    clock: machineClock,
    dataDir,
    regions,
    graceMs: 2_000,
    // So that a small machine does not refuse what a case asks for.
    quotas: { userInstances: 200, hostInstances: 200, userMemoryMib: 1_000_000, hostMemoryMib: 1_000_000 },
    backOffMs: { first: 10, max: 50 },
    jobRetries: 1,
    // On a busy machine an instance takes long until its port answers; only then it is to count as ready here.
    readyAfterMs: 5_000,
  });
  return served({ engine, changes, workloads, knows: { images: true, history: true }, close: () => close() });
}
