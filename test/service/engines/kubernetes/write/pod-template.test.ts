import { expect, test } from "vitest";
import type { NewJob, NewService } from "../../../../../src/api/schema.ts";
import type { ClusterConfig } from "../../../../../src/service/engines/kubernetes/cluster/cluster-config.ts";
import { brokenRules, type PodSpec } from "../../../../support/restricted.ts";
import type { FakeOptions } from "../support/fake-api-server.ts";
import { cronJob } from "../support/sent-objects.ts";
import { apiTown, asked } from "./support/scripted-cluster.ts";

const RESTRICTED = { team: { "pod-security.kubernetes.io/enforce": "restricted" } };

const web: NewService = {
  containers: [{ image: "shop/web:1", resources: { limits: { memory: "512Mi" } } }, { image: "shop/sidecar:1" }],
};
const nightly: NewJob = { containers: [{ image: "shop/report:1" }] };

type Template = { readonly spec: { readonly template: { readonly spec: PodSpec } } };

/** Writes to a fake API server, and what was sent to it. */
async function shop(settings: Partial<ClusterConfig> = {}, options: FakeOptions = {}) {
  const { server, sent: sentTo, ...writes } = await apiTown(settings, options);
  const sent = (verb: "create" | "patch", resource: string): unknown[] =>
    sentTo(verb)
      .filter((each) => each.resource === resource)
      .map(({ body }) => JSON.parse(body) as unknown);
  const podOf = (resource: string) => (sent("create", resource)[0] as Template).spec.template.spec; // as Gantry sends it
  return {
    server,
    sent,
    createService: async (body: NewService = web) => {
      await writes.createService({ ...asked("web"), body });
      return podOf("deployments");
    },
    createJob: async (body: NewJob = nightly) => {
      await writes.createJob({ ...asked("nightly-1"), body });
      return podOf("jobs");
    },
    setMemory: async (memory: 256 | 1024) => {
      await writes.updateService({ ...asked("web"), body: { containers: [{ resources: { limits: { memory } } }] } });
      return sent("patch", "deployments").at(-1);
    },
  };
}

test("services and jobs fit PodSecurity restricted where the namespace enforces it", async () => {
  const { createService, createJob } = await shop({}, { namespaces: RESTRICTED });

  const pods = [await createService(), await createJob()];

  expect(pods.map(brokenRules)).toEqual([[], []]);
  expect(pods.map(({ containers }) => containers.length)).toEqual([2, 1]);
});

test.each(["baseline", "privileged", undefined])("where a namespace enforces %s, nothing is added", async (level) => {
  const labels: Record<string, string> = level === undefined ? {} : { "pod-security.kubernetes.io/enforce": level };
  const { createService } = await shop({}, { namespaces: { team: labels } });

  expect(JSON.stringify(await createService())).not.toContain("securityContext");
});

test("where the label can't be read, nothing is guessed", async () => {
  const { createService } = await shop();

  expect(JSON.stringify(await createService())).not.toContain("securityContext");
});

test("a region can choose: restricted without looking, or none", async () => {
  const always = await shop({ podSecurity: "restricted" });
  const never = await shop({ podSecurity: "none" }, { namespaces: RESTRICTED });

  expect(brokenRules(await always.createJob())).toEqual([]);
  expect(JSON.stringify(await never.createJob())).not.toContain("securityContext");
});

test.each(["baseline", "restricted"])("files of the node are refused where %s is enforced", async (level) => {
  const namespaces = { team: { "pod-security.kubernetes.io/enforce": level } };
  const { createService, createJob, sent } = await shop({ hostPath: "/srv" }, { namespaces });

  await expect(createService({ ...web, sync_timezone: true })).rejects.toMatchObject({
    status: 400,
    message:
      "the Kubernetes engine can't honour sync_timezone (the host's time zone) in us: it needs files of the node, and " +
      `PodSecurity ${level} forbids them here. Nothing was changed.`,
  });
  await expect(createJob({ ...nightly, volumes: [{ name: "data", type: "host" }] })).rejects.toMatchObject({
    status: 400,
  });
  expect([...sent("create", "deployments"), ...sent("create", "jobs")]).toEqual([]);
});

const defaults = {
  requests: { cpu: "100m", memory: "300Mi" },
  limits: { cpu: "500m", memory: "256Mi" },
  securityContext: { runAsUser: 1000, fsGroup: 2000, readOnlyRootFilesystem: true, capabilities: { add: ["CHOWN"] } },
} as const;

test("services and jobs get the requests, limits and securityContext of their region", async () => {
  const { createService, createJob } = await shop({ defaults }, { namespaces: RESTRICTED });

  const pods = [await createService(), await createJob()];

  // The request for memory is never more than the limit, which Kubernetes would refuse.
  const asked = { limits: { cpu: "500m", memory: "512Mi" }, requests: { cpu: "100m", memory: "300Mi" } };
  const none = { limits: { cpu: "500m", memory: "256Mi" }, requests: { cpu: "100m", memory: "256Mi" } };
  expect(pods.map(({ containers }) => containers)).toMatchObject([
    [{ resources: asked }, { resources: none }],
    [{ resources: none }],
  ]);
  for (const pod of pods) {
    const { securityContext, containers } = pod;
    expect(securityContext).toEqual({
      runAsNonRoot: true,
      runAsUser: 1000,
      fsGroup: 2000,
      seccompProfile: { type: "RuntimeDefault" },
    });
    expect(containers[0]?.securityContext).toEqual({
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ["ALL"], add: ["CHOWN"] },
    });
  }
});

test("other memory keeps the requests of the region, below the new limit", async () => {
  const { createService, setMemory } = await shop({ defaults });
  await createService();

  for (const [memory, requested] of [
    [256, "256Mi"],
    [1024, "300Mi"],
  ] as const) {
    const resources = { limits: { memory: `${memory}Mi` }, requests: { memory: requested } };
    expect(await setMemory(memory)).toMatchObject({
      spec: { template: { spec: { containers: [{ name: "web", resources }] } } },
    });
  }
});

test("a run of a CronJob keeps the template of its CronJob", async () => {
  const { server, createJob } = await shop({ defaults, podSecurity: "restricted" });
  server.objects.put("cronjobs", "team", cronJob("nightly"));

  const pod = await createJob({ from_cron_job: "nightly" });

  expect(JSON.stringify(pod)).not.toMatch(/securityContext|resources/u);
});

test("the check notices each rule", async () => {
  const { createService } = await shop({ podSecurity: "restricted" });
  const pod = await createService();
  const [first] = pod.containers;
  if (!first) throw new Error("no container");
  const { securityContext: own = {} } = first;
  const without = (key: string) => ({
    ...pod,
    containers: [{ ...first, securityContext: { ...own, [key]: undefined } }],
  });

  expect(brokenRules(without("allowPrivilegeEscalation"))).toEqual(["web: allowPrivilegeEscalation"]);
  expect(brokenRules(without("capabilities"))).toEqual(["web: capabilities.drop"]);
  expect(brokenRules({ containers: [first] })).toEqual(["web: runAsNonRoot", "web: seccompProfile"]);
  expect(brokenRules({ ...pod, volumes: [{ name: "zone", hostPath: { path: "/" } }] })).toEqual([
    "volume of type hostPath",
  ]);
});
