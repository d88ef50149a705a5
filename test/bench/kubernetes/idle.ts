import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { type FakeApiServer, openFakeApiServer } from "../../service/engines/kubernetes/support/fake-api-server.ts";
import { deployment, pod } from "./fill-namespace.ts";

type Size = { readonly services: number; readonly pods: number };

const NAMESPACE = "shop";
const HASH = "5d4f8c7b9";
const YESTERDAY = new Date(Date.now() - 24 * 3_600_000).toISOString();
const SETTLED_MS = 20_000;
const MINUTES = 10;

/**
 * What an engine whose services were listed once costs while nothing happens, per minute. It is a process of its own, and its
 * API server is in this one: a node holds no 3,000 pods that run.
 */
export async function measureIdle(size: Size): Promise<{ readonly bytes: number; readonly cpuMs: number }> {
  const folder = mkdtempSync(join(tmpdir(), "gantry-idle-"));
  const server = await fullServer(size);
  const kubeconfig = join(folder, "kubeconfig");
  writeFileSync(kubeconfig, server.kubeConfig().exportConfig());
  const child = fork(fileURLToPath(new URL("../kubernetes-idle.ts", import.meta.url)), [kubeconfig, NAMESPACE]);
  try {
    await once(child, "message");
    await pause(SETTLED_MS);
    const before = { cpu: await cpuMs(child), bytes: server.bytes() };
    await pause(MINUTES * 60_000);
    return {
      bytes: (server.bytes() - before.bytes) / MINUTES,
      cpuMs: ((await cpuMs(child)) - before.cpu) / MINUTES,
    };
  } finally {
    child.kill();
    await server.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** As many workloads as a team has: each pod runs since yesterday. */
async function fullServer({ services, pods }: Size): Promise<FakeApiServer> {
  const server = await openFakeApiServer();
  const times = { creationTimestamp: YESTERDAY };
  for (let n = 0; n < services; n += 1) {
    const { metadata, spec } = deployment(n);
    const status = { observedGeneration: 1, replicas: 1, readyReplicas: 1, availableReplicas: 1, updatedReplicas: 1 };
    server.objects.put("deployments", NAMESPACE, { metadata: { ...metadata, ...times }, spec, status });
  }
  for (let n = 0; n < pods; n += 1) {
    const service = `shop-${n % services}`;
    const { metadata, spec } = pod(n, n % services);
    const owner = { kind: "ReplicaSet", name: `${service}-${HASH}`, uid: service, controller: true };
    const running = { name: "main", ready: true, restartCount: 0, state: { running: { startedAt: YESTERDAY } } };
    server.objects.put("pods", NAMESPACE, {
      metadata: {
        ...metadata,
        ...times,
        name: `${service}-${HASH}-${n}`,
        labels: { ...metadata.labels, "pod-template-hash": HASH },
        ownerReferences: [owner],
      },
      spec,
      status: { phase: "Running", startTime: YESTERDAY, containerStatuses: [running] },
    });
  }
  return server;
}

async function cpuMs(child: ChildProcess): Promise<number> {
  child.send("cpu");
  const [answer] = (await once(child, "message")) as [NodeJS.CpuUsage]; // of kubernetes-idle.ts
  return (answer.user + answer.system) / 1_000;
}
