import { Ajv2020 } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import { describe, expect, test } from "vitest";
import { loadSpec } from "../../../../../src/service/api/contract.ts";
import { Refusal } from "../../../../../src/service/engine.ts";
import type { ClusterConfig } from "../../../../../src/service/engines/kubernetes/cluster/cluster-config.ts";
import { readOperations } from "../../../../../src/service/engines/kubernetes/read/read-operations.ts";
import {
  controllerRevision,
  daemonSet,
  deployment,
  job,
  object,
  replicaSet,
  statefulSet,
} from "../support/sent-objects.ts";
import { asked, scriptedCluster, writesOn } from "./support/scripted-cluster.ts";
import { type FoundService, findService } from "../../../../../src/service/engines/kubernetes/read/services.ts";
import {
  type Part,
  refuseAdoptedDeletion,
  refusePart,
} from "../../../../../src/service/engines/kubernetes/write/refused-operations.ts";
import { config, regionWith } from "../support/known-objects.ts";

const ajv = addFormats.default(new Ajv2020({ strict: false }));
ajv.addSchema(loadSpec(), "spec");
const conforms = (name: "Service" | "Job", answer: unknown): boolean =>
  ajv.validate(`spec#/components/schemas/${name}`, answer);

type Sent = Parameters<typeof deployment>[1];
type Workload = (changed: Sent) => ReturnType<typeof deployment>;
type Situation = {
  readonly workload: Workload;
  readonly autoscaled?: boolean;
  readonly allow?: ClusterConfig["adopt"]["allow"];
};

const helm = {
  labels: { "app.kubernetes.io/managed-by": "Helm" },
  annotations: { "meta.helm.sh/release-name": "shop" },
};
const argo = { labels: { "argocd.argoproj.io/instance": "web" } };
const gantry = { labels: { "app.kubernetes.io/managed-by": "gantry", "gantry/service": "shop" } };
const owned =
  (metadata: NonNullable<Sent>["metadata"]): Workload =>
  (changed) =>
    deployment("shop", { ...changed, ...(metadata && { metadata }) });

const making = { "gantry/making": JSON.stringify({ domains: [], claims: [] }) };

const services: Readonly<Record<string, Situation>> = {
  "of Helm": { workload: owned(helm) },
  "of Argo CD": { workload: owned(argo) },
  "of nobody known": { workload: owned(undefined) },
  "of nobody known, a StatefulSet": { workload: (changed) => statefulSet("shop", changed) },
  "of nobody known, a DaemonSet": { workload: (changed) => daemonSet("shop", changed) },
  "of Helm, with an autoscaler": { workload: owned(helm), autoscaled: true },
  "of Helm, that may be deleted": { workload: owned(helm), allow: ["delete"] },
  "of Helm, that may get other memory": { workload: owned(helm), allow: ["memory"] },
  "of Helm, that may get other images": { workload: owned(helm), allow: ["image"] },
  "of Gantry": { workload: owned(gantry) },
  "of Gantry, with an autoscaler": { workload: owned(gantry), autoscaled: true },
  "of Gantry that is still being made": { workload: owned({ ...gantry, annotations: making }) },
  "whose rollout is paused": {
    workload: (changed) => deployment("shop", { ...changed, spec: { ...changed?.spec, paused: true } }),
    allow: ["memory", "image"],
  },
  "whose pods are replaced by hand": {
    workload: (changed) =>
      statefulSet("shop", { ...changed, spec: { ...changed?.spec, updateStrategy: { type: "OnDelete" } } }),
    allow: ["memory", "image"],
  },
};

const request = asked("shop");
const ofJob = asked("tidy-1");

/** A cluster of its own for each operation, because some delete the workload. */
async function townWith(sent: readonly ReturnType<typeof deployment>[], allow: ClusterConfig["adopt"]["allow"] = []) {
  const cluster = scriptedCluster();
  for (const each of sent) {
    const { kind, ...body } = each;
    await cluster.api.create({ kind, namespace: "team" } as never, body); // as an API server stores it
  }
  const writes = writesOn(cluster.api, {
    adopt: { workloads: "all", allow },
    domains: { by: "ingress" },
  });
  return { ...writes, ...readOperations(writes.parts) };
}

type Town = Awaited<ReturnType<typeof townWith>>;

const none = { replicas: 0, updatedReplicas: 0, readyReplicas: 0, availableReplicas: 0, currentReplicas: 0 };

function serviceTown({ workload, autoscaled = false, allow }: Situation, replicas = 2): Promise<Town> {
  const ports = { containers: [{ name: "app", image: "shop/app:1", ports: [{ containerPort: 8080 }] }] };
  const scaler = object("HorizontalPodAutoscaler", "shop-hpa", {
    spec: { scaleTargetRef: { kind: "Deployment", name: "shop" } },
  });
  const kept = { of: "shop", number: 7, hash: "7d9" };
  return townWith(
    [
      replicaSet(kept),
      controllerRevision("StatefulSet", kept),
      workload({ spec: { replicas }, podSpec: ports, ...(replicas === 0 && { status: none }) }),
      ...(autoscaled ? [scaler] : []),
    ],
    allow,
  );
}

const update = (body: object) => (town: Town) => town.updateService({ ...request, body });

/** Every operation on a service, with the parts of an update; each would do something. */
const operations: readonly {
  readonly operation: string;
  readonly part?: string;
  readonly replicas?: number;
  readonly run: (town: Town) => Promise<unknown>;
}[] = [
  { operation: "deleteService", run: (town) => town.deleteService(request) },
  {
    operation: "updateService",
    part: "memory",
    run: update({ containers: [{ resources: { limits: { memory: "512" } } }] }),
  },
  { operation: "updateService", part: "image", run: update({ containers: [{ image: "shop/app:2" }] }) },
  { operation: "updateService", part: "env", run: update({ containers: [{ env: { set: [{ name: "LEVEL" }] } }] }) },
  { operation: "updateService", part: "revision", run: update({ revision: 7 }) },
  { operation: "updateService", part: "domains", run: update({ binding_domain_name: ["a.example.com"] }) },
  { operation: "updateService", part: "size", run: update({ target_instance_size: 3 }) },
  { operation: "startService", replicas: 0, run: (town) => town.startService(request) },
  { operation: "stopService", run: (town) => town.stopService(request) },
  { operation: "restartService", run: (town) => town.restartService(request) },
];

/** The text of its refusal; undefined when it is done. */
async function refusal(run: Promise<unknown>): Promise<string | undefined> {
  try {
    await run;
    return undefined;
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    return error.message;
  }
}

test.each([
  ["whose rollout is paused", "its rollout is paused. Resume it with `kubectl rollout resume`"],
  ["whose pods are replaced by hand", "its update strategy is OnDelete. Delete its pods with kubectl"],
])("a service %s refuses all that would replace its instances, and says what to do", async (name, why) => {
  const town = await serviceTown(services[name] ?? { workload: owned(gantry) });
  const { refused_operations: listed = [] } = await town.getService(request);

  const refused = listed.filter(({ reason }) => reason?.includes(why));
  expect(refused.map(({ operation, part = operation }) => part)).toEqual(
    expect.arrayContaining(["memory", "image", "env", "revision", "restartService"]),
  );
});

/** The same before anybody tried. */
const short = (message: string) => message.replace(" Nothing was changed.", "").replace(/^service/u, "Service");

describe.each(Object.keys(services))("a service %s", (name) => {
  const situation = services[name];
  if (!situation) throw new Error(`there is no ${name}`);

  test.each(operations)("refuses $operation $part if and only if its answer says so", async (each) => {
    const { operation, part, replicas, run } = each;
    const town = await serviceTown(situation, replicas);
    const { refused_operations: listed = [] } = await town.getService(request);

    const told = await refusal(run(town));

    const found = listed.filter((other) => other.operation === operation && other.part === part);
    expect(found.map(({ reason }) => reason)).toEqual(told === undefined ? [] : [short(told)]);
  });

  test("is answered as openapi.yaml says, alone and in a list", async () => {
    const town = await serviceTown(situation);
    const alone = await town.getService(request);
    const { services: listed } = await town.listServices(request);

    expect([alone, ...listed].map((each) => conforms("Service", each))).toEqual([true, true]);
    expect(listed[0]).not.toHaveProperty("refused_operations");
    expect(listed[0]?.managed_by).toBe(alone.managed_by);
  });
});

test("a service says who manages it and what sets its size, and one of Gantry's says neither", async () => {
  const said = async (name: string) => {
    const { managed_by, size_set_by, refused_operations } = await (
      await serviceTown(services[name] ?? { workload: owned(undefined) })
    ).getService(request);
    return { managed_by, size_set_by, refused: refused_operations?.length };
  };

  expect(await said("of Helm, with an autoscaler")).toEqual({
    managed_by: "Helm release shop",
    size_set_by: "autoscaler shop-hpa",
    refused: 9,
  });
  expect(await said("of Argo CD")).toMatchObject({ managed_by: "Argo CD application web", refused: 6 });
  expect(await said("of nobody known")).toMatchObject({ managed_by: undefined, refused: 6 });
  expect(await said("of Gantry")).toEqual({ managed_by: undefined, size_set_by: undefined, refused: undefined });
});

const tidy = { ownerReferences: [{ kind: "CronJob", name: "tidy", uid: "u", controller: true }] };

const jobs: readonly {
  readonly whose: string;
  readonly changed: Sent;
  readonly allow?: Situation["allow"];
  readonly owner?: string;
}[] = [
  { whose: "of a CronJob", changed: { metadata: tidy }, owner: "CronJob tidy" },
  { whose: "of a CronJob, that may be deleted", changed: { metadata: tidy }, allow: ["delete"], owner: "CronJob tidy" },
  { whose: "of nobody known", changed: {} },
  {
    whose: "of Gantry",
    changed: { metadata: { labels: { "app.kubernetes.io/managed-by": "gantry", "gantry/job": "tidy-1" } } },
  },
];

test.each(jobs)("a job $whose refuses to be deleted if and only if its answer says so", async (each) => {
  const { changed, allow, owner } = each;
  const town = await townWith([job("tidy-1", changed)], allow);
  const answer = await town.getJob(ofJob);
  const { jobs: listed } = await town.listJobs(ofJob);

  const told = await refusal(town.deleteJob(ofJob));

  expect(answer.managed_by).toBe(owner);
  expect(answer.refused_operations).toEqual(
    told === undefined ? undefined : [{ operation: "deleteJob", reason: short(told) }],
  );
  expect([answer, ...listed].map((other) => conforms("Job", other))).toEqual([true, true]);
});

function adopted(changed: Parameters<typeof deployment>[1] = {}, others: Parameters<typeof regionWith>[0] = []) {
  const region = regionWith([deployment("shop", changed), ...others]);
  const now = new Date("2026-11-22T12:30:00Z");
  const found = findService(region, { namespaces: ["team"], username: "dana", now, name: "shop" });
  if (!found) throw new Error("shop isn't there");
  return found;
}

function adoptedRefusal(found: FoundService, change: "delete" | Part, allow: ClusterConfig["adopt"]["allow"] = []) {
  try {
    const adopting = { adopt: { ...config.adopt, allow } };
    if (change === "delete") refuseAdoptedDeletion(found, adopting);
    else refusePart(found, change, adopting);
  } catch (error) {
    return error;
  }
  return undefined;
}

describe("a workload that Gantry didn't create", () => {
  const helm = adopted({
    metadata: {
      labels: { "app.kubernetes.io/managed-by": "Helm" },
      annotations: { "meta.helm.sh/release-name": "shop", "meta.helm.sh/release-namespace": "team" },
    },
  });

  const changes = ["delete", "memory", "image", "env", "revision", "domains"] as const;

  test("isn't deleted or given anything other than a size, and the sentence names its owner", () => {
    const refusals = changes.map((change) => adoptedRefusal(helm, change));

    expect(refusals).toMatchObject(changes.map(() => ({ status: 409 })));
    expect(refusals.map((each) => (each as Error).message)).toMatchInlineSnapshot(`
      [
        "Gantry may not delete service shop: it belongs to Helm release shop. Nothing was changed. Delete it there, or allow it with adopt.allow in SERVICE_CLUSTERS.",
        "Gantry may not change the memory of service shop: it belongs to Helm release shop. Nothing was changed. Change it there, or allow it with adopt.allow in SERVICE_CLUSTERS.",
        "Gantry may not change the image of service shop: it belongs to Helm release shop. Nothing was changed. Change it there, or allow it with adopt.allow in SERVICE_CLUSTERS.",
        "Gantry may not change the environment variables of service shop: it belongs to Helm release shop. Nothing was changed. Change them there, or allow it with adopt.allow in SERVICE_CLUSTERS.",
        "Gantry may not roll back service shop: it belongs to Helm release shop. Nothing was changed. Roll it back there, or allow it with adopt.allow in SERVICE_CLUSTERS.",
        "Gantry may not change the domains of service shop: it belongs to Helm release shop. Nothing was changed. Change them there.",
      ]
    `); // refusals are errors
  });

  test("of nobody known says so", () => {
    expect((adoptedRefusal(adopted(), "delete") as Error).message).toMatchInlineSnapshot(
      `"Gantry may not delete service shop: somebody else created it. Nothing was changed. Delete it where it was created, or allow it with adopt.allow in SERVICE_CLUSTERS."`,
    ); // a refusal is an error
  });

  test("is changed when that is switched on, except for its domains", () => {
    expect(adoptedRefusal(helm, "delete", ["delete"])).toBeUndefined();
    expect(adoptedRefusal(helm, "memory", ["memory"])).toBeUndefined();
    expect(adoptedRefusal(helm, "memory", ["delete"])).toBeDefined();
    for (const change of ["image", "env", "revision"] as const) {
      expect(adoptedRefusal(helm, change, ["image"])).toBeUndefined();
      expect(adoptedRefusal(helm, change, ["delete", "memory"])).toBeDefined();
    }
    expect(adoptedRefusal(helm, "domains", ["delete", "memory", "image"])).toBeDefined();
  });
});

const off = JSON.stringify([{ type: "ScalingActive", status: "False", reason: "ScalingDisabled" }]);
const failing = JSON.stringify([{ type: "ScalingActive", status: "False", reason: "FailedGetExternalMetric" }]);
const conditions = (text: string) => ({ annotations: { "autoscaling.alpha.kubernetes.io/conditions": text } });
const scaledObject = { ownerReferences: [{ kind: "ScaledObject", name: "shop", uid: "k", controller: true }] };
const idle = (words: string) => ({
  status: "Idle",
  message: undefined,
  size_set_by: words,
  target_instance_size: 0,
  start: `service shop can't be started: it is idle, and the ${words} brings it back. Nothing was changed. To keep instances, raise the autoscaler's minimum.`,
  stop: `service shop can't be stopped: the ${words} sets its size. Nothing was changed. Change the autoscaler's limits, or remove it.`,
  scale: `service shop can't be scaled: the ${words} sets its size. Nothing was changed. Change the autoscaler's limits, or remove it.`,
  restart: "service shop is idle and can't be restarted: it has no instances",
});
const switchedOff = (size: number) => ({
  status: "Stopped",
  message: "autoscaler shop-hpa is off until the service is started",
  size_set_by: "autoscaler shop-hpa",
  target_instance_size: size,
  start: undefined,
  stop: "service shop is stopped and can't be stopped: nothing to stop",
  scale:
    "service shop can't be scaled: the autoscaler shop-hpa sets its size as soon as it runs. Nothing was changed. Start it.",
  restart: "service shop is stopped and can't be restarted: start it first",
});

/** A service without instances, by its autoscaler: what is answered, and what each move is refused with. */
const withoutInstances: readonly (readonly [
  string,
  { readonly least?: number; readonly metadata?: object; readonly notes?: Readonly<Record<string, string>> },
  object,
])[] = [
  ["whose minimum is 0", { least: 0 }, idle("autoscaler shop-hpa")],
  [
    "whose minimum is 0 and that lacks metrics",
    { least: 0, metadata: conditions(failing) },
    idle("autoscaler shop-hpa"),
  ],
  [
    "whose minimum is 0, asked for 0 before",
    { least: 0, notes: { "gantry/idle": "true" } },
    idle("autoscaler shop-hpa"),
  ],
  [
    "of KEDA, whose own is off at 0",
    { metadata: { ...scaledObject, ...conditions(off) } },
    idle("KEDA ScaledObject shop"),
  ],
  ["that Kubernetes switched off", { least: 2, metadata: conditions(off) }, switchedOff(2)],
  ["that Kubernetes hasn't switched off yet", {}, switchedOff(1)],
  ["that is off although its minimum is 0", { least: 0, metadata: conditions(off) }, switchedOff(1)],
  [
    "that is off, stopped by Gantry with no instance before",
    { least: 0, metadata: conditions(off), notes: { "gantry/size": "0" } },
    switchedOff(1),
  ],
  ["that is off, asked for 0 before", { notes: { "gantry/idle": "true" } }, switchedOff(1)],
  ["that is off, stopped by Gantry before", { notes: { "gantry/size": "3" } }, switchedOff(3)],
  ["that is off, stopped with fewer than its minimum", { least: 2, notes: { "gantry/size": "1" } }, switchedOff(2)],
  ["with conditions that are none", { least: 0, metadata: conditions("{") }, idle("autoscaler shop-hpa")],
];

test.each(withoutInstances)(
  "without instances, with an autoscaler %s",
  async (_, { least, metadata, notes }, expected) => {
    const scaler = object("HorizontalPodAutoscaler", "shop-hpa", {
      metadata: { name: "shop-hpa", ...metadata },
      spec: {
        scaleTargetRef: { kind: "Deployment", name: "shop" },
        ...(least !== undefined && { minReplicas: least }),
      },
    });
    const annotations = { "deployment.kubernetes.io/revision": "1", ...notes };
    const town = () =>
      townWith([deployment("shop", { metadata: { annotations }, spec: { replicas: 0 }, status: none }), scaler]);
    const { status, message, size_set_by, target_instance_size } = await (await town()).getService(request);

    expect({
      status,
      message,
      size_set_by,
      target_instance_size,
      start: await refusal((await town()).startService(request)),
      stop: await refusal((await town()).stopService(request)),
      scale: await refusal((await town()).updateService({ ...request, body: { target_instance_size: 5 } })),
      restart: await refusal((await town()).restartService(request)),
    }).toEqual(expected);
  },
);
