import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { checkClusters, foundLines } from "../../../../../src/service/engines/kubernetes/config/check-clusters.ts";
import { deployment } from "../support/cached-cluster.ts";
import { openFakeApiServer } from "../support/fake-api-server.ts";
import { config } from "../support/known-objects.ts";
import { stillClock } from "../../../../support/test-clock.ts";

const cluster = { region: "us", context: "prod", server: "https://k8s:6443" };
const on = (version: string) =>
  foundLines([
    { ...cluster, version, namespaces: [{ name: "shop", workloads: 1, jobs: 500, hidesPodSecurity: false }] },
  ]);

test("the start says which cluster was found, and what runs in its namespaces", () => {
  expect(on("v1.20.2")).toEqual([
    "Region us: context prod (https://k8s:6443, v1.20.2), namespace shop: 1 service, at least 500 jobs",
  ]);
});

test("the start says where it can't see whether PodSecurity is enforced, and what to do", async () => {
  const folder = mkdtempSync(join(tmpdir(), "gantry-labels-"));
  const server = await openFakeApiServer({ namespaces: { seen: {} } });
  onTestFinished(async () => {
    await server.stop();
    rmSync(folder, { recursive: true, force: true });
  });
  const kubeconfig = { path: join(folder, "config") };
  writeFileSync(kubeconfig.path, server.kubeConfig().exportConfig());
  const linesIn = async (namespace: string, podSecurity: "auto" | "restricted") => {
    const region = { ...config, kubeconfig, podSecurity, namespacesOf: () => ({ names: [namespace] as const }) };
    return foundLines(await checkClusters([region], ["dana"], stillClock())).slice(1);
  };
  server.objects.put("deployments", "hidden", deployment("web"));

  expect(await linesIn("hidden", "auto")).toEqual([
    "Region us: Gantry's account may not get the namespace hidden, so it can't see whether PodSecurity restricted is " +
      "enforced there. New workloads are made without a securityContext for it: give the account that right, or set " +
      "podSecurity to restricted or none in SERVICE_CLUSTERS.",
  ]);
  expect(await linesIn("seen", "auto")).toEqual([]);
  expect(await linesIn("hidden", "restricted")).toEqual([]);
});

test.each(["v1.36.0-gke.1200", "v1.20.15+k3s1", "v1.31.4"])("%s gets no warning", (version) => {
  expect(on(version)).toHaveLength(1);
});

test.each(["v1.19.16", "v1.37.0", "v2.0.0", "unknown"])("%s gets a warning, and is used all the same", (version) => {
  expect(on(version)[1]).toBe(
    `Region us: Gantry was tried on Kubernetes 1.20 and 1.36; ${version} is beyond that. ` +
      "It starts all the same; read the release notes of Kubernetes if something is missing.",
  );
});
