import { afterAll, describe, expect, test } from "vitest";
import { makeNamespaces, nodeAddress, openKubernetesService } from "../../service/contract/kubernetes-service.ts";
import { type World, worldOf } from "../../service/contract/world.ts";
import { because, testCluster } from "../../support/cluster.ts";

const cluster = await testCluster();
const disks: string[] = [];

afterAll(async () => {
  await cluster.removeNamespaces();
  const path = (name: string) => `/api/v1/persistentvolumes/${name}`;
  await Promise.all(disks.map((name) => cluster.call({ method: "DELETE", path: path(name) })));
});

/** A folder of the node as the disk of a claim that Gantry makes: this cluster has no provisioner. */
async function makeDisk(namespace: string, claim: string): Promise<void> {
  const name = `${namespace}-${claim}`;
  disks.push(name);
  await cluster.must({
    method: "POST",
    path: "/api/v1/persistentvolumes",
    body: {
      metadata: { name },
      spec: {
        capacity: { storage: "1Mi" },
        accessModes: ["ReadWriteOnce"],
        storageClassName: "gantry-test",
        persistentVolumeReclaimPolicy: "Retain",
        hostPath: { path: `/tmp/gantry-test-disks/${namespace}`, type: "DirectoryOrCreate" },
        claimRef: { namespace, name: claim },
      },
    },
  });
}

const forever = "sleep 1000000 & wait";

function service(script: string, volume: { readonly readOnly: boolean; readonly instances: number }) {
  const command = ["sh", "-c", `trap 'exit 0' TERM; ${script}; ${forever}`];
  return {
    containers: [{ image: cluster.image, command, volumeMounts: [{ name: "data", mountPath: "/data" }] }],
    volumes: [{ name: "data", disk_name: "data", is_read_only: volume.readOnly }],
    target_instance_size: volume.instances,
  };
}

/** Adds a line to the disk with each start, and says how many are there. */
const counter = service("echo start >>/data/starts; echo starts: $(wc -l </data/starts)", {
  readOnly: false,
  instances: 1,
});
const reader = service("cat /data/starts; touch /data/mine || echo not written", { readOnly: true, instances: 2 });

async function openWorld() {
  const namespaces = await makeNamespaces(cluster);
  const opened = await openKubernetesService({ cluster, namespaces, host: await nodeAddress(cluster) });
  const world = worldOf(opened);
  const namespace = namespaces.get(`${world.regions[0]}-${world.user1.username}`) ?? "";
  return { world, namespace, [Symbol.asyncDispose]: opened.close };
}

/** Waits until `count` lines of a service are like this. */
async function untilLogged(world: World, name: string, [line, count]: readonly [string, number]): Promise<void> {
  await world.until(
    () => world.get("getServiceLogs", { name }),
    (lines) => lines.filter(({ log }) => log?.includes(line)).length === count,
  );
}

describe.skipIf(cluster.noPods !== undefined)(`disks of a Kubernetes node${because(cluster.noPods)}`, () => {
  test("keep their files when a service is deleted and made again, and are read by several instances", async () => {
    await using opened = await openWorld();
    const { world, namespace } = opened;
    await makeDisk(namespace, "data");

    await world.get("createService", { name: "counter", body: counter });
    await untilLogged(world, "counter", ["starts: 1", 1]);
    const [claim] = await cluster.listed(`/api/v1/namespaces/${namespace}/persistentvolumeclaims`);
    expect(claim).toMatchObject({ metadata: { name: "data" }, status: { phase: "Bound" } });

    await world.get("deleteService", { name: "counter" });
    // Kubernetes keeps the name until the pods are gone.
    const again = await world.until(
      () => world.ask("createService", { name: "counter", body: counter }),
      ({ status }) => status !== 409,
    );
    expect(again).toMatchObject({ status: 200 });
    await untilLogged(world, "counter", ["starts: 2", 1]);

    const writers = await world.ask("createService", { name: "two", body: { ...counter, target_instance_size: 2 } });
    expect(writers).toMatchObject({ status: 400 });
    await world.get("createService", { name: "reader", body: reader });
    await untilLogged(world, "reader", ["not written", 2]);
    await untilLogged(world, "reader", ["start", 4]);
  });
});
