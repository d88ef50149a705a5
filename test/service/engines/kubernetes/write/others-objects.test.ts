import { expect, test } from "vitest";
import { KubeError } from "../../../../../src/service/engines/kubernetes/cluster/kube-api.ts";
import { asked, type Fault, scriptedCluster, writesOn } from "./support/scripted-cluster.ts";

// What other people made in the cluster, before or at the same moment, stays as it is.

const web = {
  containers: [{ image: "shop/web:1", ports: [{ port: 8080 }] }],
  port_mappings: [{ container_port: 8080 }],
};
const onShop = { ...web, binding_domain_name: ["shop.example.com"] };
const onDisk = {
  ...web,
  containers: [{ ...web.containers[0], image: "shop/web:1", volume_mounts: [{ name: "data", mount_path: "/data" }] }],
  volumes: [{ name: "data", disk_name: "orders" }],
};
const domains = { by: "ingress" } as const;
const disks = { storageClass: "fast", size: "1Gi" };

function shop(fault?: Fault) {
  const cluster = scriptedCluster(fault);
  return { cluster, writes: writesOn(cluster.api, { domains, disks }) };
}

const otherDeployment = { metadata: { name: "web" }, spec: { selector: {}, template: { spec: {} } } };

function ingressOf(name: string, host: string) {
  const ownerReferences = [{ apiVersion: "apps/v1", kind: "Deployment", name, uid: `uid-${name}` }];
  return { metadata: { name, ownerReferences }, spec: { rules: [{ host }] } };
}

function claimOf(service: string) {
  const labels = { "app.kubernetes.io/managed-by": "gantry" };
  const annotations = { "gantry/made-for": service, "gantry/request": `made ${service}` };
  return { metadata: { name: "orders", labels, annotations }, spec: { accessModes: [] } };
}

test("a service that somebody replaced since it was read isn't deleted", async () => {
  const { cluster, writes } = shop(({ verb }, go) => {
    if (verb === "delete") {
      cluster.others.delete("Deployment", "web");
      cluster.others.create("Deployment", otherDeployment);
    }
    return go();
  });
  await writes.createService({ ...asked("web"), body: web });

  await writes.deleteService(asked("web"));

  expect(cluster.names()).toContain("Deployment web");
});

test("a disk that one node writes to is refused for two instances, before anything is made", async () => {
  const { cluster, writes } = shop();

  await expect(
    writes.createService({ ...asked("web"), body: { ...onDisk, target_instance_size: 2 } }),
  ).rejects.toMatchObject({ status: 400, message: expect.stringContaining("only one instance can write to its disk") });

  expect(cluster.names()).toEqual([]);
});

test("… and for a second one later", async () => {
  const { writes } = shop();
  await writes.createService({ ...asked("web"), body: { ...onDisk, target_instance_size: 0 } });

  await expect(writes.updateService({ ...asked("web"), body: { target_instance_size: 2 } })).rejects.toMatchObject({
    status: 400,
    message: expect.stringContaining("only one instance can write to its disk"),
  });
});

test("a domain of another service is refused, before anything is made", async () => {
  const made: string[] = [];
  const { cluster, writes } = shop(({ verb, kind }, go) => {
    if (verb === "create") made.push(kind);
    return go();
  });
  await writes.createService({ ...asked("web"), body: onShop });
  const before = cluster.names();

  made.length = 0;
  await expect(writes.createService({ ...asked("api"), body: onShop })).rejects.toMatchObject({
    status: 409,
    message: expect.stringContaining("the domain shop.example.com belongs to another service"),
  });

  expect(made).toEqual([]);
  expect(cluster.names()).toEqual(before);
});

test("of two services that bind a domain at the same moment, the later one is taken back", async () => {
  let isFirst = true;
  const { cluster, writes } = shop(({ verb, kind }, go) => {
    if (verb === "create" && kind === "Ingress" && isFirst) {
      isFirst = false;
      cluster.others.create("Ingress", ingressOf("api", "shop.example.com"));
    }
    return go();
  });

  await expect(writes.createService({ ...asked("web"), body: onShop })).rejects.toMatchObject({ status: 409 });

  expect(cluster.names()).toEqual(["Ingress api"]);
});

test("a disk that another service got at the same moment stays when this one is taken back", async () => {
  let claims = 0;
  const { cluster, writes } = shop(({ verb, kind }, go) => {
    if (verb !== "create" || kind !== "PersistentVolumeClaim") return go();
    claims += 1;
    if (claims === 2) throw new KubeError(403, "no");
    cluster.others.create("PersistentVolumeClaim", claimOf("db"));
    return go();
  });
  const volumes = [...onDisk.volumes, { name: "scratch", disk_name: "scratch" }];

  await expect(writes.createService({ ...asked("web"), body: { ...onDisk, volumes } })).rejects.toMatchObject({
    status: 403,
  });

  expect(cluster.names()).toEqual(["PersistentVolumeClaim orders"]);
});
