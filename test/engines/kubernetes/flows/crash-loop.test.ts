import { afterAll, describe, expect, test } from "vitest";
import { because, testCluster } from "../../../support/cluster.ts";
import { tellsWhy, toldOfCrashLoop } from "../../support/crash-loop.ts";
import { townOnKubernetes } from "../support/kubernetes-town.ts";

const cluster = await testCluster();
afterAll(cluster.removeNamespaces);

describe.skipIf(cluster.noPods)(`a watch on Kubernetes${because(cluster.noPods)}`, () => {
  test("a crash loop is in the channel within ten seconds of its second restart, with its reason and last lines", async () => {
    await using town = await townOnKubernetes(cluster);

    const told = await toldOfCrashLoop(town, cluster.image);

    expect(told).toEqual({ card: expect.stringMatching(tellsWhy), isInTime: true });
  });
});
