import { afterEach, describe, expect, test } from "vitest";
import { KubeError, KubeUnreachable } from "../../../../../src/service/engines/kubernetes/cluster/kube-api.ts";
import { finishServices } from "../../../../../src/service/engines/kubernetes/write/finish-services.ts";
import { type Fault, scriptedCluster, writesOn } from "./support/scripted-cluster.ts";

const body = {
  containers: [{ image: "shop/web:1", ports: [{ port: 8080 }] }],
  port_mappings: [{ container_port: 8080 }],
  binding_domain_name: ["shop.example.com"],
};
const domains = { kind: "ingress", ingressClass: undefined } as const;
const request = {
  user: { username: "dana" },
  path: { region: "us", service_name: "web" },
  query: undefined,
  signal: new AbortController().signal,
};
const whole = ["Deployment web", "Ingress web", "Service web"];

const open: { close: () => Promise<void> }[] = [];
afterEach(async () => {
  for (const each of open.splice(0)) await each.close();
});

function shop(fault?: Fault) {
  const cluster = scriptedCluster(fault);
  const writes = writesOn(cluster.api, { domains });
  open.push(writes);
  return { cluster, writes };
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
      message: `Couldn't create the service web: Kubernetes refused it: ${text}. Nothing was changed.`,
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
        "Couldn't create the service web: Kubernetes refused it: no. Taking it back failed too, so the service web is half-made: delete it before you try again.",
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
    const second = writesOn(healed(cluster), { domains });
    open.push(second);

    const parts = { ...second.parts, onEvent: () => closing.abort() };
    await finishServices(parts, { users: ["dana"], closing: closing.signal });

    expect(interrupted).toEqual(["Deployment web"]);
    expect(cluster.names()).toEqual(whole);
  });
});

function others() {
  return { spec: { selector: {}, template: { spec: {} } } };
}

/** The same objects without the fault. */
function healed(cluster: ReturnType<typeof scriptedCluster>) {
  cluster.heal();
  return cluster.api;
}
