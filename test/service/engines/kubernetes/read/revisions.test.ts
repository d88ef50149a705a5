import { describe, expect, test } from "vitest";
import { jobKinds, serviceKinds } from "../../../../../src/service/engines/kubernetes/cache/namespace-cache.ts";
import { readOperations } from "../../../../../src/service/engines/kubernetes/read/read-operations.ts";
import { until } from "../../../../support/until.ts";
import { openCachedCluster } from "../support/cached-cluster.ts";
import { config, namespacesOf, quiet } from "../support/known-objects.ts";
import {
  controllerRevision,
  CREATED,
  daemonSet,
  deployment,
  pod,
  replicaSet,
  statefulSet,
} from "../support/sent-objects.ts";
import { at } from "../support/status-at.ts";
import { stillClock } from "../../../../support/test-clock.ts";

type Changed = Parameters<typeof deployment>[1];
type Kept = Omit<Parameters<typeof replicaSet>[0], "of" | "uid">;

/** A cluster at half past twelve. */
async function town() {
  const kinds = [...new Set([...serviceKinds(config), ...jobKinds(config)])];
  const { server, api, cacheOf } = await openCachedCluster({ kinds });
  const { objects } = server;
  const region = { config, api, version: "v1.20.2", namespaces: namespacesOf(config), cacheOf, evidenceIn: quiet };
  const reads = readOperations({
    regions: new Map([["us", region]]),
    clock: stillClock(new Date(at("12:30:00"))),
  });
  const asked = { user: { username: "dana" }, signal: new AbortController().signal, query: undefined, body: undefined };
  return {
    server,
    put: (resource: string, object: object) => objects.put(resource, "team", object).metadata,
    service: (name: string) => reads.getService({ ...asked, path: { region: "us", service_name: name } }),
    listed: async () => (await reads.listServices({ ...asked, path: { region: "us" } })).services ?? [],
  };
}

type Town = Awaited<ReturnType<typeof town>>;

/** The Deployment `web`, its ReplicaSets, and one pod for each of these hashes. */
function putWeb({ put }: Town, changed: Changed, kept: readonly Kept[], pods: readonly (readonly [string, object?])[]) {
  const { uid } = put("deployments", deployment("web", changed));
  for (const each of kept) put("replicasets", replicaSet({ of: "web", uid, ...each }));
  for (const [index, [hash, more]] of pods.entries()) {
    put("pods", pod(`web-${hash}-${index}`, { of: { kind: "Deployment", name: "web" }, hash, ...more }));
  }
}

const revision = (number: number) => ({ annotations: { "deployment.kubernetes.io/revision": String(number) } });
const image = (tag: string) => ({ containers: [{ name: "app", image: `shop/app:${tag}` }] });
const one: Kept = { number: 1, hash: "aaa", podSpec: image("1"), createdAt: at("12:00:00") };
const two: Kept = { number: 2, hash: "bbb", podSpec: image("2"), createdAt: at("12:10:00") };
const young = { metadata: { creationTimestamp: at("12:10:01") } };
const noImage = {
  ...young,
  status: { conditions: [{ type: "Ready", status: "False", lastTransitionTime: at("12:10:01") }] },
  app: { ready: false, state: { waiting: { reason: "ImagePullBackOff", message: "no such image" } } },
};
/** While `bbb` takes the place of `aaa`. */
const updating = {
  metadata: revision(2),
  status: {
    replicas: 3,
    updatedReplicas: 1,
    conditions: [{ type: "Progressing", status: "True", reason: "ReplicaSetUpdated", lastTransitionTime: CREATED }],
  },
};

test("a Deployment tells its newest ten revisions, and none of others with its labels", async () => {
  const world = await town();
  const numbers = Array.from({ length: 12 }, (_, index) => index + 1);
  const kept = numbers.map((number) => ({
    number,
    hash: `h${number}`,
    podSpec: image(String(number)),
    createdAt: at(`12:${String(number).padStart(2, "0")}:00`),
  }));
  const conditions = [
    { type: "Progressing", status: "True", reason: "NewReplicaSetAvailable", lastUpdateTime: at("12:12:40") },
  ];
  putWeb(world, { metadata: revision(12), status: { conditions } }, kept, [["h12"], ["h12"]]);
  world.put("replicasets", replicaSet({ of: "web", uid: "an earlier web", number: 40, hash: "old" }));

  const { revision: current, revisions = [], rollout } = await world.service("web");

  expect(current).toBe(12);
  expect(revisions.map((each) => each.revision)).toEqual([12, 11, 10, 9, 8, 7, 6, 5, 4, 3]);
  expect(revisions.slice(0, 2)).toEqual([
    {
      revision: 12,
      images: ["shop/app:12"],
      created_at: at("12:12:00"),
      outcome: "done",
      ended_at: at("12:12:40"),
    },
    { revision: 11, images: ["shop/app:11"], created_at: at("12:11:00") },
  ]);
  expect(rollout).toEqual({
    from: 11,
    to: 12,
    state: "done",
    updated: 2,
    ready: 2,
    old_ready: 0,
    target: 2,
    since: at("12:12:00"),
    ended_at: at("12:12:40"),
  });
  expect(await world.listed()).toEqual([expect.objectContaining({ revision: 12 })]);
  expect((await world.listed())[0]).not.toHaveProperty("rollout");
});

test("a rollout tells how many new and old instances are ready, alone and in a list", async () => {
  const world = await town();
  putWeb(world, updating, [one, two], [["aaa"], ["aaa"], ["bbb", young]]);

  const counts = { state: "progressing", updated: 1, ready: 1, old_ready: 2, target: 2, to: 2 };
  expect((await world.service("web")).rollout).toEqual({ ...counts, from: 1, since: at("12:10:00") });
  expect((await world.service("web")).revisions).toMatchObject([{ revision: 2 }, { revision: 1 }]);
  expect(JSON.stringify((await world.service("web")).revisions)).not.toContain("outcome");
  expect((await world.listed())[0]?.rollout).toEqual(counts);
});

test("one whose new instances don't get ready is stuck, and says why", async () => {
  const world = await town();
  putWeb(world, updating, [one, two], [["aaa"], ["aaa"], ["bbb", noImage]]);

  const message = "ImagePullBackOff: no such image (web-bbb-2)";
  const stuck = { state: "stuck", updated: 1, ready: 0, old_ready: 2, message };
  expect(await world.service("web")).toMatchObject({
    status: "Failed",
    message,
    rollout: { from: 1, to: 2, ...stuck },
  });
  expect((await world.listed())[0]?.rollout).toMatchObject(stuck);
});

test("one after another that didn't get ready replaces what serves, not that other one", async () => {
  const world = await town();
  const three: Kept = { number: 3, hash: "ccc", podSpec: image("3"), createdAt: at("12:20:00") };
  const third = { ...updating, metadata: revision(3) };
  putWeb(world, third, [one, two, three], [["aaa"], ["aaa"], ["bbb", noImage], ["ccc", noImage]]);

  expect((await world.service("web")).rollout).toMatchObject({ from: 1, to: 3, state: "stuck" });
});

test("going back counts the instances that still run as the new ones, though others are younger", async () => {
  const world = await town();
  const back = { ...updating, metadata: revision(3), status: { ...updating.status, updatedReplicas: 2 } };
  putWeb(world, back, [{ ...one, number: 3 }, two], [["aaa"], ["aaa"], ["bbb", noImage]]);

  expect(await world.service("web")).toMatchObject({
    status: "Updating",
    revision: 3,
    revisions: [
      { revision: 3, images: ["shop/app:1"] },
      { revision: 2, images: ["shop/app:2"] },
    ],
    rollout: { from: 2, to: 3, state: "progressing", updated: 2, ready: 2, old_ready: 0 },
  });
  // Its ReplicaSet is from before.
  expect((await world.service("web")).rollout).not.toHaveProperty("since");
});

test("a crash, a stop or a new size after it is no rollout", async () => {
  const world = await town();
  const crashing = { app: { ready: false, state: { waiting: { reason: "CrashLoopBackOff" } } } };
  const less = { availableReplicas: 1, readyReplicas: 1 };
  putWeb(world, { metadata: revision(2), status: less }, [one, two], [["bbb"], ["bbb", crashing]]);
  expect(await world.service("web")).toMatchObject({ status: "Failed", rollout: { state: "done" } });

  const scaled = {
    metadata: { ...revision(2), generation: 2 },
    spec: { replicas: 5 },
    status: { observedGeneration: 2 },
  };
  putWeb(world, scaled, [], []);
  await until(async () => (await world.service("web")).rollout?.target === 5);
  expect((await world.service("web")).rollout).toMatchObject({ state: "done" });

  const none = { replicas: 0, updatedReplicas: 0, readyReplicas: 0, availableReplicas: 0, observedGeneration: 9 };
  putWeb(world, { metadata: revision(2), spec: { replicas: 0 }, status: none }, [], []);
  await until(async () => (await world.service("web")).status === "Stopping");
  expect(await world.service("web")).not.toHaveProperty("rollout");
});

test("what its controller hasn't seen is no rollout yet, and never a done one", async () => {
  const world = await town();
  putWeb(world, { metadata: revision(2), status: { observedGeneration: 0 } }, [one, two], [["bbb"], ["bbb"]]);

  const seen = await world.service("web");
  expect(seen).toMatchObject({ status: "Updating" });
  expect(seen).not.toHaveProperty("rollout");
  expect(JSON.stringify(seen.revisions)).not.toContain("outcome");
});

test("a StatefulSet and a DaemonSet tell those of their ControllerRevisions", async () => {
  const world = await town();
  const { put } = world;
  const status = { currentRevision: "db-aaa", updateRevision: "db-bbb", updatedReplicas: 1 };
  const { uid: ofSet } = put("statefulsets", statefulSet("db", { status }));
  for (const kept of [one, two]) {
    put("controllerrevisions", controllerRevision("StatefulSet", { of: "db", uid: ofSet, ...kept }));
  }
  const set = { kind: "StatefulSet", name: "db" } as const;
  const owner = { ownerReferences: [{ ...set, uid: ofSet, controller: true }] };
  for (const hash of ["aaa", "bbb"]) {
    const labels = { app: "db", "controller-revision-hash": `db-${hash}` };
    const { kind: _, metadata, ...rest } = pod(`db-${hash}`, { of: set, metadata: { labels } });
    put("pods", { ...rest, metadata: { ...(metadata as object), ...owner } }); // of a pod
  }
  const { uid: ofDaemon } = put("daemonsets", daemonSet("agent"));
  for (const kept of [one, two]) {
    put("controllerrevisions", controllerRevision("DaemonSet", { of: "agent", uid: ofDaemon, ...kept }));
  }

  expect(await world.service("db")).toMatchObject({
    revision: 2,
    revisions: [{ revision: 2, images: ["shop/app:2"] }, { revision: 1 }],
    rollout: { from: 1, to: 2, state: "progressing", updated: 1, ready: 1, old_ready: 1, target: 2 },
  });
  expect(await world.service("agent")).toMatchObject({
    revision: 2,
    revisions: [{ revision: 2, outcome: "done" }, { revision: 1 }],
    rollout: { from: 1, to: 2, state: "done" },
  });
  const [db] = (await world.listed()).filter(({ name }) => name === "db");
  expect(db?.rollout).toMatchObject({ state: "progressing", updated: 1 });
});

test("pods that only a partition or their owner holds back are no rollout", async () => {
  const world = await town();
  const behind = { currentRevision: "a", updateRevision: "b", updatedReplicas: 0 };
  const onDelete = { updateStrategy: { type: "OnDelete" } };
  const partition = { updateStrategy: { type: "RollingUpdate", rollingUpdate: { partition: 2 } } };
  world.put("statefulsets", statefulSet("by-hand", { status: behind, spec: onDelete }));
  world.put("statefulsets", statefulSet("partly", { status: behind, spec: partition }));
  world.put("daemonsets", daemonSet("agent", { status: { updatedNumberScheduled: 1 }, spec: onDelete }));

  for (const name of ["by-hand", "partly", "agent"]) {
    expect(await world.service(name)).not.toHaveProperty("rollout");
  }
});

test.each([
  ["the right is missing", { status: 403, message: 'cannot list resource "replicasets" in API group "apps"' }],
  ["they can't be read now", { status: 500 }],
])("without revisions everything else is told: %s", async (_, fault) => {
  const world = await town();
  putWeb(world, updating, [one, two], [["aaa"], ["aaa"], ["bbb", young]]);
  world.server.fail("list replicasets", fault);

  const told = await world.service("web");

  expect(told).toMatchObject({ revision: 2, rollout: { to: 2, state: "progressing", ready: 1, old_ready: 2 } });
  expect(told).not.toHaveProperty("revisions");
});

test("a selector is sent as the cluster reads it", async () => {
  const world = await town();
  const matchExpressions = [
    { key: "tier", operator: "In", values: ["front", "back"] },
    { key: "env", operator: "NotIn", values: ["test"] },
    { key: "app", operator: "Exists" },
    { key: "canary", operator: "DoesNotExist" },
  ];
  world.put(
    "deployments",
    deployment("web", { spec: { selector: { matchLabels: { app: "web" }, matchExpressions } } }),
  );

  await world.service("web");

  const asked = world.server.requests.find(({ resource }) => resource === "replicasets");
  expect(asked?.query.get("labelSelector")).toBe("app=web,tier in (front,back),env notin (test),app,!canary");
});

describe("the digest of an image", () => {
  const digest = (digit: string) => `sha256:${digit.repeat(64)}`;
  const running = (tag: string, imageID: string) => ({
    spec: { containers: [{ name: "app", image: `shop/app:${tag}` }] },
    app: { imageID },
  });
  const [app1, app2] = ["1", "2"].map((digit) => `docker.io/shop/app@${digest(digit)}`) as [string, string]; // two
  const digestIn = async (world: Town) => (await world.service("web")).containers?.[0]?.image_digest;

  test("is what all ready pods run, in reads and lists", async () => {
    const world = await town();
    const waiting = { status: noImage.status, ...running("1", ""), app: { ...noImage.app, imageID: "" } };
    putWeb(
      world,
      {},
      [one],
      [
        ["aaa", running("1", app1)],
        ["aaa", running("1", app1)],
        ["aaa", waiting],
      ],
    );

    expect(await digestIn(world)).toBe(digest("1"));
    expect((await world.listed())[0]?.containers?.[0]?.image_digest).toBe(digest("1"));
  });

  test("of the old version isn't told of the new one", async () => {
    const world = await town();
    const old = running("1", app1);
    const changed = { ...updating, podSpec: image("2") };
    putWeb(
      world,
      changed,
      [one, two],
      [
        ["aaa", old],
        ["aaa", old],
        ["bbb", { ...young, ...running("2", app2) }],
      ],
    );

    expect(await digestIn(world)).toBe(digest("2"));
  });

  test("of containers that start before the others is told, where all pods ran the same", async () => {
    const world = await town();
    const initContainers = [
      { name: "migrate", image: "shop/migrate:1" },
      { name: "mesh", image: "mesh:1", restartPolicy: "Always" },
    ];
    const ran = (migrate: string) => ({
      spec: { containers: [{ name: "app", image: "shop/app:1" }], initContainers },
      status: {
        initContainerStatuses: [
          { name: "migrate", ready: true, restartCount: 0, imageID: migrate },
          { name: "mesh", ready: true, restartCount: 0, imageID: `docker.io/library/mesh@${digest("3")}` },
        ],
      },
    });
    const migrate = (digit: string) => ran(`docker.io/shop/migrate@${digest(digit)}`);
    putWeb(
      world,
      { podSpec: { initContainers } },
      [],
      [
        ["aaa", migrate("1")],
        ["aaa", migrate("2")],
      ],
    );

    const web = await world.service("web");
    expect(web.init_containers).toMatchObject([
      { name: "migrate", image: "shop/migrate:1" },
      { name: "mesh", image: "mesh:1", image_digest: digest("3") },
    ]);
    expect(web.sidecars).toMatchObject([{ name: "mesh", image_digest: digest("3") }]);
    expect(web.containers?.[0]).not.toHaveProperty("image_digest");
  });

  test("is that of pods of an adopted StatefulSet and DaemonSet, too", async () => {
    const world = await town();
    const ownedBy = ({ uid }: { readonly uid: string }) => ({
      of: undefined,
      metadata: { ownerReferences: [{ kind: "StatefulSet", name: "its owner", uid, controller: true }] },
    });
    const db = ownedBy(world.put("statefulsets", statefulSet("db")));
    const agent = ownedBy(world.put("daemonsets", daemonSet("agent")));
    world.put("pods", pod("db-0", { ...db, ...running("1", app1) }));
    world.put("pods", pod("agent-x", { ...agent, ...running("1", app2) }));

    const told = (await world.listed()).map(({ name, containers }) => [name, containers?.[0]?.image_digest]);
    expect(Object.fromEntries(told)).toEqual({ db: digest("1"), agent: digest("2") });
  });
});
