import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { type FakeApiServer, openFakeApiServer } from "../../service/engines/kubernetes/support/fake-api-server.ts";
import { deployment, pod } from "./fill-namespace.ts";

/** What a process costs while nothing happens, per minute. */
export type IdleCost = {
  readonly bytes: number;
  readonly cpuMs: number;
  readonly lists: number;
};

type Idle = { readonly services: number; readonly pods: number; readonly minutes: number };

const NAMESPACE = "shop";
const HASH = "5d4f8c7b9";
const YESTERDAY = new Date(Date.now() - 24 * 3_600_000).toISOString();

/**
 * An engine whose services were listed once, and a client that only keeps the same watches open,
 * side by side for some minutes. Each has an API server of this process: a node holds no 3,000 pods that run.
 */
export async function measureIdle(idle: Idle): Promise<{ readonly engine: IdleCost; readonly watches: IdleCost }> {
  const folder = mkdtempSync(join(tmpdir(), "gantry-idle-"));
  const [forEngine, forWatches] = [await fullServer(idle), await fullServer(idle)];
  const children: ChildProcess[] = [];
  const start = async (way: "engine" | "watches", server: FakeApiServer, kinds: readonly string[]) => {
    const kubeconfig = join(folder, way);
    writeFileSync(kubeconfig, server.kubeConfig().exportConfig());
    const program = fileURLToPath(new URL("../kubernetes-idle.ts", import.meta.url));
    const child = fork(program, [way, kubeconfig, NAMESPACE, ...kinds]);
    children.push(child);
    await once(child, "message");
    return child;
  };
  try {
    const engine = await start("engine", forEngine, []);
    await pause(SETTLED_MS);
    const kinds = new Set(forEngine.requests.flatMap(({ verb, resource }) => (verb === "watch" ? [resource] : [])));
    const watches = await start("watches", forWatches, [...kinds]);
    const [ofEngine, ofWatches] = await Promise.all([
      costOf(engine, forEngine, idle.minutes),
      costOf(watches, forWatches, idle.minutes),
    ]);
    return { engine: ofEngine, watches: ofWatches };
  } finally {
    for (const child of children) child.kill();
    await Promise.all([forEngine.stop(), forWatches.stop()]);
    rmSync(folder, { recursive: true, force: true });
  }
}

const SETTLED_MS = 20_000;

/** As many workloads as a team has: each pod runs since yesterday. */
async function fullServer({ services, pods }: Idle): Promise<FakeApiServer> {
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

async function costOf(child: ChildProcess, server: FakeApiServer, minutes: number): Promise<IdleCost> {
  const before = { cpu: await cpuMs(child), bytes: server.bytes(), requests: server.requests.length };
  await pause(minutes * 60_000);
  const during = server.requests.slice(before.requests);
  return {
    bytes: (server.bytes() - before.bytes) / minutes,
    cpuMs: ((await cpuMs(child)) - before.cpu) / minutes,
    lists: during.filter(({ verb }) => verb === "list").length / minutes,
  };
}

async function cpuMs(child: ChildProcess): Promise<number> {
  child.send("cpu");
  const [answer] = (await once(child, "message")) as [NodeJS.CpuUsage]; // of kubernetes-idle.ts
  return (answer.user + answer.system) / 1_000;
}
