import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openRegions, type OpenedRegion } from "../../../src/service/engines/kubernetes/regions.ts";
import { findJobs } from "../../../src/service/engines/kubernetes/read/jobs.ts";
import { findServices } from "../../../src/service/engines/kubernetes/read/services.ts";
import { jobKinds, serviceKinds } from "../../../src/service/engines/kubernetes/cache/namespace-cache.ts";
import { readOperations } from "../../../src/service/engines/kubernetes/read/read-operations.ts";
import { readJob } from "../../../src/service/workloads/jobs/job-answer.ts";
import { readService } from "../../../src/service/workloads/services/service-answer.ts";
import { rest } from "../../support/container-script.ts";
import { because, testCluster } from "../../support/cluster.ts";
import { DEADLINE_MS } from "../../support/until.ts";
import { config } from "../../service/engines/kubernetes/support/known-objects.ts";
import { openRegistryFront } from "./support/registry-front.ts";
import { machineClock } from "../../../src/platform/clock.ts";

const { noPods, kubeconfig, image, newNamespace, removeNamespaces, must } = await testCluster();
const MOST_MS = DEADLINE_MS;
const patience = { timeout: MOST_MS, interval: 200 };
const RUN = `trap 'exit 0' TERM; ${rest}`;

describe.skipIf(noPods !== undefined)(`workloads that somebody else made in a cluster${because(noPods)}`, () => {
  let namespace: string;
  let region: OpenedRegion;

  beforeAll(async () => {
    namespace = await newNamespace("read");
    const cluster = {
      ...config,
      kubeconfig: { path: kubeconfig },
      namespacesOf: () => ({ names: [namespace] as const }),
    };
    const [opened] = await openRegions([cluster], { users: ["dana"], clock: machineClock, onEvent: () => undefined });
    if (!opened) throw new Error("no region was opened");
    region = opened;
  }, MOST_MS);
  afterAll(async () => {
    await region.close();
    await removeNamespaces();
  });

  const reading = async () => ({
    namespaces: [namespace],
    username: "dana",
    now: machineClock.now(),
    ...(await region.evidenceIn([namespace])),
  });

  async function service(name: string) {
    await region.cacheOf(namespace).current(serviceKinds(region.config));
    const found = findServices(region, await reading()).find((each) => each.service.name === name);
    return found && readService(found.service, found.status);
  }

  async function job(name: string) {
    await region.cacheOf(namespace).current(jobKinds(region.config));
    const found = findJobs(region, await reading()).find((each) => each.job.name === name);
    return found && readJob(found.job, found.around);
  }

  function podOf(command: string, changed: object = {}) {
    const container = { name: "app", image, imagePullPolicy: "IfNotPresent", command: ["sh", "-c", command] };
    return { containers: [{ ...container, ...changed }], terminationGracePeriodSeconds: 1 };
  }

  async function deploy(name: string, spec: object, replicas = 1): Promise<void> {
    const labels = { app: name };
    const path = `/apis/apps/v1/namespaces/${namespace}/deployments`;
    const template = { metadata: { labels }, spec };
    const body = { metadata: { name }, spec: { replicas, selector: { matchLabels: labels }, template } };
    await must({ method: "POST", path, body });
  }

  const patched = (name: string, body: object) =>
    must({
      method: "PATCH",
      path: `/apis/apps/v1/namespaces/${namespace}/deployments/${name}`,
      contentType: "application/strategic-merge-patch+json",
      body,
    });

  test(
    "one that runs is told with its address; that kubectl stops and deletes it shows",
    async () => {
      await deploy("web", podOf(RUN), 2);
      const spec = { selector: { app: "web" }, ports: [{ port: 80, targetPort: 8080 }] };
      await must({
        method: "POST",
        path: `/api/v1/namespaces/${namespace}/services`,
        body: { metadata: { name: "web" }, spec },
      });

      await expect
        .poll(() => service("web"), patience)
        .toMatchObject({
          status: "Running",
          ready_instances: 2,
          restart_count: 0,
          port_mappings: [{ service_url: `web.${namespace}.svc:80`, container_port: 8080 }],
        });
      await patched("web", { spec: { replicas: 0 } });
      await expect.poll(() => service("web"), patience).toMatchObject({ status: "Stopped", ready_instances: 0 });
      await must({ method: "DELETE", path: `/apis/apps/v1/namespaces/${namespace}/deployments/web` });
      await expect.poll(() => service("web"), patience).toBeUndefined();
    },
    MOST_MS * 2,
  );

  test(
    "one whose memory isn't enough fails with the reason",
    async () => {
      await deploy("greedy", podOf("x=a; while :; do x=$x$x; done", { resources: { limits: { memory: "20Mi" } } }));

      await expect
        .poll(() => service("greedy"), patience)
        .toMatchObject({
          status: "Failed",
          message: expect.stringMatching(/^greedy-\S+ exited with code 137 \(out of memory\)$/),
          last_state: { reason: "OOMKilled", exit_code: 137 },
        });
    },
    MOST_MS,
  );

  test(
    "an update to an image that doesn't exist fails, and tells that the old instances still run",
    async () => {
      await using registry = await openRegistryFront();
      await deploy("shop", podOf(RUN), 2);
      await expect.poll(() => service("shop"), patience).toMatchObject({ status: "Running" });

      await patched("shop", {
        spec: { template: { spec: { containers: [{ name: "app", image: `${registry.host}/absent:1` }] } } },
      });

      await expect
        .poll(() => service("shop"), patience)
        .toMatchObject({
          status: "Failed",
          message: expect.stringMatching(/^\w+: .*\/absent:1/),
          ready_instances: 2,
        });
    },
    MOST_MS * 2,
  );

  test(
    "the cluster's events say why a volume can't be mounted, and that a probe ends a container",
    async () => {
      const reads = readOperations({
        regions: new Map([["us", region]]),
        clock: machineClock,
      });
      const asked = { user: { username: "dana" }, signal: new AbortController().signal };
      const none = { query: undefined, body: undefined };
      const serviceNamed = (name: string) =>
        reads.getService({ ...asked, ...none, path: { region: "us", service_name: name } });
      const volumes = [{ name: "keys", secret: { secretName: "absent" } }];
      await deploy("mounts", { ...podOf(RUN, { volumeMounts: [{ name: "keys", mountPath: "/keys" }] }), volumes });
      const livenessProbe = { exec: { command: ["false"] }, periodSeconds: 1, failureThreshold: 1 };
      await deploy("probed", podOf(RUN, { livenessProbe }));

      const told = (reason: string, message: RegExp) =>
        expect.arrayContaining([expect.objectContaining({ reason, message: expect.stringMatching(message) })]);
      await expect
        .poll(() => serviceNamed("mounts"), patience)
        .toMatchObject({ events: told("FailedMount", /secret "absent" not found/) });
      // As lists tell it.
      await expect
        .poll(() => service("mounts"), patience)
        .toMatchObject({ message: expect.stringMatching(/^FailedMount: .*secret "absent" not found \(mounts-/) });
      await expect
        .poll(() => serviceNamed("probed"), patience)
        .toMatchObject({ events: told("Killing", /failed liveness probe, will be restarted/) });
    },
    MOST_MS * 2,
  );

  test(
    "a job with several instances is told with all of them",
    async () => {
      const template = { spec: { ...podOf("exit 0"), restartPolicy: "Never" } };
      const path = `/apis/batch/v1/namespaces/${namespace}/jobs`;
      await must({
        method: "POST",
        path,
        body: { metadata: { name: "report" }, spec: { parallelism: 2, completions: 2, template } },
      });

      await expect
        .poll(() => job("report"), patience)
        .toMatchObject({
          instance_names: [expect.stringMatching(/^report-/), expect.stringMatching(/^report-/)],
          spec: { parallelism: 2, completions: 2 },
          status: { conditions: [{ type: "Complete", status: "True" }], succeeded: 2 },
        });
    },
    MOST_MS,
  );
});
