import { expect, test } from "vitest";
import { foundLines } from "../../../../../src/service/engines/kubernetes/config/check-clusters.ts";

const cluster = { region: "us", context: "prod", server: "https://k8s:6443" };
const on = (version: string) =>
  foundLines([{ ...cluster, version, namespaces: [{ name: "shop", workloads: 1, jobs: 500 }] }]);

test("the start says which cluster was found, and what runs in its namespaces", () => {
  expect(on("v1.20.2")).toEqual([
    "Region us: context prod (https://k8s:6443, v1.20.2), namespace shop: 1 service, at least 500 jobs",
  ]);
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
