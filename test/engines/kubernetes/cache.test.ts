import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, describe, expect, onTestFinished, test } from "vitest";
import { cacheLimits } from "../../../src/service/engines/kubernetes/cache/reflection.ts";
import { kubeConfigOf } from "../../../src/service/engines/kubernetes/cluster/connect.ts";
import { makeKubeClient } from "../../../src/service/engines/kubernetes/cluster/kube-client.ts";
import { because, testCluster } from "../../support/cluster.ts";
import { until } from "../../support/until.ts";
import { type FaultProxy, openFaultProxy } from "../../service/engines/kubernetes/support/fault-proxy.ts";
import { type FaultRun, runFaults } from "../../service/engines/kubernetes/support/fault-run.ts";
import { machineClock } from "../../../src/platform/clock.ts";

const cluster = await testCluster();

afterAll(() => cluster.removeNamespaces());

type Faults = (proxy: FaultProxy) => Promise<void>;

/** Reads through a proxy that disturbs watches, writes past it. */
async function disturbed(faults: Faults, limits = { staleAfterMs: 2_000 }): Promise<FaultRun> {
  const kubeConfig = await kubeConfigOf({ kubeconfig: { path: cluster.kubeconfig }, context: undefined }, machineClock);
  const proxy = await openFaultProxy(kubeConfig);
  const writer = makeKubeClient({ kubeConfig, clock: machineClock });
  const reader = makeKubeClient({ kubeConfig: proxy.kubeConfig, clock: machineClock });
  onTestFinished(async () => {
    writer.close();
    reader.close();
    await proxy.close();
  });
  return await runFaults({
    writer,
    reader,
    namespace: await cluster.newNamespace("cache"),
    limits,
    limitMs: limits.staleAfterMs,
    faults: () => faults(proxy),
  });
}

describe.skipIf(cluster.missing !== undefined)(`the cache on a real cluster${because(cluster.missing)}`, () => {
  test("watches of a real cluster are cut: no read is wrong", async () => {
    const run = await disturbed(async (proxy) => {
      for (let n = 0; n < 3; n += 1) {
        await until(() => proxy.openWatches() === 1);
        proxy.cutWatches();
        await sleep(300);
      }
    });

    expect(run).toMatchObject({ wrong: 0, different: 0 });
    // A list and the watch after it; a slow list's watch begins when the next turn does.
    expect(run.startsPerSecond).toBeLessThanOrEqual(3);
    expect(run.reads).toBeGreaterThan(10);
  });

  test("a watch of a real cluster falls silent: no read is older than the limit", async () => {
    const run = await disturbed(async (proxy) => {
      await until(() => proxy.openWatches() === 1);
      proxy.silenceWatches();
      await sleep(cacheLimits.staleWithoutWatchMs);
    });

    expect(run).toMatchObject({ wrong: 0, different: 0 });
    expect(run.reads).toBeGreaterThan(10);
  });
});
