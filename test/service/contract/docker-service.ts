import { machineClock } from "../../../src/platform/clock.ts";
import { findDaemon } from "../../../src/service/engines/docker/daemon/find-daemon.ts";
import { openDockerEngine } from "../../../src/service/engines/docker/docker-engine.ts";
import { OTHER_TEST_IMAGE, TEST_IMAGE } from "../../support/docker.ts";
import { onFolder, regions, served } from "./served.ts";
import { shellWorkloads } from "./shell-workloads.ts";
import type { ServiceUnderTest } from "./world.ts";

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
  return served({
    engine,
    changes,
    workloads: shellWorkloads(TEST_IMAGE, OTHER_TEST_IMAGE),
    knows: { images: false, history: true, domains: false },
    resizes: true,
    close: () => close({ keepWorkloads }),
  });
}

export const dockerService = (socketPath: string): Promise<ServiceUnderTest> =>
  onFolder((dataDir) => openDockerService(dataDir, { socketPath, keepWorkloads: false }));
