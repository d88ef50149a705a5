import { randomUUID } from "node:crypto";
import { afterAll, describe, expect, test } from "vitest";
import type { Service, ServiceUpdate } from "../../../../src/api/schema.ts";
import type { ClusterConfig } from "../../../../src/service/engines/kubernetes/cluster/cluster-config.ts";
import { nodeAddress } from "../../../service/contract/kubernetes-service.ts";
import { answers, urlOf } from "../../../service/contract/web-service.ts";
import { rest, shell, ticking } from "../../../support/container-script.ts";
import { because, testCluster } from "../../../support/cluster.ts";
import { noRegistry, startRegistry } from "../../../support/registry.ts";
import { until } from "../../../support/until.ts";
import { visitor } from "../../../support/visitor.ts";
import { applyDaemonSet, applyStatefulSet } from "../support/applied.ts";
import { visitNode, HeldByTheNode } from "../support/node-visit.ts";
import { allowed } from "../rights/allowed.ts";
import { openRegistryFront } from "../support/registry-front.ts";
import { openTestWorld } from "../support/test-world.ts";

const cluster = await testCluster();
const { noPods, must, image, otherImage, removeNamespaces } = cluster;

afterAll(removeNamespaces);

/** Its own workloads are reached over the node; those of others may be given another image. */
async function town({ rollouts }: Pick<ClusterConfig, "rollouts"> = {}) {
  const host = await nodeAddress(cluster);
  const opened = await openTestWorld(cluster, {
    settings: { ports: { by: "node-port", host }, adopt: { workloads: "all", allow: ["image"] }, rollouts },
  });
  const { world } = opened;
  const show = (name: string) => world.get("getService", { name });
  return {
    ...opened,
    show,
    /** What somebody else makes is seen a moment later. */
    listed: (name: string) =>
      world.until(
        () => world.ask("getService", { name }),
        ({ status }) => status === 200,
      ),
    update: (name: string, body: ServiceUpdate) => world.get("updateService", { name, body }),
    becomes: (name: string, isSo: (service: Service) => boolean) => world.until(() => show(name), isSo),
  };
}

const another = { containers: [{ image: otherImage, env: { set: [{ name: "LEVEL", value: "debug" }] } }] };

const isDone = (to: number) => (service: Service) =>
  service.status === "Running" && service.revision === to && service.rollout?.state === "done";

/** Answers with its version, and for a moment longer than Kubernetes takes to send nobody there any more. */
const serve =
  "trap 'sleep 5; exit 0' TERM; mkdir -p /tmp/www; echo $VERSION >/tmp/www/index.html; httpd -p ${PORT:-8080} -h /tmp/www; " +
  "sleep 1000000 & wait";

/** Each visit is a connection through the node's address translation, which remembers each of them for a while. */
const BETWEEN_VISITS_MS = 10;

/** Nobody is refused or cut off by a deploy; what the node itself held never was on its way to an instance. */
function expectServed(failures: readonly unknown[]): void {
  expect(failures.filter((each) => !(each instanceof HeldByTheNode))).toEqual([]);
}

const version = (value: string) => ({ set: [{ name: "VERSION", value }] });

/** Instances of the version `one`, which take connections. */
async function runningWeb({ world, becomes }: Awaited<ReturnType<typeof town>>, size = 2) {
  const container = { image, command: ["sh", "-c", serve], ports: [{ port: 8080, protocol: "TCP" as const }] };
  const body = {
    target_instance_size: size,
    containers: [{ ...container, env: [{ name: "VERSION", value: "one" }] }],
    port_mappings: [{ container_port: 8080 }],
  };
  await allowed(world, "createService", { name: "web", body });
  const first = await becomes("web", ({ status, revision }) => status === "Running" && revision === 1);
  await answers(world, first);
  return { ask: async () => (await visitNode(urlOf(first))).trim() };
}

// Beside each other: each has a namespace of its own, and waits for pods.
describe.skipIf(noPods !== undefined).concurrent(`deploy and roll back on Kubernetes${because(noPods)}`, () => {
  test("versions come and go without a refused request; one without an image takes nothing over", async () => {
    await using opened = await town({ rollouts: { progressDeadlineSeconds: 10 } });
    await using registry = await openRegistryFront();
    const absent = `${registry.host}/absent:1`;
    const { world, update, becomes, show } = opened;
    const { ask } = await runningWeb(opened);
    const { answers: told, failures, leave } = visitor(ask, BETWEEN_VISITS_MS);

    await update("web", { containers: [{ image: otherImage, env: version("two") }] });
    const second = await becomes("web", isDone(2));
    expect(second).toMatchObject({
      containers: [{ image: otherImage }],
      ready_instances: 2,
      revisions: [
        { revision: 2, images: [otherImage], outcome: "done" },
        { revision: 1, images: [image] },
      ],
      rollout: { from: 1, to: 2, updated: 2, ready: 2, old_ready: 0, target: 2 },
    });

    await update("web", { containers: [{ image: absent, env: version("three") }] });
    // On a busy node the deadline may pass before the image is asked for; from then on the reason names it.
    const stuck = await becomes(
      "web",
      ({ rollout, message = "" }) => rollout?.state === "stuck" && message.includes(absent),
    );
    expect(stuck).toMatchObject({
      status: "Failed",
      ready_instances: 2,
      revision: 3,
      rollout: { from: 2, to: 3, updated: 1, ready: 0, old_ready: 2, message: stuck.message },
    });

    await update("web", { revision: 2 });
    const back = await becomes("web", isDone(4));
    expect(back).toMatchObject({
      containers: [{ image: otherImage, env: [{ name: "VERSION", value: "two" }] }],
      ready_instances: 2,
      revisions: [{ revision: 4, outcome: "done" }, { revision: 3 }, { revision: 1 }],
      rollout: { from: 3, to: 4 },
    });
    const unknown = await world.ask("updateService", { name: "web", body: { revision: 2 } });
    expect(unknown).toMatchObject({ status: 409, body: { message: expect.stringContaining("it has 4, 3, 1.") } });
    expect((await show("web")).revision).toBe(4);
    await leave();

    expectServed(failures);
    expect(new Set(told)).toEqual(new Set(["one", "two"]));
    expect(told.at(-1)).toBe("two");
  });

  test("twenty versions of one instance come without a refused request", async () => {
    await using opened = await town();
    const { update, becomes } = opened;
    const { ask } = await runningWeb(opened, 1);
    const { answers: told, failures, leave } = visitor(ask, BETWEEN_VISITS_MS);

    // Each takes two to three seconds, as the port of a new pod is looked at every two: with two instances, twenty would
    // take longer than the minute and a half that a file of tests may take here.
    const versions = Array.from({ length: 20 }, (_, index) => `v${index + 2}`);
    for (const [index, each] of versions.entries()) {
      await update("web", { containers: [{ env: version(each) }] });
      await becomes("web", isDone(index + 2));
      // The node sends visitors there a moment later.
      await until(() => told.includes(each));
    }
    await leave();

    expectServed(failures);
    expect(new Set(told)).toEqual(new Set(["one", ...versions]));
  });

  test.skipIf(noRegistry() !== undefined)("a moved tag is told by the digest of what really runs", async () => {
    const registry = await startRegistry();
    try {
      await using opened = await town();
      const { namespace, becomes } = opened;
      const labels = { app: "moving" };
      // A node that has the same image by another name calls it by that one.
      const own = randomUUID();
      const name = await registry.push({ name: "team/moving:1", version: `one ${own}` });
      const containers = [
        {
          name: "main",
          image: name,
          command: shell(rest),
          imagePullPolicy: "Always",
        },
      ];
      const template = { metadata: { labels }, spec: { containers, terminationGracePeriodSeconds: 1 } };
      const spec = { replicas: 1, selector: { matchLabels: labels }, template };
      const place = `/apis/apps/v1/namespaces/${namespace}/deployments`;
      await must({ method: "POST", path: place, body: { metadata: { name: "moving" }, spec } });
      await opened.listed("moving");
      const digestOf = ({ containers: [container] = [] }: Service) => container?.image_digest;
      const first = await becomes("moving", (service) => digestOf(service) !== undefined);

      await registry.push({ name: "team/moving:1", version: `two ${own}` });
      await must({ method: "DELETE", path: `/api/v1/namespaces/${namespace}/pods?labelSelector=app%3Dmoving` });
      const second = await becomes("moving", (service) => ![undefined, digestOf(first)].includes(digestOf(service)));

      expect(digestOf(first)).toMatch(/^sha256:[0-9a-f]{64}$/u);
      expect(digestOf(second)).toMatch(/^sha256:[0-9a-f]{64}$/u);
      expect(second.containers?.[0]?.image).toBe(name);
    } finally {
      await registry.stop();
    }
  });

  test("one that runs and never gets ready is stuck after the deadline, and the old instances serve", async () => {
    await using opened = await town({ rollouts: { progressDeadlineSeconds: 10 } });
    const { update, becomes } = opened;
    const { ask } = await runningWeb(opened);

    await update("web", { containers: [{ env: { set: [{ name: "PORT", value: "8081" }] } }] });
    const stuck = await becomes("web", ({ rollout }) => rollout?.state === "stuck");

    expect(stuck).toMatchObject({ status: "Failed", ready_instances: 2, rollout: { ready: 0, old_ready: 2 } });
    expect(await ask()).toBe("one");
  });

  test("single variables of what somebody applied are set and removed, and going back brings all of them back", async () => {
    await using opened = await town();
    const { namespace, update, becomes } = opened;
    const labels = { app: "legacy" };
    const env = [
      { name: "LEVEL", value: "info" },
      { name: "KEY", valueFrom: { fieldRef: { apiVersion: "v1", fieldPath: "metadata.name" } } },
      { name: "NODE", valueFrom: { fieldRef: { apiVersion: "v1", fieldPath: "spec.nodeName" } } },
      { name: "OLD", value: "1" },
      { name: "TWICE", value: "a" },
      { name: "TWICE", value: "b" },
    ];
    const place = `/apis/apps/v1/namespaces/${namespace}/deployments`;
    const containers = [{ name: "main", image, command: shell(ticking), env }];
    const template = { metadata: { labels }, spec: { containers, terminationGracePeriodSeconds: 1 } };
    const spec = { replicas: 1, selector: { matchLabels: labels }, template };
    await must({ method: "POST", path: place, body: { metadata: { name: "legacy" }, spec } });
    const written = async () => {
      const object = await must({ method: "GET", path: `${place}/legacy` });
      return (object["spec"] as { template: { spec: { containers: { env: object[] }[] } } }).template; // of a Deployment
    };
    await opened.listed("legacy");
    await becomes("legacy", ({ status, revision }) => status === "Running" && revision === 1);
    const before = await written();

    const set = [
      { name: "LEVEL", value: "debug" },
      { name: "KEY", value: "$(HOME)" },
      { name: "TWICE", value: "c" },
      { name: "NEW", value: "" },
    ];
    await update("legacy", { containers: [{ env: { set, remove: ["OLD"] } }] });
    await becomes("legacy", isDone(2));

    expect((await written()).spec.containers[0]?.env).toEqual([
      { name: "LEVEL", value: "debug" },
      { name: "KEY", value: "$$(HOME)" },
      env[2],
      { name: "TWICE", value: "c" },
      { name: "NEW" },
    ]);
    await update("legacy", { revision: 1 });
    await becomes("legacy", isDone(3));
    expect(await written()).toEqual(before);
  });

  test("a StatefulSet is rolled out and back by its ControllerRevisions", async () => {
    await using opened = await town();
    const { namespace, update, becomes } = opened;
    await applyStatefulSet(cluster, { namespace, name: "db" });
    await opened.listed("db");
    await becomes("db", ({ status, revision }) => status === "Running" && revision === 1);

    await update("db", another);
    const next = await becomes("db", isDone(2));
    expect(next.revisions).toMatchObject([
      { revision: 2, images: [otherImage], outcome: "done" },
      { revision: 1, images: [image] },
    ]);
    await update("db", { revision: 1 });

    const back = await becomes("db", isDone(3));
    expect(back).toMatchObject({ containers: [{ image, env: [] }], rollout: { from: 2, to: 3 } });
  });

  test("so is a DaemonSet, also while its pod takes long to go", async () => {
    await using opened = await town();
    const { namespace, update, becomes } = opened;
    await applyDaemonSet(cluster, { namespace, name: "agent" });
    await opened.listed("agent");
    await becomes("agent", ({ revision }) => revision === 1);

    await update("agent", another);
    const next = await becomes("agent", ({ revision }) => revision === 2);
    expect(next.revisions).toMatchObject([
      { revision: 2, images: [otherImage] },
      { revision: 1, images: [image] },
    ]);
    await update("agent", { revision: 1 });

    const back = await becomes("agent", ({ revision }) => revision === 3);
    expect(back).toMatchObject({ containers: [{ image, env: [] }] });
    expect(back.revisions?.map((each) => each.revision)).toEqual([3, 2]);
  });
});
