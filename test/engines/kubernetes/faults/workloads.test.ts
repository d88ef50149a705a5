import { afterAll, describe, expect, test } from "vitest";
import type { NewServiceContainer } from "../../../../src/api/schema.ts";
import { shell } from "../../../support/container-script.ts";
import { because, testCluster } from "../../../support/cluster.ts";
import { openRegistryFront } from "../support/registry-front.ts";
import { openTestWorld } from "../support/test-world.ts";

const cluster = await testCluster();
const { noPods, image, must, removeNamespaces } = cluster;

afterAll(removeNamespaces);

const loop = "sleep 1000000 & wait";

type Known = "message" | "last_state";

/** A service of one container, as soon as the API says that it is failing, and why. */
async function failing(container: NewServiceContainer, known: Known) {
  const service = await openTestWorld(cluster);
  const { world } = service;
  await world.get("createService", { name: "web", body: { containers: [container] } });
  const web = await world.until(
    () => world.get("getService", { name: "web" }),
    (service) => service.status === "Failed" && service[known] !== undefined,
  );
  return { ...service, web };
}

describe.skipIf(noPods !== undefined)(`workloads that go wrong on Kubernetes${because(noPods)}`, () => {
  test("an image that doesn't exist: failed, and the message names the image", async () => {
    await using registry = await openRegistryFront();
    await using service = await failing({ image: `${registry.host}/none:1`, command: ["none"] }, "message");

    expect(service.web.message).toContain(`${registry.host}/none:1`);
    await service.world.get("deleteService", { name: "web" });
  });

  test("a registry that doesn't exist: the message names it, and nothing has failed", async () => {
    await using service = await openTestWorld(cluster);
    const { world } = service;
    const container = { image: "registry.invalid/none:1", command: ["none"] };
    await world.get("createService", { name: "web", body: { containers: [container] } });

    const web = await world.until(
      () => world.get("getService", { name: "web" }),
      ({ message = "" }) => message.includes("waiting for the registry"),
    );

    expect(web).toMatchObject({ status: "Starting", message: expect.stringContaining("registry.invalid") });
    await world.get("deleteService", { name: "web" });
  });

  test("more memory than its limit: failed, out of memory, exit code 137", async () => {
    const hungry = ["sh", "-c", "x=many; while :; do x=$x$x; done"];
    const limits = { limits: { memory: "256" as const } };
    await using service = await failing({ image, command: hungry, resources: limits }, "last_state");

    expect(service.web).toMatchObject({ last_state: { reason: "OOMKilled", exit_code: 137 } });
  });

  test("a crash loop: failed, with its exit code and how often it was restarted, and the log of the last crash", async () => {
    await using service = await failing({ image, command: ["sh", "-c", "echo no database; exit 3"] }, "last_state");
    const { world, web } = service;

    expect(web).toMatchObject({ last_state: { exit_code: 3 } });
    expect(web.restart_count).toBeGreaterThan(0);
    const logs = await world.until(
      () => world.get("getServiceLogs", { name: "web", query: { size: 10 } }),
      (entries) => entries.length > 0,
    );
    expect(logs.at(-1)?.log).toBe("no database");
  });

  test("a full quota: the refusal has the numbers of the cluster, and nothing half is left", async () => {
    await using service = await openTestWorld(cluster);
    const { world, namespace } = service;
    const quota = { metadata: { name: "small" }, spec: { hard: { "count/deployments.apps": "1" } } };
    await must({ method: "POST", path: `/api/v1/namespaces/${namespace}/resourcequotas`, body: quota });
    const body = { containers: [{ image, command: shell(loop) }] };
    // Until the quota has been counted, everything is refused.
    await world.until(
      () => world.ask("createService", { name: "first", body }),
      ({ status }) => status === 200,
    );

    const refused = await world.ask("createService", { name: "second", body });

    expect(refused.status).toBe(403);
    expect(refused.text).toContain("exceeded quota: small");
    expect(refused.text).toContain("Nothing was changed");
    const { services } = await world.get("listServices");
    expect(services.map(({ name }) => name)).toEqual(["first"]);
  });

  test("a quota that lets no pod start: the service says so", async () => {
    await using service = await openTestWorld(cluster);
    const { world, namespace } = service;
    const quota = { metadata: { name: "no-pods" }, spec: { hard: { pods: "0" } } };
    await must({ method: "POST", path: `/api/v1/namespaces/${namespace}/resourcequotas`, body: quota });
    await world.get("createService", { name: "web", body: { containers: [{ image, command: shell(loop) }] } });

    const web = await world.until(
      () => world.get("getService", { name: "web" }),
      ({ message }) => message !== undefined,
    );

    expect(web.message).toContain("exceeded quota: no-pods");
  });
});
