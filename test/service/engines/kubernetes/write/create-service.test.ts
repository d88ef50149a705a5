import { describe, expect, test } from "vitest";
import { KubeError, KubeUnreachable } from "../../../../../src/service/engines/kubernetes/cluster/kube-api.ts";
import { finishServices } from "../../../../../src/service/engines/kubernetes/write/create-service.ts";
import type { NamespaceCache } from "../../../../../src/service/engines/kubernetes/cache/namespace-cache.ts";
import { cacheWith } from "../support/known-objects.ts";
import { asked, type Fault, scriptedCluster, writesOn } from "./support/scripted-cluster.ts";

const body = {
  containers: [{ image: "shop/web:1", ports: [{ port: 8080 }] }],
  port_mappings: [{ container_port: 8080 }],
  binding_domain_name: ["shop.example.com"],
};
const domains = { by: "ingress" } as const;
const request = asked("web");
const whole = ["Deployment web", "Ingress web", "Service web"];

function shop(fault?: Fault, settings: Parameters<typeof writesOn>[1] = {}) {
  const cluster = scriptedCluster(fault);
  return { cluster, writes: writesOn(cluster.api, { domains, ...settings }) };
}

/** Does it, and loses the answer the first time. */
function losing(verb: string, kind: string): Fault {
  let isFirst = true;
  return (call, go) => {
    const answer = go();
    if (!isFirst || call.verb !== verb || call.kind !== kind) return answer;
    isFirst = false;
    throw new KubeUnreachable("the connection broke");
  };
}

describe("a new service", () => {
  test("is a Deployment with all that belongs to it", async () => {
    const { cluster, writes } = shop();

    await writes.createService({ ...request, body });

    expect(cluster.names()).toEqual(whole);
  });

  test.each(["Deployment", "Service", "Ingress"])("whose %s was made, but not answered, is made once", async (kind) => {
    const { cluster, writes } = shop(losing("create", kind));

    await writes.createService({ ...request, body });

    expect(cluster.names()).toEqual(whole);
  });

  test("loses its name to another of the same moment, and leaves that one alone", async () => {
    const { cluster, writes } = shop();
    await cluster.api.create({ kind: "Deployment", namespace: "team" }, { ...others(), metadata: { name: "web" } });

    await expect(writes.createService({ ...request, body })).rejects.toMatchObject({ status: 409 });

    expect(cluster.names()).toEqual(["Deployment web"]);
  });

  test("is taken back whole when a part of it is refused", async () => {
    const text =
      'services "web" is forbidden: exceeded quota: q, requested: services=1, used: services=1, limited: services=1';
    const { cluster, writes } = shop(({ verb, kind }, go) => {
      if (verb === "create" && kind === "Service") throw new KubeError(403, text);
      return go();
    });

    await expect(writes.createService({ ...request, body })).rejects.toMatchObject({
      status: 403,
      message: `Couldn't create the service web: Kubernetes refused it: ${text}. Nothing was changed. Use less, or ask the cluster's admins for a larger quota.`,
    });
    expect(cluster.names()).toEqual([]);
  });

  test("that can't even be taken back says that it is half-made", async () => {
    const { cluster, writes } = shop(({ verb, kind }, go) => {
      if (verb === "create" && kind === "Ingress") throw new KubeError(403, "no");
      if (verb === "delete") throw new KubeUnreachable("the connection broke");
      return go();
    });

    await expect(writes.createService({ ...request, body })).rejects.toMatchObject({
      message:
        "Couldn't create the service web: Kubernetes refused it: no. Taking it back failed too, so the service web is half-made: delete it before you try again. This is a rule of the cluster: change the request, or ask its admins.",
    });
    expect(cluster.names()).toEqual(["Deployment web", "Service web"]);
  });

  test("whose creation was interrupted is completed by the next server", async () => {
    const { cluster, writes } = shop(({ verb, kind }, go) => {
      if (verb === "create" && kind === "Service") throw new KubeError(403, "no");
      if (verb === "delete") throw new KubeUnreachable("the server died here");
      return go();
    });
    await writes.createService({ ...request, body }).catch(() => undefined);
    const interrupted = cluster.names();
    const closing = new AbortController();
    cluster.heal();
    const second = writesOn(cluster.api, { domains });

    const parts = { ...second.parts, onEvent: () => closing.abort() };
    await finishServices(parts, { users: ["dana"], closing: closing.signal });

    expect(interrupted).toEqual(["Deployment web"]);
    expect(cluster.names()).toEqual(whole);
  });

  test("is looked for in what the watch tells, so a server without one asks the cluster only once", async () => {
    const { writes } = shop();
    const looks = { current: 0, all: 0 };
    const known = cacheWith([]);
    const cache: NamespaceCache = {
      ...known,
      current: async () => void (looks.current += 1),
      all(kind) {
        looks.all += 1;
        return known.all(kind);
      },
    };
    const regions = new Map(
      [...writes.parts.regions].map(([name, region]) => [name, { ...region, cacheOf: () => cache }]),
    );
    const closing = new AbortController();

    const over = finishServices({ ...writes.parts, regions }, { users: ["dana"], closing: closing.signal });
    await writes.clock.passMs(60_000);
    expect(looks.all).toBe(4);
    closing.abort();
    await over;

    expect(looks.current).toBe(1);
  });
});

describe("the disk of a new service", () => {
  const mounted = { containers: [{ image: "shop/web:1" }], volumes: [{ name: "data", disk_name: "data-postgres-0" }] };
  const gantrys = {
    labels: { "app.kubernetes.io/managed-by": "gantry" },
    annotations: { "gantry/made-for": "web", "gantry/request": "another" },
  };
  const claim = (metadata: object = {}, accessModes = ["ReadWriteOnce"]) => ({
    metadata: { name: "data-postgres-0", ...metadata },
    spec: { accessModes },
  });
  const newDisks = { storageClass: "fast", size: "1Gi" };

  test.each([
    ["of others", {}],
    ["with a copied label", { labels: gantrys.labels }],
    ["with a copied annotation", { annotations: gantrys.annotations }],
  ])("isn't a claim %s: nothing is created", async (_, metadata) => {
    const { cluster, writes } = shop();
    cluster.others.put("PersistentVolumeClaim", claim(metadata));

    await expect(writes.createService({ ...request, body: mounted })).rejects.toMatchObject({
      status: 403,
      message:
        "the claim data-postgres-0 wasn't made by Gantry, so a service may not use it. Nothing was changed. Choose another " +
        "disk_name, or have the operator add data-postgres-0 to disks.claims of the region us in SERVICE_CLUSTERS.",
    });
    expect(cluster.names()).toEqual(["PersistentVolumeClaim data-postgres-0"]);
  });

  test("is a claim that Gantry made, or that the file of clusters lists", async () => {
    const { cluster, writes } = shop();
    cluster.others.put("PersistentVolumeClaim", claim(gantrys));
    const listed = shop(undefined, { claims: ["data-postgres-0"] });
    listed.cluster.others.put("PersistentVolumeClaim", claim());

    await writes.createService({ ...request, body: mounted });
    await listed.writes.createService({ ...request, body: mounted });

    expect(cluster.names()).toContain("Deployment web");
    expect(listed.cluster.names()).toContain("Deployment web");
  });

  test("isn't a claim that somebody else makes at the same moment, and the service is taken back", async () => {
    const { cluster, writes } = shop(
      ({ verb, kind }, go) => {
        if (verb === "create" && kind === "PersistentVolumeClaim") cluster.others.put(kind, claim());
        return go();
      },
      { disks: newDisks },
    );

    await expect(writes.createService({ ...request, body: mounted })).rejects.toMatchObject({ status: 403 });

    expect(cluster.names()).toEqual(["PersistentVolumeClaim data-postgres-0"]);
  });

  test.each([
    ["stays, if an earlier one of its name left it", true, ["PersistentVolumeClaim data-postgres-0"]],
    ["goes, if it was made for it", false, []],
  ])("%s, when the service is taken back", async (_, isLeft, names) => {
    const { cluster, writes } = shop(
      ({ verb, kind }, go) => {
        if (isLeft && verb === "create" && kind === "PersistentVolumeClaim") cluster.others.put(kind, claim(gantrys));
        if (verb === "list" && kind === "Ingress" && cluster.find("Ingress", "web")) throw new KubeError(403, "no");
        return go();
      },
      { disks: newDisks },
    );

    await expect(
      writes.createService({ ...request, body: { ...body, ...mounted, containers: body.containers } }),
    ).rejects.toMatchObject({ status: 403 });

    expect(cluster.names()).toEqual(names);
  });
});

function others() {
  return { spec: { selector: {}, template: { spec: {} } } };
}
