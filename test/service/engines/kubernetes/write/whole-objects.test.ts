import { expect, onTestFinished, test } from "vitest";
import type { ServiceUpdate } from "../../../../../src/api/schema.ts";
import { forgetStops } from "../../../../../src/service/engines/kubernetes/write/background-notes.ts";
import { changes } from "../../../../support/object-changes.ts";
import { until } from "../../../../support/until.ts";
import type { FakeOptions } from "../support/fake-api-server.ts";
import { deployment, object, statefulSet } from "../support/sent-objects.ts";
import { apiTown, asked } from "./support/scripted-cluster.ts";

const applied = "kubectl.kubernetes.io/last-applied-configuration";
const manager = (name: string, operation: string) => ({
  manager: name,
  operation,
  apiVersion: "apps/v1",
  time: "2026-11-22T12:00:00Z",
  fieldsType: "FieldsV1",
  fieldsV1: { "f:spec": { "f:replicas": {} } },
});

/** Metadata as each tool leaves it. */
const makers: Readonly<Record<string, object>> = {
  "kubectl apply": { annotations: { [applied]: '{"kind":"StatefulSet","spec":{"replicas":2}}' } },
  "a controller": {
    annotations: { [applied]: "{}", "deployment.kubernetes.io/revision": "4", "team/on-call": "shop" },
    finalizers: ["team/keep"],
    labels: { app: "web", tier: "front" },
  },
  Helm: {
    labels: { "app.kubernetes.io/managed-by": "Helm", "helm.sh/chart": "shop-1.2.3" },
    annotations: { "meta.helm.sh/release-name": "shop", "meta.helm.sh/release-namespace": "team" },
    managedFields: [manager("helm", "Update")],
  },
  "server-side apply": { annotations: null, managedFields: [manager("kubectl", "Apply"), manager("argocd", "Apply")] },
};

const request = { ...asked("web"), asked: { person: "U0DANA", request: "ABC123" } };

function town(onRequest: FakeOptions["onRequest"] = () => undefined) {
  return apiTown({ adopt: { workloads: "all", allow: ["memory"] }, domains: { by: "ingress" } }, { onRequest });
}

/** A service of Gantry with a port. */
function gantrys() {
  const { kind: _, ...sent } = deployment("web", {
    metadata: { labels: { "app.kubernetes.io/managed-by": "gantry", "gantry/service": "web" } },
    podSpec: { containers: [{ name: "app", image: "shop/app:1", ports: [{ containerPort: 8080 }] }] },
  });
  return sent;
}

const body = {
  target_instance_size: 1,
  containers: [{ image: "shop/web", ports: [{ port: 80, protocol: "TCP" }] }],
  port_mappings: [{ container_port: 80, protocol: "tcp" }],
};

const at = "2026-11-22T12:30:00.000Z";
const note = "/metadata/annotations/gantry";
const cases = ["deployments", "statefulsets"].flatMap((resource) =>
  Object.keys(makers).map((maker) => [resource, maker] as const),
);

test.each(cases)("of %s made by %s, each change writes what it is about and its notes", async (resource, maker) => {
  const { server, ...writes } = await town();
  const metadata = makers[maker] ?? {};
  const make = resource === "deployments" ? deployment : statefulSet;
  const { kind: _, ...sent } = make("web", { metadata, spec: { replicas: 2 } } as Parameters<typeof deployment>[1]);
  server.objects.put(resource, "team", sent);
  const whole = () => server.objects.find(resource, "team", "web");
  let before: unknown = whole();
  /** What a change wrote. */
  const wrote = async (change: Promise<unknown>): Promise<string[]> => {
    await change;
    const differences = changes(before, whole());
    before = whole();
    // Where the object had no annotations, there are only Gantry's.
    return differences.flatMap((each) => {
      const [, map] = /^\/metadata\/annotations: (?:undefined|null|\{\}) → (\{.*\})$/u.exec(each) ?? [];
      if (map === undefined) return [each];
      const added = Object.entries(JSON.parse(map) as Record<string, string>);
      return added.map(([key, value]) => `/metadata/annotations/${key}: undefined → ${JSON.stringify(value)}`);
    });
  };

  const first = await wrote(writes.updateService({ ...request, body: { target_instance_size: 3 } }));
  expect(first.toSorted()).toEqual([
    `${note}/change: undefined → "ABC123"`,
    `${note}/changed-by: undefined → "U0DANA"`,
    "/spec/replicas: 2 → 3",
  ]);
  const memory = { containers: [{ resources: { limits: { memory: "512" } } }] };
  expect(await wrote(writes.updateService({ ...request, body: memory }))).toEqual([
    expect.stringMatching(/^\/spec\/template\/spec\/containers\/0\/resources.*512Mi/u),
  ]);
  expect(await wrote(writes.restartService(request))).toEqual([
    expect.stringMatching(/^\/spec\/template\/metadata.*restartedAt.*12:30/u),
  ]);
  expect(await wrote(writes.stopService(request))).toEqual([
    `${note}/size: undefined → "3"`,
    `${note}/stopped-at: undefined → "${at}"`,
    "/spec/replicas: 3 → 0",
  ]);
  await expect(writes.deleteService(request)).rejects.toMatchObject({ status: 409 });
  expect(changes(before, whole())).toEqual([]);
  server.objects.put(resource, "team", { ...whole(), status: {} });
  await until(() =>
    writes.startService({ ...request, asked: {} }).then(
      () => true,
      () => false,
    ),
  );
  expect((await wrote(Promise.resolve())).filter((each) => !each.startsWith("/status")).toSorted()).toEqual([
    `${note}/change: "ABC123" → undefined`,
    `${note}/changed-by: "U0DANA" → undefined`,
    `${note}/size: "3" → undefined`,
    `${note}/stopped-at: "${at}" → undefined`,
    "/spec/replicas: 0 → 3",
  ]);
  const patches = writes.sent("patch");
  expect(patches.every(({ query }) => query.get("fieldManager") === "gantry")).toBe(true);
  expect(JSON.stringify(patches)).not.toMatch(/"\/metadata\/(?:annotations|labels)"/u);
});

test("other domains leave what somebody added to the Ingress as it is", async () => {
  const { server, ...writes } = await town();
  const { uid } = server.objects.put("deployments", "team", gantrys()).metadata;
  const path = (name: string) => ({ path: `/${name}`, pathType: "Prefix", backend: { service: { name } } });
  const { kind: __, ...route } = object("Ingress", "web", {
    metadata: {
      name: "web",
      annotations: { "cert-manager.io/cluster-issuer": "letsencrypt" },
      ownerReferences: [
        { kind: "Deployment", name: "web", uid, controller: true },
        { kind: "Team", name: "shop", uid: "somebody's" },
      ],
    },
    spec: {
      ingressClassName: "nginx",
      tls: [{ hosts: ["a.example.com"], secretName: "web" }],
      rules: [
        { host: "a.example.com", http: { paths: [path("web"), path("old-shop")] } },
        { host: "b.example.com", http: { paths: [path("web")] } },
        { http: { paths: [path("fallback")] } },
      ],
    },
  });
  server.objects.put("ingresses", "team", route);
  const before = server.objects.find("ingresses", "team", "web");
  const rulesOf = (ingress: typeof before) =>
    (ingress?.["spec"] as { rules: { host?: string }[] } | undefined)?.rules ?? []; // as above
  const rulesBefore = rulesOf(before);

  await writes.updateService({ ...request, body: { binding_domain_name: ["c.example.com", "a.example.com"] } });

  const after = server.objects.find("ingresses", "team", "web");
  const rules = rulesOf(after);
  expect(rules.map(({ host }) => host)).toEqual(["c.example.com", "a.example.com", undefined]);
  expect(rules.slice(1)).toEqual([rulesBefore[0], rulesBefore[2]]);
  expect(changes(before, after).filter((each) => !each.startsWith("/spec/rules/"))).toEqual([
    `${note}/changed-by: undefined → "U0DANA"`,
    `${note}/change: undefined → "ABC123"`,
  ]);
});

test("domains that can't be routed are said to be what may not be changed, beside what was", async () => {
  const { server, ...writes } = await town();
  server.objects.put("deployments", "team", gantrys());
  server.fail("create ingresses", { status: 403, message: "no" });
  const refusal = (body: ServiceUpdate) =>
    writes.updateService({ ...request, body }).then(
      () => "",
      (error: Error) => error.message,
    );
  const rest = "The rest was changed, its domains may not be.";

  expect(await refusal({ binding_domain_name: ["a.example.com"] })).not.toContain(rest);
  const both = { binding_domain_name: ["a.example.com"], containers: [{ image: "shop/app:2" }] };
  expect(await refusal(both)).toContain(rest);
});

test("a new size needs no version: others may change the object all the time", async () => {
  const { server, ...writes } = await town();
  const { kind: _, ...sent } = deployment("web", { spec: { replicas: 2 } });
  const made = server.objects.put("deployments", "team", sent);
  await writes.parts.regions.get("us")?.cacheOf("team").current(["Deployment"]);
  server.objects.put("deployments", "team", { ...made, metadata: { ...made.metadata, labels: { touched: "now" } } });

  await writes.updateService({ ...request, body: { target_instance_size: 5 } });

  expect(writes.sent("patch")).toHaveLength(1);
  expect(server.objects.find("deployments", "team", "web")).toMatchObject({
    metadata: { labels: { touched: "now" } },
    spec: { replicas: 5 },
  });
});

test("the size of a stop is forgotten when somebody scales with kubectl, and nothing else of the object", async () => {
  const { server, ...writes } = await town();
  const stop = { "gantry/size": "7", "gantry/stopped-at": at, "team/on-call": "shop" };
  const { kind: _, ...sent } = deployment("web", { metadata: { annotations: stop }, spec: { replicas: 0 } });
  const stopped = server.objects.put("deployments", "team", sent);
  const spec = stopped["spec"] as object; // of a Deployment
  onTestFinished(forgetStops(writes.parts));
  const scaled = server.objects.put("deployments", "team", { ...stopped, spec: { ...spec, replicas: 4 } });

  const now = () => server.objects.find("deployments", "team", "web");
  await until(() => !JSON.stringify(now()).includes("gantry/size"));

  expect(changes(scaled, now())).toEqual([`${note}/size: "7" → undefined`, `${note}/stopped-at: "${at}" → undefined`]);
});

test.each([
  ["scales it to 0 at that moment, too", at, undefined],
  ["scaled it, but not when Gantry stops it again", "2026-11-22T12:31:00.000Z", "7"],
])("the size of a stop is forgotten when somebody %s", async (_, stoppedAt, size) => {
  let patches = 0;
  const { server, ...writes } = await town(({ verb }) => {
    if (verb !== "patch") return undefined;
    patches += 1;
    if (patches === 1) put(0, stoppedAt);
    return undefined;
  });
  const put = (replicas: number, when: string) => {
    const stop = { "gantry/size": "7", "gantry/stopped-at": when };
    const { kind: _kind, ...sent } = deployment("web", { metadata: { annotations: stop }, spec: { replicas } });
    server.objects.put("deployments", "team", sent);
  };
  put(0, at);
  onTestFinished(forgetStops(writes.parts));
  put(4, at);
  await until(() => patches > 0);
  await writes.parts.queue.idle();

  const { metadata } = server.objects.find("deployments", "team", "web") ?? {};
  expect(metadata?.["annotations"]).toEqual(
    size === undefined ? {} : { "gantry/size": size, "gantry/stopped-at": stoppedAt },
  );
});

test("a name that an object of another kind has is refused before anything is made", async () => {
  const { server, ...writes } = await town();
  const { kind: _, ...service } = object("Service", "web", { spec: { ports: [] } });
  server.objects.put("services", "team", service);
  const { kind: __, ...set } = statefulSet("db");
  server.objects.put("statefulsets", "team", set);

  await expect(writes.createService({ ...request, body })).rejects.toMatchObject({
    status: 409,
    message:
      "the name web is taken: a Service named web already exists in the namespace team, and Gantry didn't make it. " +
      "Nothing was changed. Choose another name.",
  });
  await expect(writes.createService({ ...asked("db"), body })).rejects.toMatchObject({
    message: "a service named db already exists in us, the StatefulSet of the namespace team: choose another name",
  });
  expect(writes.sent("create")).toEqual([]);
});

test("the parts of a service need no right on its finalizers, and those left by an earlier one are waited for", async () => {
  let creates = 0;
  const { server, ...writes } = await town(({ verb, resource }) => {
    if (verb !== "create" || resource !== "services") return;
    creates += 1;
    // Kubernetes takes it away a moment after its Deployment.
    if (creates === 2) server.objects.remove("services", "team", "web");
  });
  const earlier = [{ kind: "Deployment", name: "web", uid: "of the earlier one", controller: true }];
  const { kind: _, ...left } = object("Service", "web", {
    metadata: { name: "web", ownerReferences: earlier },
    spec: { ports: [] },
  });
  server.objects.put("services", "team", left);

  await writes.createService({ ...request, body });

  const { uid } = server.objects.find("deployments", "team", "web")?.metadata ?? {};
  expect(server.objects.find("services", "team", "web")?.metadata["ownerReferences"]).toEqual([
    { apiVersion: "apps/v1", kind: "Deployment", name: "web", uid, controller: true },
  ]);
  expect(server.objects.find("deployments", "team", "web")?.metadata["annotations"]).toMatchObject({
    "gantry/changed-by": "U0DANA",
    "gantry/change": "ABC123",
  });
  expect(JSON.stringify(server.objects.find("deployments", "team", "web")?.["spec"])).not.toContain("U0DANA");
});
