import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { machineClock } from "../../../src/platform/clock.ts";
import { DEADLINE_MS } from "../../support/until.ts";
import { serve } from "../../../src/service/api/serve.ts";
import { makeToken } from "../../../src/service/api/users.ts";
import { findDaemon } from "../../../src/service/engines/docker/daemon/find-daemon.ts";
import { openDockerEngine } from "../../../src/service/engines/docker/docker-engine.ts";
import { OTHER_TEST_IMAGE, TEST_IMAGE } from "../../support/docker.ts";
import { shellWorkloads } from "./shell-workloads.ts";
import type { ServiceUnderTest } from "./world.ts";

const regions = ["us", "beijing1"] as const;
const accounts = { user1: account("dana"), user2: account("alex"), newcomer: account("kim") };

/** The service over real containers. With `keepWorkloads` they run on when it is closed. */
export async function openDockerService(
  dataDir: string,
  { socketPath, keepWorkloads }: { socketPath: string; keepWorkloads: boolean },
): Promise<ServiceUnderTest> {
  const { engine, changes, close } = await openDockerEngine({
    clock: machineClock,
    dataDir,
    regions,
    found: await findDaemon(
      { dockerHost: `unix://${socketPath}`, tls: { isVerified: false } },
      { clock: machineClock },
    ),
    // So that a small machine does not refuse what a case asks for.
    quotas: { userInstances: 500, hostInstances: 500, userMemoryMib: 1_000_000, hostMemoryMib: 1_000_000 },
    graceSeconds: 2,
    backOffMs: { first: 10, max: 50 },
    jobRetries: 1,
  });
  return {
    fetch: serve({ engine, changes, users: Object.values(accounts), checkAnswers: true }),
    ...accounts,
    regions,
    workloads: shellWorkloads(TEST_IMAGE, OTHER_TEST_IMAGE),
    knows: { images: false, history: true, domains: false },
    resizes: true,
    async reach(serviceUrl) {
      const response = await fetch(`http://${serviceUrl}/`, { headers: { connection: "close" } });
      return await response.text();
    },
    deadlineMs: DEADLINE_MS,
    close: () => close({ keepWorkloads }),
  };
}

export async function dockerService(socketPath: string): Promise<ServiceUnderTest> {
  const dataDir = mkdtempSync(join(tmpdir(), "gantry-contract-"));
  const service = await openDockerService(dataDir, { socketPath, keepWorkloads: false });
  return {
    ...service,
    async close() {
      await service.close();
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}

function account(username: string) {
  return { username, token: makeToken() };
}
