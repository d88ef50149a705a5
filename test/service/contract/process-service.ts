import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { machineClock } from "../../../src/platform/clock.ts";
import { DEADLINE_MS } from "../../support/until.ts";
import { openProcessEngine } from "../../../src/service/engines/process/process-engine.ts";
import { serve } from "../../../src/service/api/serve.ts";
import { makeToken } from "../../../src/service/api/users.ts";
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

const regions = ["us", "beijing1"] as const;

/** The service over real processes, on a folder of its own. */
export async function processService(): Promise<ServiceUnderTest> {
  const dataDir = mkdtempSync(join(tmpdir(), "gantry-contract-"));
  const service = await openProcessService(dataDir);
  return {
    ...service,
    async close() {
      await service.close();
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}

const accounts = { user1: account("dana"), user2: account("alex"), newcomer: account("kim") };

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
  return {
    fetch: serve({ engine, changes, users: Object.values(accounts), checkAnswers: true }),
    ...accounts,
    regions,
    workloads,
    knows: { images: true, history: true },
    async reach(serviceUrl) {
      const response = await fetch(`http://${serviceUrl}/`, { headers: { connection: "close" } });
      return await response.text();
    },
    deadlineMs: DEADLINE_MS,
    close: () => close(),
  };
}

function account(username: string) {
  return { username, token: makeToken() };
}
