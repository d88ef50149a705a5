import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { startKubernetes } from "../../../../../src/service/engines/kubernetes/kubernetes-engine.ts";
import { openFakeApiServer } from "../support/fake-api-server.ts";
import { deployment } from "../support/cached-cluster.ts";
import { openStrictLoki } from "./support/strict-loki.ts";

/** The service on a cluster with the Deployment web, whose file of clusters says that logs are in this Loki. */
async function openWithLoki(url: string) {
  const dir = mkdtempSync(join(tmpdir(), "gantry-loki-"));
  const server = await openFakeApiServer();
  server.objects.put("deployments", "shop", deployment("web"));
  writeFileSync(join(dir, "kubeconfig"), server.kubeConfig().exportConfig());
  const clustersPath = join(dir, "clusters.yaml");
  writeFileSync(
    clustersPath,
    `regions:
  us:
    kubeconfig: kubeconfig
    namespace: shop
    jobs: true
    adopt: all
    logs: { by: loki, url: "${url}", tenant: team-a, labels: { namespace: k8s_namespace, pod: k8s_pod } }
`,
  );
  const { engine, notices, close } = await startKubernetes(
    { clustersPath },
    { dataDir: dir, users: ["dana"], onEvent: () => undefined },
  );
  onTestFinished(async () => {
    await close();
    await server.stop();
    rmSync(dir, { recursive: true, force: true });
  });
  const logs = () =>
    engine.getServiceLogs({
      path: { region: "us", service_name: "web" },
      query: { from: 0, size: 10 },
      user: { username: "dana" },
      signal: AbortSignal.timeout(20_000),
    } as unknown as Parameters<typeof engine.getServiceLogs>[0]); // no body
  return { server, notices, logs };
}

test("a region whose file says Loki reads its logs there, and collects nothing", async () => {
  const loki = await openStrictLoki("team-a");
  const labels = { k8s_namespace: "shop", k8s_pod: "web-5d4f8c7b9-x7k2p" };
  const { server, notices, logs } = await openWithLoki(loki.url);
  loki.lines.push({ time: BigInt(Date.now()) * 1_000_000n, labels, line: "GET / 200" });

  expect(JSON.stringify(await logs())).toContain("GET / 200");
  expect(notices).toEqual([]);
  expect(server.requests.filter(({ resource }) => /leases|pods\/log/u.test(resource))).toEqual([]);
});

test("a Loki that is away at the start is a notice, and logs are read when it is back", async () => {
  const loki = await openStrictLoki("team-a");
  loki.fail({ status: 503, text: "empty ring" });
  const { notices, logs } = await openWithLoki(loki.url);

  expect(notices).toEqual([
    "Region us: The log can't be read from Loki: empty ring (status 503). Only logs need it; each request for a log asks it again.",
  ]);
  await expect(logs()).rejects.toMatchObject({ status: 503 });
  loki.fail(undefined);
  await expect(logs()).resolves.toBeDefined();
});

test("an address that isn't Loki's is a notice too, with what can't be reached", async () => {
  const closed = await openFakeApiServer();
  const url = closed.kubeConfig().getCurrentCluster()?.server ?? "";
  await closed.stop();

  const { notices, logs } = await openWithLoki(url);

  expect(notices).toEqual([
    expect.stringMatching(
      /^Region us: The log can't be read from Loki: it can't be reached at 127\.0\.0\.1:\d+\. Only logs/u,
    ),
  ]);
  await expect(logs()).rejects.toMatchObject({ status: 503 });
});
