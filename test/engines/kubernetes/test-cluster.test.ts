import { afterAll, describe, expect, test } from "vitest";
import { because, testCluster } from "../../support/cluster.ts";
import { until } from "../../support/until.ts";

const { missing, noPods, newNamespace, removeNamespaces, call, must, listed, image } = await testCluster();

describe.skipIf(missing !== undefined)(`a cluster for tests${because(missing)}`, () => {
  afterAll(removeNamespaces);

  test("gives a namespace of its own, which is deleted afterwards", async () => {
    const name = await newNamespace("own");

    expect(name).toMatch(/^gantry-test-own-[0-9a-f]{8}$/u);
    expect(await listed(`/apis/apps/v1/namespaces/${name}/deployments`)).toEqual([]);

    await removeNamespaces();
    await until(async () => {
      const { status, body } = await call({ method: "GET", path: `/api/v1/namespaces/${name}` });
      return status === 404 || JSON.stringify(body).includes("Terminating");
    });
  });

  test("tells which request failed, and why", async () => {
    await expect(must({ method: "GET", path: "/api/v1/namespaces/gantry-test-none" })).rejects.toThrow(
      'GET /api/v1/namespaces/gantry-test-none: 404 namespaces "gantry-test-none" not found',
    );
  });

  test.skipIf(noPods !== undefined)(`runs pods${because(noPods)}`, async () => {
    const namespace = await newNamespace("pods");
    const path = `/api/v1/namespaces/${namespace}/pods`;
    const containers = [{ name: "main", image, command: ["sh", "-c", "echo it runs"] }];
    await must({
      method: "POST",
      path,
      body: { metadata: { name: "once" }, spec: { containers, restartPolicy: "Never" } },
    });

    await until(async () =>
      JSON.stringify(await must({ method: "GET", path: `${path}/once` })).includes('"phase":"Succeeded"'),
    );
    const { body } = await call({ method: "GET", path: `${path}/once/log` });
    expect(body).toEqual({ message: "it runs\n" });
  });
});
