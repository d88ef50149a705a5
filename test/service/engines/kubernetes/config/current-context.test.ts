import { expect, test } from "vitest";
import { regionName } from "../../../../../src/service/engines/kubernetes/config/read-clusters.ts";

test.each([
  ["prod", "prod"],
  ["kubernetes-admin@kubernetes", "kubernetes-admin-kubernetes"],
  ["arn:aws:eks:eu-west-1:1234:cluster/shop", "shop"],
  ["gke_project_europe-west1_shop", "gke_project_europe-west1_shop"],
  ["default/api-cluster:6443/dana", "dana"],
  ["_-x", "x"],
  ["日本", "cluster"],
  ["a".repeat(80), "a".repeat(63)],
])("the context %s is the region %s", (context, region) => {
  expect(regionName(context)).toBe(region);
});
