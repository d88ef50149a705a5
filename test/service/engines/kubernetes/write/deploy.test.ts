import { describe, expect, test } from "vitest";
import type { AdoptedChange } from "../../../../../src/service/engines/kubernetes/cluster/cluster-config.ts";
import type { ServiceUpdate } from "../../../../../src/api/schema.ts";
import { changes } from "../../../../support/object-changes.ts";
import type { FakeOptions } from "../support/fake-api-server.ts";
import { controllerRevision, daemonSet, deployment, replicaSet, statefulSet } from "../support/sent-objects.ts";
import { apiTown, asked } from "./support/scripted-cluster.ts";

const workloads = { deployments: deployment, statefulsets: statefulSet, daemonsets: daemonSet } as const;
type Resource = keyof typeof workloads;
const resources: readonly Resource[] = ["deployments", "statefulsets", "daemonsets"];

const secret = { secretKeyRef: { name: "db", key: "password" } };
const env = [
  { name: "LEVEL", value: "info" },
  { name: "PASSWORD", valueFrom: { ...secret } },
  { name: "OLD", value: "1" },
  { name: "URL", value: "http://$(LEVEL)/" },
];
const sidecar = { name: "proxy", image: "envoy:1", env: [{ name: "LEVEL", value: "warn" }] };
const app = (image: string) => ({
  name: "app",
  image,
  env,
  livenessProbe: { httpGet: { path: "/", port: 80 } },
  resources: { limits: { memory: "256Mi", cpu: "1" } },
});
const podSpec = { containers: [app("shop/app:2"), sidecar], nodeSelector: { disk: "fast" } };

type Spec = { readonly template: { readonly spec: { readonly containers: readonly { readonly env?: object[] }[] } } };

const request = { ...asked("web"), asked: { person: "U0DANA", request: "ABC123" } };

type Adopted = { readonly initContainers?: readonly object[]; readonly allow?: readonly AdoptedChange[] };

/** The workload `web` at its second revision; the first is kept. */
async function town(
  resource: Resource = "deployments",
  more: Pick<FakeOptions, "onRequest"> = {},
  { initContainers, allow = ["image"] }: Adopted = {},
) {
  const { server, sent: sentTo, ...writes } = await apiTown({ adopt: { workloads: "all", allow } }, more);
  const annotations = { "deployment.kubernetes.io/revision": "2", "team/on-call": "shop" };
  const isBare = resource === "daemonsets";
  const { kind: _, ...sent } = workloads[resource]("web", {
    metadata: isBare ? {} : { annotations },
    podSpec: { ...podSpec, ...(initContainers && { initContainers }) },
  });
  const { uid } = server.objects.put(resource, "team", sent).metadata;
  const first = {
    containers: [{ ...app("shop/app:1"), env: env.slice(0, 1) }],
    terminationGracePeriodSeconds: 5,
  };
  const kept = [
    { of: "web", uid, number: 1, hash: "aaa", podSpec: first },
    { of: "web", uid, number: 2, hash: "bbb", podSpec },
  ];
  const place = resource === "deployments" ? "replicasets" : "controllerrevisions";
  for (const each of kept) {
    const owner = resource === "statefulsets" ? "StatefulSet" : "DaemonSet";
    server.objects.put(place, "team", place === "replicasets" ? replicaSet(each) : controllerRevision(owner, each));
  }
  const whole = () => server.objects.find(resource, "team", "web");
  const spec = () => whole()?.["spec"] as Spec; // of each of them
  const patches = () => sentTo("patch");
  const update = (body: ServiceUpdate) => writes.updateService({ ...request, body });
  /** What an update wrote; the notes of who asked are the same for each. */
  const wrote = async (body: ServiceUpdate): Promise<string[]> => {
    const before = whole();
    await update(body);
    return changes(before, whole()).filter((each) => !/gantry\/change|^\/metadata\/annotations:/u.test(each));
  };
  return { server, whole, spec, first, patches, update, wrote };
}

const containers = "/spec/template/spec/containers";

test.each(resources)("another image of a container of %s writes that image and nothing else", async (resource) => {
  const { wrote, whole } = await town(resource);

  expect(await wrote({ containers: [{ image: "shop/app:3" }] })).toEqual([
    `${containers}/0/image: "shop/app:2" → "shop/app:3"`,
  ]);
  expect(await wrote({ containers: [{ name: "proxy", image: "envoy:2" }] })).toEqual([
    `${containers}/1/image: "envoy:1" → "envoy:2"`,
  ]);
  expect(whole()?.metadata["annotations"]).toMatchObject({ "gantry/changed-by": "U0DANA", "gantry/change": "ABC123" });
});

describe("containers that start before the others", () => {
  const init = [
    { name: "migrate", image: "shop/migrate:1", command: ["up"] },
    { name: "mesh", image: "mesh:1", restartPolicy: "Always" },
  ];
  const place = "/spec/template/spec/initContainers";

  test.each(resources)("of %s get another image by their name", async (resource) => {
    const { wrote } = await town(resource, {}, { initContainers: init });

    expect(await wrote({ containers: [{ name: "app" }, { name: "migrate", image: "shop/migrate:2" }] })).toEqual([
      `${place}/0/image: "shop/migrate:1" → "shop/migrate:2"`,
    ]);
    expect(
      await wrote({
        containers: [
          { name: "mesh", image: "mesh:2" },
          { name: "app", image: "shop/app:3" },
        ],
      }),
    ).toEqual([`${containers}/0/image: "shop/app:2" → "shop/app:3"`, `${place}/1/image: "mesh:1" → "mesh:2"`]);
  });

  test("take nothing else, and an unknown name is told those that there are", async () => {
    const { update, patches } = await town("deployments", {}, { initContainers: init });

    await expect(update({ containers: [{ name: "mesh", env: { remove: ["A"] } }] })).rejects.toMatchObject({
      status: 400,
      message: "mesh of web starts before its containers: only its image can be changed",
    });
    const twice = { name: "mesh", image: "mesh:2" };
    await expect(update({ containers: [twice, twice] })).rejects.toThrow("containers has mesh twice");
    await expect(update({ containers: [{ name: "mash", image: "mesh:2" }] })).rejects.toMatchObject({
      status: 400,
      message: "containers[0] isn't a container of this service: it has app, proxy, migrate, mesh",
    });
    expect(patches()).toEqual([]);
  });

  test("that have the image already aren't written", async () => {
    const { update, patches } = await town("deployments", {}, { initContainers: init });

    await update({ containers: [{ name: "mesh", image: "mesh:1" }] });

    expect(patches()).toEqual([]);
  });

  test("need adopt.allow to have image", async () => {
    const { update, patches } = await town("deployments", {}, { initContainers: init, allow: [] });

    await expect(update({ containers: [{ name: "mesh", image: "mesh:2" }] })).rejects.toMatchObject({ status: 409 });
    expect(patches()).toEqual([]);
  });
});

test.each(resources)("variables of %s are set and removed by name, those of a Secret stay", async (resource) => {
  const { wrote } = await town(resource);

  const set = [
    { name: "NEW", value: "$(HOME) costs $5" },
    { name: "LEVEL", value: "debug" },
  ];
  expect(await wrote({ containers: [{ env: { set, remove: ["OLD", "NEVER"] } }] })).toEqual([
    `${containers}/0/env/0/value: "info" → "debug"`,
    `${containers}/0/env/2/name: "OLD" → "URL"`,
    `${containers}/0/env/2/value: "1" → "http://$(LEVEL)/"`,
    `${containers}/0/env/3/name: "URL" → "NEW"`,
    // The program sees it as it was sent.
    `${containers}/0/env/3/value: "http://$(LEVEL)/" → "$$(HOME) costs $5"`,
  ]);
});

test("a variable of a Secret is replaced when somebody sets it, also to nothing, and removed like any other", async () => {
  const { wrote, update, spec } = await town();

  expect(await wrote({ containers: [{ env: { set: [{ name: "PASSWORD" }] } }] })).toEqual([
    `${containers}/0/env/1/valueFrom: ${JSON.stringify(secret)} → undefined`,
    `${containers}/0/env/1/value: undefined → ""`,
  ]);
  await update({ containers: [{ env: { remove: ["PASSWORD"] } }] });
  expect(JSON.stringify(spec())).not.toContain("PASSWORD");
});

test("a variable that was written twice is set once", async () => {
  const { update, spec, server } = await town();
  const twice = [
    { name: "A", value: "1" },
    { name: "B", value: "2" },
    { name: "A", value: "3" },
  ];
  const { kind: _, ...sent } = deployment("web", { podSpec: { containers: [{ ...app("shop/app:2"), env: twice }] } });
  server.objects.put("deployments", "team", sent);

  await update({ containers: [{ env: { set: [{ name: "A", value: "4" }] } }] });

  expect(spec().template.spec.containers[0]?.env).toEqual([
    { name: "B", value: "2" },
    { name: "A", value: "4" },
  ]);
});

test("image, variables, memory and size of one update are one patch", async () => {
  const { server, ...web } = await town();
  const { kind: _, ...sent } = deployment("web", {
    metadata: { labels: { "app.kubernetes.io/managed-by": "gantry", "gantry/service": "web" } },
    podSpec,
  });
  server.objects.put("deployments", "team", sent);
  const limits = { memory: 512 };

  const body = {
    target_instance_size: 4,
    containers: [{ image: "shop/app:3", env: { remove: ["OLD", "URL", "PASSWORD"] }, resources: { limits } }],
  };
  expect(await web.wrote(body)).toEqual(
    expect.arrayContaining([
      "/spec/replicas: 2 → 4",
      `${containers}/0/image: "shop/app:2" → "shop/app:3"`,
      `${containers}/0/resources/limits/memory: "256Mi" → "512Mi"`,
    ]),
  );
  expect(web.patches()).toHaveLength(1);
});

describe("how a rollout is judged", () => {
  const own = { "app.kubernetes.io/managed-by": "gantry", "gantry/service": "web" };

  async function ownTown(spec: { readonly progressDeadlineSeconds?: number; readonly minReadySeconds?: number }) {
    const { server, ...web } = await town();
    const { kind: _, ...sent } = deployment("web", { metadata: { labels: own }, podSpec, spec });
    server.objects.put("deployments", "team", sent);
    return web;
  }

  test.each([{}, { progressDeadlineSeconds: 600 }])(
    "is set with the next deploy of a service that Gantry made before it set that: %o",
    async (spec) => {
      const { wrote } = await ownTown(spec);

      expect(await wrote({ target_instance_size: 4 })).toEqual(["/spec/replicas: 2 → 4"]);
      expect(await wrote({ containers: [{ resources: { limits: { memory: 512 } } }] })).not.toContainEqual(
        expect.stringContaining("progressDeadlineSeconds"),
      );
      expect(await wrote({ containers: [{ image: "shop/app:3" }] })).toEqual([
        `${containers}/0/image: "shop/app:2" → "shop/app:3"`,
        expect.stringMatching(/^\/spec\/progressDeadlineSeconds: .*120$/u),
        // It has no mapped port.
        "/spec/minReadySeconds: undefined → 5",
      ]);
      expect(await wrote({ containers: [{ image: "shop/app:4" }] })).toEqual([
        `${containers}/0/image: "shop/app:3" → "shop/app:4"`,
      ]);
    },
  );

  test("stays as somebody chose it", async () => {
    const { wrote } = await ownTown({ progressDeadlineSeconds: 900, minReadySeconds: 0 });

    expect(await wrote({ containers: [{ image: "shop/app:3" }] })).toEqual([
      `${containers}/0/image: "shop/app:2" → "shop/app:3"`,
    ]);
  });
});

test("what is so already is not written", async () => {
  const { update, patches } = await town();

  await update({ containers: [{ image: "shop/app:2", env: { set: [{ name: "LEVEL", value: "info" }] } }] });
  await update({ containers: [{ env: { remove: ["NEVER"] } }] });
  await update({ revision: 2 });

  expect(patches()).toEqual([]);
});

test.each(resources)("going back puts the template of that revision of %s in place, memory too", async (resource) => {
  const { update, whole, spec, first, server } = await town(resource);
  const annotations = whole()?.metadata["annotations"];
  const before = spec();
  const kept = server.objects.all("replicasets", "team");

  await update({ revision: 1 });

  const template = { metadata: { labels: { app: "web" } }, spec: { restartPolicy: "Always", ...first } };
  expect(spec()).toEqual({ ...before, template });
  expect(whole()?.metadata["annotations"]).toEqual({
    ...(annotations as object), // texts
    "gantry/changed-by": "U0DANA",
    "gantry/change": "ABC123",
  });
  expect(server.objects.all("replicasets", "team")).toEqual(kept);
});

test("a revision that isn't kept is refused with those that are, and nothing is written", async () => {
  const { update, patches } = await town();

  await expect(update({ revision: 7 })).rejects.toMatchObject({
    status: 409,
    message: "revision 7 of service web isn't kept: it has 2, 1. Nothing was changed.",
  });
  expect(patches()).toEqual([]);
});

test("who may not list revisions can't go back, and reads which right is missing", async () => {
  const { update, server, patches } = await town();
  const message =
    'replicasets.apps is forbidden: User "ada" cannot list resource "replicasets" in API group "apps" in the namespace "team"';
  server.fail("list replicasets", { status: 403, message });

  await expect(update({ revision: 1 })).rejects.toMatchObject({
    status: 403,
    message: expect.stringContaining("may not list replicasets"),
  });
  expect(patches()).toEqual([]);
});

test.each(resources)(
  "somebody's newer change of %s is judged again, and never overwritten unseen",
  async (resource) => {
    let isFirst = true;
    const web = await town(resource, {
      onRequest({ verb }) {
        if (verb !== "patch" || !isFirst) return;
        isFirst = false;
        const template = { ...web.spec().template, spec: { containers: [app("shop/app:9")] } };
        web.server.objects.put(resource, "team", { ...web.whole(), spec: { ...web.spec(), template } });
        // Kubernetes numbers what was gone back to.
        const place = resource === "deployments" ? "replicasets" : "controllerrevisions";
        web.server.objects.remove(place, "team", "web-aaa");
      },
    });

    await expect(web.update({ revision: 1 })).rejects.toMatchObject({ status: 409 });

    expect(JSON.stringify(web.whole())).toContain("shop/app:9");
    expect(web.patches()).toHaveLength(1);
  },
);

test("what only its status says doesn't hold up the way back", async () => {
  const web = await town("deployments", {
    onRequest({ verb }) {
      if (verb !== "patch") return;
      web.server.objects.put("deployments", "team", { ...web.whole(), status: { observedGeneration: 1, replicas: 3 } });
    },
  });

  await web.update({ revision: 1 });

  expect(JSON.stringify(web.whole())).toContain("shop/app:1");
  expect(web.patches()).toHaveLength(1);
});
