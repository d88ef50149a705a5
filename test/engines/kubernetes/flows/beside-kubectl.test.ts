import { execFileSync } from "node:child_process";
import { afterAll, describe, expect, test } from "vitest";
import { checkClusters } from "../../../../src/service/engines/kubernetes/config/check-clusters.ts";
import { shell, ticking } from "../../../support/container-script.ts";
import { because, testCluster } from "../../../support/cluster.ts";
import { changes } from "../../../support/object-changes.ts";
import { until } from "../../../support/until.ts";
import { openTestEngine } from "../support/test-engine.ts";
import { machineClock } from "../../../../src/platform/clock.ts";

const cluster = await testCluster();
const { noPods, must, call, image, kubeconfig, newNamespace, removeNamespaces } = cluster;
const noKubectl = hasKubectl() ? undefined : "skipped: needs kubectl";

afterAll(removeNamespaces);

function hasKubectl(): boolean {
  try {
    execFileSync("kubectl", ["version", "--client"], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
}

function kubectl(namespace: string, args: readonly string[], file: object = {}): void {
  const all = [`--kubeconfig=${kubeconfig}`, "-n", namespace, ...args];
  execFileSync("kubectl", all, { input: JSON.stringify(file), stdio: ["pipe", "ignore", "pipe"] });
}

const annotation = "/metadata/annotations/gantry";
const notes = [
  expect.stringContaining(`${annotation}/change: `),
  expect.stringContaining(`${annotation}/changed-by: `),
];

/** A workload of a file, as a team keeps it. */
function fileOf(
  kind: "Deployment" | "StatefulSet",
  name: string,
  more: { readonly spec?: object; readonly pod?: object },
) {
  const labels = { app: name };
  const containers = [{ name: "main", image, command: shell(ticking), env: [{ name: "OLD", value: "1" }] }];
  const spec = { containers, terminationGracePeriodSeconds: 1, ...more.pod };
  return {
    apiVersion: "apps/v1",
    kind,
    metadata: { name },
    spec: {
      replicas: 1,
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec },
      ...(kind === "StatefulSet" && { serviceName: name }),
      ...more.spec,
    },
  };
}

/** A namespace and Gantry's engine beside everything else that works in it. */
async function world() {
  const namespace = await newNamespace("beside");
  const namespaces = { dana: { us: namespace, beijing1: namespace } };
  const { engine, close } = await openTestEngine({ kubeconfig, namespaces, adopt: "all" });
  const path = (kind: string, name: string) => `/apis/apps/v1/namespaces/${namespace}/${kind}/${name}`;
  const requestFor = (name: string) => ({
    user: { username: "dana" },
    path: { region: "us", service_name: name },
    query: undefined,
    body: undefined,
    signal: AbortSignal.timeout(60_000),
    asked: { person: "U0DANA", request: "ABC123" },
  });
  const show = (name: string) => engine.getService(requestFor(name));
  return {
    namespace,
    path,
    /** The whole object without its status, as the API server has it. */
    whole: async (kind: string, name: string) => {
      const { status: _, ...object } = await must({ method: "GET", path: path(kind, name) });
      return object;
    },
    show,
    listed: (name: string) =>
      until(
        async () =>
          await show(name).then(
            () => true,
            () => false,
          ),
      ),
    becomes: (name: string, status: string) => until(async () => (await show(name)).status === status),
    stop: (name: string) => engine.stopService(requestFor(name)),
    start: (name: string) => engine.startService(requestFor(name)),
    restart: (name: string) => engine.restartService(requestFor(name)),
    scale: (name: string, size: number) =>
      engine.updateService({ ...requestFor(name), body: { target_instance_size: size } }),
    [Symbol.asyncDispose]: () => close(),
  };
}

describe.skipIf(noPods !== undefined)(`Gantry beside kubectl${because(noPods)}`, () => {
  test.skipIf(noKubectl !== undefined)(
    `what kubectl applied stays kubectl's: a field that its file drops is gone at the next apply${because(noKubectl)}`,
    async () => {
      await using town = await world();
      const { namespace, whole } = town;
      const file = fileOf("StatefulSet", "db", {});
      kubectl(namespace, ["apply", "-f", "-"], file);
      await town.listed("db");
      await town.becomes("db", "Running");
      let before = await whole("statefulsets", "db");
      const wrote = async (): Promise<string[]> => {
        const after = await whole("statefulsets", "db");
        const differences = changes(before, after).toSorted();
        before = after;
        return differences;
      };

      await town.scale("db", 2);
      expect(await wrote()).toEqual([...notes, "/spec/replicas: 1 → 2"]);
      await town.stop("db");
      expect(await wrote()).toEqual([
        `${annotation}/size: undefined → "2"`,
        expect.stringContaining(`${annotation}/stopped-at: undefined`),
        "/spec/replicas: 2 → 0",
      ]);
      // While it stops.
      await town.start("db");
      expect(await wrote()).toEqual([
        `${annotation}/size: "2" → undefined`,
        expect.stringContaining(`${annotation}/stopped-at: `),
        "/spec/replicas: 0 → 2",
      ]);
      await town.restart("db");
      expect(await wrote()).toEqual([expect.stringMatching(/^\/spec\/template\/metadata\/annotations.*restartedAt/u)]);

      const { template, ...spec } = file.spec;
      const containers = template.spec.containers.map((container) => ({ ...container, env: undefined }));
      const dropped = { ...template, spec: { ...template.spec, containers } };
      kubectl(namespace, ["apply", "-f", "-"], { ...file, spec: { ...spec, template: dropped } });
      expect(await wrote()).toContainEqual(
        expect.stringMatching(/^\/spec\/template\/spec\/containers\/0\/env: .* → undefined/u),
      );

      await town.stop("db");
      kubectl(namespace, ["scale", "statefulset", "db", "--replicas=3"]);
      await until(async () => !JSON.stringify(await whole("statefulsets", "db")).includes("gantry/size"));

      kubectl(namespace, ["scale", "statefulset", "db", "--replicas=0"]);
      await town.becomes("db", "Stopped");
      expect(await town.show("db")).toMatchObject({ target_instance_size: 1 });
      await town.start("db");
      expect(await whole("statefulsets", "db")).toMatchObject({ spec: { replicas: 1 } });
    },
  );

  test("server-side apply names Gantry when they disagree about the size", async () => {
    await using town = await world();
    const { path, whole } = town;
    const apply = () =>
      call({
        method: "PATCH",
        path: `${path("deployments", "web")}?fieldManager=team`,
        contentType: "application/apply-patch+yaml",
        body: fileOf("Deployment", "web", {}),
      });
    await apply();
    await town.listed("web");
    const before = await whole("deployments", "web");

    await town.scale("web", 2);

    const after = await whole("deployments", "web");
    expect(
      changes(before, after)
        .filter((each) => !each.includes("deployment.kubernetes.io"))
        .toSorted(),
    ).toEqual([...notes, "/spec/replicas: 1 → 2"]);
    const { status, body } = await apply();
    expect(status).toBe(409);
    expect(body["message"]).toContain('conflict with "gantry" using apps/v1: .spec.replicas');
  });

  test("what never becomes ready is scaled, restarted, stopped and started, and so is what is paused", async () => {
    await using town = await world();
    const { namespace } = town;
    const place = `/apis/apps/v1/namespaces/${namespace}/deployments`;
    const nowhere = { nodeSelector: { "gantry-test/nowhere": "yes" } };
    await must({ method: "POST", path: place, body: fileOf("Deployment", "stuck", { pod: nowhere }) });
    await must({ method: "POST", path: place, body: fileOf("Deployment", "held", { spec: { paused: true } }) });
    await town.listed("stuck");
    await town.listed("held");
    await town.becomes("stuck", "Starting");

    await town.scale("stuck", 2);
    await town.restart("stuck");
    await town.stop("stuck");
    await town.start("stuck");
    expect(await town.show("stuck")).toMatchObject({ target_instance_size: 2 });

    await town.scale("held", 2);
    // A note that isn't there is not taken away: as an empty text it would say that no instances are wanted.
    expect(JSON.stringify(await town.whole("deployments", "held"))).not.toContain("gantry/idle");
    const { refused_operations: refused = [] } = await town.show("held");
    const told = refused.find(({ operation }) => operation === "restartService")?.reason;
    expect(told).toContain("its rollout is paused. Resume it with `kubectl rollout resume`");
    await expect(town.restart("held")).rejects.toThrow("its rollout is paused");
    await town.stop("held");
  });

  test("a namespace that isn't there stops the start with its name", async () => {
    const clusters = [{ region: "us", kubeconfig: { path: kubeconfig }, context: undefined }];
    const rest = {
      domains: { by: "none" },
      ports: { by: "cluster" },
      disks: undefined,
      hostPath: undefined,
    } as const;
    const adopt = { workloads: "none", allow: [] } as const;
    const missing = clusters.map((each) => ({
      ...each,
      ...rest,
      adopt,
      jobs: true,
      namespacesOf: () => ({ names: ["gantry-nowhere"] as const }),
    }));

    await expect(checkClusters(missing, ["dana"], machineClock)).rejects.toThrow(
      /has no namespace gantry-nowhere\. Create it with/u,
    );
  });
});
