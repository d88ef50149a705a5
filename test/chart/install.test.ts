import { randomBytes } from "node:crypto";
import { chmodSync, cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { parse } from "yaml";
import { defaultPolicyText } from "../../src/bot/policy/read-policy.ts";
import { commandsUnder, fileUnder } from "../image/support/documented.ts";
import { because, testCluster } from "../support/cluster.ts";
import { isUp } from "../support/is-up.ts";
import { until } from "../support/until.ts";
import { withGatewayApi } from "../engines/kubernetes/rights/gateway-api.ts";
import { openForwarder, openTerminal, openTown, type Terminal, type Town } from "./support/surroundings.ts";
import { startPostgres } from "../support/postgres.ts";
import { addressOf, containerdOf, loadImage, removeImage, tagImage } from "./support/node-image.ts";
import { objectsIn, rendered } from "./support/render.ts";
import { must, noTools } from "./support/tools.ts";

const projectDir = join(import.meta.dirname, "../..");
const cluster = await testCluster();
const missing = noTools ?? cluster.missing;

afterAll(cluster.removeNamespaces);

describe.skipIf(missing !== undefined)(`on a real API server${because(missing)}`, () => {
  test.each(["socket-mode", "replicas", "gateway", "workloads", "workload-api"])("all of %s is taken", async (name) => {
    await using _ = name === "gateway" ? await withGatewayApi(cluster) : undefined;
    const namespace = await cluster.newNamespace("chart");
    const rights = `workloadApi.rbac.namespaces=["${namespace}"]`;
    // ServiceMonitors are of the Prometheus Operator, which isn't here.
    const monitor = "bot.metrics.serviceMonitor.enabled=false";
    const options = ["--validate", "--no-hooks", "--set-json", rights, "--set", monitor];
    const text = await rendered("helm4", [join(import.meta.dirname, "values", `${name}.yaml`)], options);

    const said = await must("kubectl", ["apply", "--namespace", namespace, "--dry-run=server", "-f", "-"], text);

    expect(said.trim().split("\n")).toHaveLength(objectsIn(text).length);
    expect(said).not.toMatch(/warning/iu);
    await cluster.removeNamespace(namespace);
  });
});

const IMAGE = "localhost/gantry-chart-test";
const isLong = process.env["GANTRY_TEST_LONG"] === "1";
const containerd = containerdOf(cluster.kubeconfig);
const address = cluster.missing === undefined ? addressOf(await cluster.listed("/api/v1/nodes")) : undefined;
const noImage =
  containerd === undefined || address === undefined
    ? "skipped: needs a node on this machine, to give it the image"
    : undefined;
const noPods = missing ?? cluster.noPods ?? noImage;

describe.skipIf(noPods !== undefined)(`installed as documented${because(noPods)}`, () => {
  let namespace: string;
  let terminal: Terminal;
  let town: Town;
  const closing: (() => unknown)[] = [];
  beforeAll(async () => {
    await loadImage(containerd ?? "", `${IMAGE}:0.9.0`);
    closing.push(() => removeImage(containerd ?? "", `${IMAGE}:0.9.0`));
    namespace = await cluster.newNamespace("chart");
    terminal = openTerminal(cluster, namespace);
    closing.push(terminal.close);
    closing.push(await makeDisk());
    town = await openTown(address ?? "");
    closing.push(town.close);
  });
  afterAll(async () => {
    for (const close of closing.toReversed()) await close();
  });

  const podsOf = async (component: string) =>
    await cluster.listed(`/api/v1/namespaces/${namespace}/pods`, `app.kubernetes.io/component=${component}`);

  test("a person in Slack sees the workloads of the cluster", async () => {
    const token = randomBytes(16).toString("hex");
    await runWorkloadApi(token);
    await runBot(token);

    expect(await town.answerTo("/gantry list")).toMatch(/gantry · running\s+1 of 1/u);
  });

  test("what it knows is in its claim, and outlives its pod", async () => {
    await town.answerTo("/gantry watch all");
    const [before] = await podsOf("bot");

    await must("kubectl", ["delete", "pod", before?.metadata.name ?? "", "--namespace", namespace]);
    await botIsReached();
    const [after] = await podsOf("bot");

    expect(after?.metadata.uid).not.toBe(before?.metadata.uid);
    expect(await town.answerTo("/gantry watches")).toContain("all");
  });

  test("helm test says that both can do their work", async () => {
    const [, , , check = "", ...rest] = commandsUnder("Deploy with Helm");
    expect(rest).toEqual([]);

    expect(await terminal.run(check)).toMatch(/\/readyz: 200 \{"status":"ok"\}/u);
    expect(await must("helm4", ["test", "workloads", "--namespace", namespace, "--logs"])).toMatch(/\/healthz: 200 /u);
    expect(await podsOf("test")).toEqual([]);
  });

  test("Prometheus reads its metrics at the pod", async () => {
    const [pod] = await podsOf("bot");
    const status = pod?.["status"] as { podIP: string } | undefined; // as Kubernetes has it

    const answer = await fetch(`http://${status?.podIP}:9464/metrics`);

    expect(await answer.text()).toContain("gantry_interactions_total");
  });

  test("another policy holds without a restart", async () => {
    const [before] = await podsOf("bot");
    terminal.write(
      "policy.yaml",
      "rules:\n  - { name: closed, who: everyone, does: read, then: refuse, say: Closed today. }\n",
    );
    const [upgrade = ""] = commandsUnder("Policy in a ConfigMap");
    await terminal.run(upgrade);

    // The kubelet looks at ConfigMaps about once a minute, and at once when its pod changes.
    await until(async () => {
      const mark = `{"metadata":{"annotations":{"looked":"${Date.now()}"}}}`;
      const [pod] = await podsOf("bot");
      await must("kubectl", ["patch", "pod", pod?.metadata.name ?? "", "--namespace", namespace, "--patch", mark]);
      return (await town.answerTo("/gantry list")).includes("Closed today.");
    });

    const [after] = await podsOf("bot");
    expect(after?.metadata.uid).toBe(before?.metadata.uid);
  });

  // Only with --long: it takes as long as all others together.
  test.each(isLong ? ["0.9.1"] : [])(
    "%s takes over while people type: all are answered, no change is lost",
    async (tag) => {
      await useReplicas();
      await runWeb();
      onTestFinished(async () => {
        await cluster.must({ method: "DELETE", path: `/apis/apps/v1/namespaces/${namespace}/deployments/web` });
      });
      tagImage(containerd ?? "", `${IMAGE}:0.9.0`, `${IMAGE}:${tag}`);
      closing.push(() => removeImage(containerd ?? "", `${IMAGE}:${tag}`));
      const typing = { isOver: false };
      const answers: string[] = [];
      const reads = async () => {
        while (!typing.isOver) answers.push(await town.answerTo("/gantry list", { as: "dana", in: "general" }));
      };
      const alex = { as: "alex", in: "ops" };
      const times = (words: string) => town.reads(alex).filter((text) => text.includes(words)).length;
      const refusals = () => times("Try again in a moment");
      let changes = 0;
      const writes = async () => {
        while (!typing.isOver) {
          const before = { cards: times("requested by @alex"), refusals: refusals() };
          answers.push(await town.answerTo(`/gantry scale web ${2 + (changes % 2)}`, alex));
          const isMade = async () => (await changesOfWeb()) > changes;
          // Before its card is posted, the same request again is answered as a duplicate.
          const isShown = () => times("requested by @alex") > before.cards;
          await until(async () => refusals() > before.refusals || (isShown() && (await isMade()))).catch(
            (cause: unknown) => {
              const latest = town.reads(alex).slice(-6).join("\n");
              throw new Error(`change ${changes + 1} didn't come; the latest that Alex reads: ${latest}`, { cause });
            },
          );
          if (await isMade()) changes += 1;
        }
      };

      const typed = Promise.all([reads(), writes()]);
      await upgradeTo(tag);
      typing.isOver = true;
      await typed;

      const made = await changesOfWeb();
      // A replica that has begun to stop says so on a connection that was open before.
      const again = answers.filter((answer) => answer.includes("Nothing was changed. Try again in a moment"));
      process.stdout.write(
        `Asked ${answers.length} times, ${changes} changes, told ${again.length} times to try again\n`,
      );
      expect(answers.filter((answer) => !again.includes(answer) && !/services? in us|web/u.test(answer))).toEqual([]);
      expect(answers.length).toBeGreaterThan(20);
      expect(again.length).toBeLessThanOrEqual(3);
      expect(made).toBe(changes);
      expect(JSON.stringify(await podsOf("bot"))).toContain(`${IMAGE}:${tag}`);
    },
  );

  test("uninstalled, nothing of it is left", async () => {
    const [remove = ""] = commandsUnder("Remove it");
    await Promise.all([
      terminal.run(remove),
      must("helm4", ["uninstall", "workloads", "--namespace", namespace, "--wait"]),
    ]);

    const kinds =
      "all,configmaps,secrets,serviceaccounts,roles,rolebindings,persistentvolumeclaims,poddisruptionbudgets,networkpolicies,ingresses";
    // What was there before, and the service that people changed, of which the node may still be removing a pod.
    const left = async () =>
      (await must("kubectl", ["get", kinds, "--namespace", namespace, "--output", "name"]))
        .trim()
        .split("\n")
        .filter((name) => !/^secret\/.*-token-|^configmap\/kube-root-ca|^pod\/web-/u.test(name));
    // A node can take more than a minute to see that a pod has ended which was deleted soon after its start.
    const pods = async () => (await left()).filter((name) => name.startsWith("pod/"));
    await expect.poll(pods, { timeout: 300_000, interval: 500 }).toEqual([]);
    // What these tests made by hand.
    expect(await left()).toEqual([
      "secret/gantry",
      "secret/gantry-workload-api",
      "secret/kubeconfig",
      "serviceaccount/default",
      "serviceaccount/workloads",
    ]);
  });

  /** In a release of its own, as docs/kubernetes.md has it. Its pod reaches the API server as from outside. */
  async function runWorkloadApi(token: string): Promise<void> {
    const { clusters } = parse(readFileSync(cluster.kubeconfig, "utf8")) as {
      clusters: [{ cluster: { server: string } }]; // its form
    };
    const server = await openForwarder(address ?? "", new URL(clusters[0].cluster.server));
    closing.push(server.close);
    const at = `/api/v1/namespaces/${namespace}/serviceaccounts`;
    await cluster.must({ method: "POST", path: at, body: { metadata: { name: "workloads" } } });
    const request = { apiVersion: "authentication.k8s.io/v1", kind: "TokenRequest", spec: {} };
    const { status } = await cluster.must({ method: "POST", path: `${at}/workloads/token`, body: request });
    const kubeconfig = {
      "current-context": "us",
      clusters: [
        { name: "us", cluster: { server: `https://${address}:${server.port}`, "insecure-skip-tls-verify": true } },
      ],
      users: [{ name: "us", user: { token: (status as { token: string }).token } }], // as Kubernetes answers
      contexts: [{ name: "us", context: { cluster: "us", user: "us" } }],
    };
    await secret("kubeconfig", { config: JSON.stringify(kubeconfig) });
    await secret("gantry-workload-api", { SERVICE_USERS: `dana:${token}` });
    const values = {
      fullnameOverride: "workloads",
      image: { repository: IMAGE },
      bot: { enabled: false },
      workloadApi: {
        enabled: true,
        existingSecret: "gantry-workload-api",
        regions: { us: { kubeconfig: "/kube/config", namespaces: { dana: namespace }, jobs: true, adopt: "all" } },
        rbac: { namespaces: [namespace] },
        // The test's API server gives pods no token of their own.
        serviceAccount: { create: false, name: "workloads" },
        extraVolumes: [{ name: "kubeconfig", secret: { secretName: "kubeconfig" } }],
        extraVolumeMounts: [{ name: "kubeconfig", mountPath: "/kube" }],
        preStopSeconds: 0,
      },
    };
    const args = [
      "install",
      "workloads",
      "chart",
      "--namespace",
      namespace,
      "--wait",
      "--timeout",
      "2m",
      "--values",
      "-",
    ];
    await must("helm4", args, JSON.stringify(values));
  }

  async function runBot(token: string): Promise<void> {
    terminal.write(
      ".env",
      Object.entries({
        ...town.secrets,
        WORKLOAD_API_URL: `http://${await addressOfService("workloads-workload-api")}:3002`,
        WORKLOAD_API_USERNAME: "dana",
        WORKLOAD_API_TOKEN: token,
        WORKLOAD_REGIONS: "us",
      })
        .map(([name, value]) => `${name}=${value}\n`)
        .join(""),
    );
    writeValues(fileUnder("Deploy with Helm", "yaml"), { policy: defaultPolicyText });
    const [, create = "", install = ""] = commandsUnder("Deploy with Helm");
    await terminal.run(create);
    await terminal.run(install);
    await botIsReached();
  }

  /** A folder of the node for the claim that the chart makes: this cluster provisions no volumes. */
  async function makeDisk(): Promise<() => Promise<void>> {
    const folder = mkdtempSync(join(tmpdir(), "gantry-chart-disk-"));
    // Kubernetes gives such a folder to no group, as it does with other disks.
    chmodSync(folder, 0o777);
    const path = "/api/v1/persistentvolumes";
    const spec = {
      capacity: { storage: "1Gi" },
      accessModes: ["ReadWriteOnce"],
      persistentVolumeReclaimPolicy: "Retain",
      hostPath: { path: folder, type: "Directory" },
      claimRef: { namespace, name: "gantry" },
    };
    await cluster.must({ method: "POST", path, body: { metadata: { name: namespace }, spec } });
    return async () => {
      await cluster.call({ method: "DELETE", path: `${path}/${namespace}` });
      rmSync(folder, { recursive: true, force: true });
    };
  }

  /** The documented values, with what the test needs. */
  function writeValues(documented: string, settings: object, tag = "0.9.0"): void {
    const { bot } = parse(documented) as { bot: object }; // our own documentation
    const own = { metrics: { enabled: true }, preStopSeconds: 5, ...settings };
    terminal.write("gantry.yaml", JSON.stringify({ image: { repository: IMAGE, tag }, bot: { ...bot, ...own } }));
  }

  async function botIsReached(): Promise<void> {
    // With SQLite, a new pod waits until the one before it has ended.
    await must("kubectl", ["rollout", "status", "deployment/gantry", "--namespace", namespace, "--timeout", "300s"]);
    const bot = await addressOfService("gantry");
    town.reachesBotAt(bot);
    // The node learns of a Service's pods a moment after they are ready. Before, a connection can leave the machine.
    await until(() => isUp(`http://${bot}:3000/healthz`));
  }

  /** Two replicas on a PostgreSQL of this machine, in place of the one with SQLite. */
  async function useReplicas(): Promise<void> {
    const postgres = await startPostgres();
    if ("missing" in postgres) throw new Error(postgres.missing);
    closing.push(postgres.stop);
    const forwarder = await openForwarder(address ?? "", new URL(postgres.url));
    closing.push(forwarder.close);
    const url = new URL(postgres.url);
    url.host = `${address}:${forwarder.port}`;
    const stringData = { DATABASE_URL: url.href, GANTRY_KEYS: `k1:${randomBytes(32).toString("base64")}` };
    const contentType = "application/merge-patch+json";
    const path = `/api/v1/namespaces/${namespace}/secrets/gantry`;
    await cluster.must({ method: "PATCH", path, body: { stringData }, contentType });
    await upgradeTo("0.9.0");
    await botIsReached();
  }

  async function upgradeTo(tag: string): Promise<void> {
    const policy =
      "rules:\n  - { name: all, who: members, does: [read, routine, disruptive, destructive], then: allow }\n";
    // Both versions have the same schema.
    writeValues(fileUnder("Several pods", "yaml"), { policy, rollingUpdate: true }, tag);
    const [, , install = ""] = commandsUnder("Deploy with Helm");
    await terminal.run(install);
  }

  /** A service that people change. */
  async function runWeb(): Promise<void> {
    const containers = [{ name: "web", image: cluster.image, command: ["sleep", "1000000"] }];
    const template = { metadata: { labels: { app: "web" } }, spec: { containers, terminationGracePeriodSeconds: 0 } };
    const body = {
      metadata: { name: "web" },
      spec: { replicas: 1, selector: { matchLabels: { app: "web" } }, template },
    };
    await cluster.must({ method: "POST", path: `/apis/apps/v1/namespaces/${namespace}/deployments`, body });
  }

  /** Kubernetes counts each change of what should run. */
  async function changesOfWeb(): Promise<number> {
    const path = `/apis/apps/v1/namespaces/${namespace}/deployments/web`;
    const { metadata } = await cluster.must({ method: "GET", path });
    return (metadata as { generation: number }).generation - 1; // as Kubernetes has it
  }

  async function secret(name: string, stringData: Readonly<Record<string, string>>): Promise<void> {
    const path = `/api/v1/namespaces/${namespace}/secrets`;
    await cluster.must({ method: "POST", path, body: { metadata: { name }, stringData } });
  }

  /** The test's cluster has no DNS. */
  async function addressOfService(name: string): Promise<string> {
    const path = `/api/v1/namespaces/${namespace}/services/${name}`;
    const { spec } = await cluster.must({ method: "GET", path });
    return (spec as { clusterIP: string }).clusterIP; // as Kubernetes has it
  }
});

describe.skipIf(missing !== undefined)(`without Helm, as documented${because(missing)}`, () => {
  test("kustomize makes what the API server takes, with the policy of the overlay", async () => {
    await using _ = await temporary();
    const namespace = await cluster.newNamespace("chart");
    const { folder } = _;
    mkdirSync(join(folder, "gantry/docs"), { recursive: true });
    cpSync(join(projectDir, "docs/kustomize"), join(folder, "gantry/docs/kustomize"), { recursive: true });
    writeFileSync(join(folder, "policy.yaml"), "rules: [] # ours\n");
    const documented = fileUnder("Without Helm", "yaml").replace("namespace: gantry", `namespace: ${namespace}`);
    writeFileSync(join(folder, "kustomization.yaml"), documented);

    const text = await must("kubectl", ["kustomize", folder]);
    const said = await must("kubectl", ["apply", "--dry-run=server", "-f", "-"], text);

    expect(said.trim().split("\n")).toHaveLength(objectsIn(text).length);
    expect(text).toContain("image: registry.example.com/gantry:0.9.0");
    expect(objectsIn(text).find(({ kind }) => kind === "ConfigMap")).toMatchObject({
      metadata: { name: "gantry-policy", namespace },
      data: { "policy.yaml": "rules: [] # ours\n" },
    });
    expect(commandsUnder("Without Helm")).toEqual(["kubectl apply --kustomize ."]);
  });
});

async function temporary(): Promise<AsyncDisposable & { readonly folder: string }> {
  const folder = mkdtempSync(join(tmpdir(), "gantry-kustomize-"));
  return {
    folder,
    [Symbol.asyncDispose]: async () => rmSync(folder, { recursive: true, force: true }),
  };
}
