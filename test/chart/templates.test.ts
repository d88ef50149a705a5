import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { brokenRules, type PodSpec } from "../support/restricted.ts";
import { because } from "../support/cluster.ts";
import { objectsIn, rendered, asKustomizeBase } from "./support/render.ts";
import { must, noTools, tool } from "./support/tools.ts";

const projectDir = join(import.meta.dirname, "../..");
const cases = ["socket-mode", "replicas", "gateway", "workloads", "workload-api"];
const valuesOf = (name: string): string => join(import.meta.dirname, "values", `${name}.yaml`);
const options = ["--no-hooks"];

describe.skipIf(noTools !== undefined)(`the chart${because(noTools)}`, () => {
  test.each(["helm3", "helm4"] as const)("%s finds no fault in it", async (helm) => {
    const said = await must(helm, [
      "lint",
      "chart",
      "--strict",
      ...cases.flatMap((name) => ["--values", valuesOf(name)]),
    ]);

    expect(said).toContain("0 chart(s) failed");
  });

  test.each(cases)("what it renders for %s is what was kept, with Helm 3 and 4", async (name) => {
    const text = await rendered("helm4", [valuesOf(name)]);

    await expect(keptOf(text)).toMatchFileSnapshot(`golden/${name}.yaml`);
    expect(await rendered("helm3", [valuesOf(name)])).toBe(text);
  });

  test.each(cases)("each object of %s says which version of the chart made it", async (name) => {
    const labels = {
      "app.kubernetes.io/version": expect.stringMatching(/^\d+\.\d+\.\d+$/u),
      "app.kubernetes.io/managed-by": "Helm",
      "helm.sh/chart": expect.stringMatching(/^gantry-\d+\.\d+\.\d+$/u),
    };

    for (const { metadata } of objectsIn(await rendered("helm4", [valuesOf(name)]))) {
      expect(metadata).toMatchObject({ labels });
    }
  });

  test.each(cases)("the pods of %s break no rule of PodSecurity restricted", async (name) => {
    const pods = objectsIn(await rendered("helm4", [valuesOf(name)])).flatMap(({ kind, spec }) => {
      if (kind === "Pod") return [spec as PodSpec]; // as Kubernetes has it
      return kind === "Deployment" ? [(spec as { template: { spec: PodSpec } }).template.spec] : []; // the same
    });

    expect(pods.length).toBeGreaterThan(1);
    expect(pods.flatMap(brokenRules)).toEqual([]);
  });

  test.each(["bot", "workload-api"])("the kustomize base %s is what the chart renders", async (name) => {
    const text = asKustomizeBase(await rendered("helm4", [valuesOf(`kustomize/${name}`)], options));

    await expect(`# Written by \`npm run test:chart -- --update\`, from the chart.\n${text}`).toMatchFileSnapshot(
      join(projectDir, "docs/kustomize", name, "gantry.yaml"),
    );
    const built = objectsIn(await must("kubectl", ["kustomize", `docs/kustomize/${name}`]));
    expect(built.map(({ kind }) => kind).toSorted()).toEqual(
      [...objectsIn(text).map(({ kind }) => kind), "ConfigMap"].toSorted(),
    );
    expect(built.map(({ metadata }) => metadata.namespace)).toEqual(built.map(() => "gantry"));
  });

  test("a package of it holds the Role of the documentation", async () => {
    const [documented] = objectsIn(readFileSync(join(projectDir, "docs/kubernetes-role.yaml"), "utf8"));
    const rules = documented?.["rules"];
    const roles = objectsIn(await rendered("helm4", [valuesOf("workloads")])).filter(({ kind }) => kind === "Role");

    expect(roles.map(({ metadata }) => metadata.namespace)).toEqual(["shop", "payments"]);
    expect(roles.map((role) => role["rules"])).toEqual([rules, rules]);
  });

  test("all pods stop before a new version starts, unless somebody knows that it leaves the database as it is", async () => {
    const strategyWith = async (...more: readonly string[]) =>
      objectsIn(await rendered("helm4", [valuesOf("replicas")], more)).find(({ kind }) => kind === "Deployment")?.[
        "spec"
      ];

    expect(await strategyWith()).toMatchObject({ strategy: { type: "Recreate" } });
    expect(await strategyWith("--set", "bot.rollingUpdate=true")).toMatchObject({
      strategy: { type: "RollingUpdate", rollingUpdate: { maxUnavailable: 0 } },
    });
  });

  test("another policy replaces no pod, and other clusters do", async () => {
    const workloads = valuesOf("workloads");
    const podsWith = async (value: string) =>
      objectsIn(await rendered("helm4", [workloads], ["--set-json", value])).flatMap(({ kind, spec }) =>
        kind === "Deployment" ? [spec] : [],
      );

    const [bot, workloadApi] = await podsWith('bot.policy="rules: []"');
    expect(await podsWith('bot.policy="rules: [] # none"')).toEqual([bot, workloadApi]);
    const [sameBot, otherApi] = await podsWith('workloadApi.regions.us.adopt="none"');
    expect(JSON.stringify(sameBot)).not.toContain("checksum");
    expect(otherApi).not.toEqual(workloadApi);
  });
});

/** Without what other tests look at: the labels that each object has, and the rules of a Role. */
function keptOf(text: string): string {
  return text
    .replaceAll(/^ *(?:helm\.sh\/chart|app\.kubernetes\.io\/(?:managed-by|version)): .*\n/gmu, "")
    .replaceAll(/^(kind: Role\nmetadata:\n(?: .*\n)*)rules:\n(?: .*\n)*/gmu, "$1");
}

const bot = { existingSecret: "gantry" };
const workloadApi = {
  enabled: true,
  existingSecret: "gantry",
  regions: { us: { kubeconfig: "in-cluster" } },
  rbac: { namespaces: ["shop"] },
};
const image = { repository: "registry.example.com/gantry" };

/** Values that make no sense, and what Helm says of each. */
const refused: readonly (readonly [name: string, values: object, sentence: string])[] = [
  ["no image", { bot }, "image.repository is missing. Set it to where the image is, like registry.example.com/gantry."],
  ["no Secret", { image }, "bot.existingSecret is missing. Set it to the name of a Secret with SLACK_BOT_TOKEN"],
  [
    "two replicas with SQLite",
    { image, bot: { ...bot, replicas: 2 } },
    "bot.replicas is 2, but SQLite allows only one. Set bot.database.kind to postgresql and put DATABASE_URL and GANTRY_KEYS into the Secret, or set bot.replicas to 1.",
  ],
  [
    "a rolling update with SQLite",
    { image, bot: { ...bot, rollingUpdate: true } },
    "bot.rollingUpdate is true, but SQLite serves one process at a time. Set bot.database.kind to postgresql, or bot.rollingUpdate to false.",
  ],
  [
    "two policies",
    { image, bot: { ...bot, policy: "rules: []", existingPolicy: "mine" } },
    "There is more than one policy. Set only one of bot.policy, bot.policies and bot.existingPolicy.",
  ],
  [
    "policies of workspaces without a default",
    { image, bot: { ...bot, policies: { "T0123ABCD.yaml": "rules: []" } } },
    "bot.policies has no default.yaml",
  ],
  ["a policy with another name", { image, bot: { ...bot, policies: { "policy.yml": "rules: []" } } }, "policy.yml"],
  ["an Ingress without a host", { image, bot: { ...bot, ingress: { enabled: true } } }, "bot.ingress.host is missing."],
  [
    "an HTTPRoute without a Gateway",
    { image, bot: { ...bot, httpRoute: { enabled: true } } },
    "bot.httpRoute.parentRefs is missing.",
  ],
  [
    "a ServiceMonitor without metrics",
    { image, bot: { ...bot, metrics: { serviceMonitor: { enabled: true } } } },
    "bot.metrics.serviceMonitor needs metrics. Set bot.metrics.enabled to true.",
  ],
  [
    "metrics on the bot's own port",
    { image, bot: { ...bot, metrics: { enabled: true, port: 3000 } } },
    "bot.metrics.port is 3000, the port of the bot itself.",
  ],
  [
    "a variable that the chart sets",
    { image, bot: { ...bot, extraEnv: [{ name: "GANTRY_POLICY", value: "/policy.yaml" }] } },
    "bot.extraEnv has GANTRY_POLICY, which the chart sets: use bot.policy.",
  ],
  [
    "the address of another workload API",
    { image, bot: { ...bot, extraEnv: [{ name: "WORKLOAD_API_URL", value: "http://other" }] }, workloadApi },
    "bot.extraEnv has WORKLOAD_API_URL, which the chart sets",
  ],
  [
    "nothing",
    { image, bot: { enabled: false } },
    "Nothing to install: set bot.enabled or workloadApi.enabled to true.",
  ],
  [
    "a workload API without users",
    { image, bot, workloadApi: { ...workloadApi, existingSecret: "" } },
    "workloadApi.existingSecret is missing. Set it to the name of a Secret with SERVICE_USERS, like dana:TOKEN.",
  ],
  [
    "a workload API without clusters",
    { image, bot, workloadApi: { ...workloadApi, regions: {} } },
    "workloadApi.regions is missing.",
  ],
  [
    "a workload API without rights",
    { image, bot, workloadApi: { ...workloadApi, rbac: {} } },
    "workloadApi.rbac.namespaces is missing. Set it to the namespaces of your users",
  ],
  [
    "a place for logs, as earlier versions had it",
    { image, bot, workloadApi: { ...workloadApi, persistence: { enabled: false } } },
    "workloadApi.logs and workloadApi.persistence are gone: logs are no longer collected, but read live or from Loki.",
  ],
  [
    "a variable of the workload API that the chart sets",
    { image, bot, workloadApi: { ...workloadApi, extraEnv: [{ name: "SERVICE_ENGINE", value: "docker" }] } },
    "workloadApi.extraEnv has SERVICE_ENGINE, which the chart sets: the chart is for Kubernetes.",
  ],
  ["an unknown value", { image, bot: { ...bot, replica: 2 } }, "additional properties 'replica' not allowed"],
  [
    "a value of another type",
    { image, bot: { ...bot, replicas: "two" } },
    "at '/bot/replicas': got string, want integer",
  ],
  ["no replica", { image, bot: { ...bot, replicas: 0 } }, "at '/bot/replicas': minimum: got 0, want 1"],
  [
    "another database",
    { image, bot: { ...bot, database: { kind: "mysql" } } },
    "at '/bot/database/kind': value must be one of",
  ],
];

describe.skipIf(noTools !== undefined)(`the chart refuses${because(noTools)}`, () => {
  test.each(refused)("%s", async (_, values, sentence) => {
    const { code, stderr } = await tool(
      "helm4",
      ["template", "gantry", "chart", "--values", "-"],
      JSON.stringify(values),
    );

    expect(code).not.toBe(0);
    expect(stderr).toContain(sentence);
  });
});
