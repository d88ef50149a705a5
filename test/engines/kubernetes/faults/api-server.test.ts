import { afterAll, describe, expect, test } from "vitest";
import { because, testCluster } from "../../../support/cluster.ts";
import { until } from "../../../support/until.ts";
import { openApiFront } from "../support/api-front.ts";
import { objectsOf } from "../support/objects.ts";
import { openTestWorld } from "../support/test-world.ts";

const cluster = await testCluster();
const { missing, image, removeNamespaces } = cluster;

afterAll(removeNamespaces);

/** No instances, so that nothing here needs a node. */
const body = {
  target_instance_size: 0,
  containers: [{ image, command: ["sh"], ports: [{ port: 8080, protocol: "TCP" as const }] }],
  port_mappings: [{ container_port: 8080 }],
};

async function behindFront() {
  const front = await openApiFront(cluster.kubeconfig);
  const service = await openTestWorld(cluster, { kubeconfig: front.kubeconfig });
  const close = async () => {
    await front.be("up");
    await service.close();
    await front.close();
  };
  return { ...service, front, [Symbol.asyncDispose]: close };
}

describe.skipIf(missing !== undefined)(`an API server that stops in the middle of changes${because(missing)}`, () => {
  test("killed: reads and writes are refused with 503 that says nothing was changed, and go on when it is back", async () => {
    await using service = await behindFront();
    const { world, front } = service;
    await world.get("createService", { name: "web", body });
    await world.until(
      () => world.get("getService", { name: "web" }),
      ({ status }) => status === "Running",
    );

    await front.be("down");
    expect((await world.ask("updateService", { name: "web", body: { target_instance_size: 1 } })).status).toBe(503);
    // That one may have been on a connection which broke; from now on there is none.
    const write = await world.ask("updateService", { name: "web", body: { target_instance_size: 1 } });
    expect(write.status).toBe(503);
    expect(write.text).toContain("Nothing was changed");

    await front.be("up");
    // Its kinds are read again one after the other, at most one request a second.
    const read = await world.until(
      () => world.ask("getService", { name: "web" }),
      ({ status }) => status === 200,
    );
    expect(read.body).toMatchObject({ target_instance_size: 0 });
  });

  test("killed after it made a Deployment: the answer says that it may have happened, and nothing is left half", async () => {
    await using service = await behindFront();
    const { world, front, namespace } = service;
    front.onPassing(async ({ write, when }) => {
      if (when === "before" || !write.endsWith("/deployments")) return undefined;
      await front.be("down");
      return "drop";
    });

    const { status, text } = await world.ask("createService", { name: "web", body });
    front.onPassing(() => undefined);
    await front.be("up");

    expect(status).toBe(503);
    expect(text).toMatch(/may have|check before you try again/u);
    // Either it shows and can be deleted, or it is gone. Until each kind was read again, some requests are refused.
    await world.until(
      () => world.ask("deleteService", { name: "web" }),
      (reply) => reply.status === 200 || reply.status === 404,
    );
    await until(async () => (await objectsOf(cluster, namespace)).length === 0);
    await world.until(
      () => world.ask("listServices"),
      ({ text }) => text.includes('"services":[]'),
    );
  });

  test("stopped: a change is given up after its time limit, and sent once", async () => {
    await using service = await behindFront();
    const { world, front } = service;
    await world.get("createService", { name: "web", body });
    const before = front.requests.length;

    await front.be("stopped");
    const { status, text } = await world.ask("deleteService", { name: "web" });
    const sent = front.requests.slice(before).filter((request) => request.startsWith("DELETE"));
    await front.be("up");

    expect(status).toBe(503);
    expect(text).toMatch(/didn't answer/u);
    expect(sent.length).toBeLessThanOrEqual(1);
  });
});
