import { expect, test } from "vitest";
import type { ClusterConfig } from "../../../../../src/service/engines/kubernetes/cluster/cluster-config.ts";
import { otherKind } from "../../../../../src/service/engines/kubernetes/read/place.ts";
import { jobKinds, serviceKinds } from "../../../../../src/service/engines/kubernetes/cache/namespace-cache.ts";
import { openCachedCluster } from "../support/cached-cluster.ts";
import { config } from "../support/known-objects.ts";
import { deployment, pod } from "../support/sent-objects.ts";

type Opening = { readonly changed?: Partial<ClusterConfig>; readonly unknown?: readonly string[] };

/** A namespace with one of each. */
async function shop({ changed = {}, unknown = [] }: Opening = {}) {
  const own = { ...config, ...changed };
  const kinds = [...new Set([...serviceKinds(config), ...jobKinds(config)])];
  const cluster = await openCachedCluster({ kinds, unknown });
  const { objects } = cluster.server;
  const owned = (kind: string, name: string) => ({
    ownerReferences: [{ kind, name, uid: `uid of ${kind} ${name}`, controller: true }],
  });
  objects.put("deployments", "shop", deployment("web"));
  objects.put("pods", "shop", pod("web-5d4f8c7b9-x7k2p", { of: { kind: "Deployment", name: "web" } }));
  objects.put("pods", "shop", pod("debug", { of: undefined }));
  objects.put("pods", "shop", pod("canary-7c9-abcde", { of: undefined, metadata: owned("Rollout", "canary") }));
  objects.put("rollouts", "shop", { metadata: { name: "canary", labels: { team: "shop" } } });
  const spec = { template: { spec: { containers: [{ name: "app", image: "shop/app:1" }] } } };
  objects.put("replicasets", "shop", { metadata: { name: "old" }, spec });
  objects.put("replicasets", "shop", { metadata: { name: "web-5d4f8c7b9", ...owned("Deployment", "web") }, spec });
  const cache = cluster.cacheOf("shop");
  await cache.current(kinds);
  const region = { config: own, api: cluster.api, cacheOf: cluster.cacheOf };
  const reading = { namespaces: ["shop"], username: "dana", now: new Date("2026-11-22T12:30:00Z") };
  const ask = (name: string) => otherKind({ region, reading, patience: () => new AbortController().signal }, name);
  return { ask, server: cluster.server };
}

test("a Rollout, a ReplicaSet and a pod are named as what they are, and what nobody has isn't", async () => {
  const { ask } = await shop();

  expect(
    await Promise.all(["canary", "old", "web-5d4f8c7b9", "debug", "web-5d4f8c7b9-x7k2p", "canary-7c9-abcde"].map(ask)),
  ).toEqual([
    "canary is an Argo Rollout, which Gantry doesn't run. Use kubectl argo rollouts.",
    "old is a ReplicaSet without a Deployment, which Gantry doesn't run. Use kubectl, or make a Deployment of it.",
    "web-5d4f8c7b9 is a ReplicaSet of the Deployment web. Ask for web.",
    "debug is a pod without a Deployment or Job, which Gantry doesn't run. Use kubectl, or make a Deployment of it.",
    "web-5d4f8c7b9-x7k2p is an instance of the service web. Ask for web.",
    "canary-7c9-abcde is a pod of the Rollout canary, which Gantry doesn't run. Use kubectl.",
  ]);
  expect(await ask("absent")).toBeUndefined();
  expect(await ask("web")).toBeUndefined();
});

test("a missing right, a cluster without Argo and a broken answer only leave the explanation out", async () => {
  const { ask, server } = await shop({ unknown: ["rollouts"] });
  server.fail("get replicasets", { status: 403, message: "replicasets.apps is forbidden" });

  expect(await ask("canary")).toBeUndefined();
  expect(await ask("old")).toBeUndefined();
  server.fail("get replicasets", { status: 500 });
  expect(await ask("old")).toBeUndefined();
});

test("what isn't adopted stays unknown, and costs no request", async () => {
  const selected = await shop({ changed: { adopt: { workloads: "team=shop", allow: [] } } });
  expect(await selected.ask("canary")).toContain("Argo Rollout");
  expect(await selected.ask("old")).toBeUndefined();
  expect(await selected.ask("debug")).toBeUndefined();

  const none = await shop({ changed: { adopt: { workloads: "none", allow: [] } } });
  expect(await none.ask("canary")).toBeUndefined();
  expect(none.server.requests.filter(({ verb }) => verb === "get")).toEqual([]);
});
