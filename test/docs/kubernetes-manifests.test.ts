import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { parse, parseAllDocuments } from "yaml";
import { defaultPolicyText } from "../../src/bot/policy/read-policy.ts";
import { version } from "../../src/platform/version.ts";
import { brokenRules, type PodSpec } from "../support/restricted.ts";

// What can be told of the chart and of the kustomize bases without Helm; test/chart renders them.

const read = (path: string): string => readFileSync(join(import.meta.dirname, "../..", path), "utf8");

type Container = PodSpec["containers"][number] & {
  readonly image: string;
  readonly args: readonly string[];
  readonly volumeMounts: readonly { readonly name: string; readonly mountPath: string }[];
  readonly resources: { readonly requests: object; readonly limits: object };
  readonly securityContext: { readonly readOnlyRootFilesystem: boolean };
} & Readonly<
    Record<"startupProbe" | "readinessProbe" | "livenessProbe", { readonly httpGet: { readonly path: string } }>
  >;
type Pod = PodSpec & {
  readonly containers: readonly Container[];
  readonly securityContext: { readonly runAsUser: number; readonly runAsGroup: number; readonly fsGroup: number };
};

const bases = ["bot", "workload-api"] as const;

/** The pod of a kustomize base. */
function podOf(base: (typeof bases)[number]): { readonly pod: Pod; readonly container: Container } {
  const documents = parseAllDocuments(read(`docs/kustomize/${base}/gantry.yaml`));
  const objects = documents.map(
    (each) => each.toJS() as { kind: string; spec: { template: { spec: Pod } } } | null, // our own file
  );
  const pod = objects.find((object) => object?.kind === "Deployment")?.spec.template.spec;
  const container = pod?.containers[0];
  if (!pod || !container) throw new Error("the file has no Deployment");
  return { pod, container };
}

test.each(bases)("the pod of the base %s breaks no rule of PodSecurity restricted", (base) => {
  expect(brokenRules(podOf(base).pod)).toEqual([]);
});

test.each(bases)("the pod of %s runs as the user of the image, who owns the data, and writes nowhere else", (base) => {
  const { pod, container } = podOf(base);
  const dockerfile = read("Dockerfile");

  // The images of Node give `node` the id 1000.
  expect([...dockerfile.matchAll(/^USER (.*)$/gmu)].at(-1)?.[1]).toBe("node");
  expect(pod.securityContext).toMatchObject({ runAsUser: 1000, runAsGroup: 1000, fsGroup: 1000 });
  expect(container.securityContext.readOnlyRootFilesystem).toBe(true);
  expect(container.volumeMounts.map(({ mountPath }) => mountPath)).toEqual(
    expect.arrayContaining([/GANTRY_DATA=(\S+)/u.exec(dockerfile)?.[1], "/tmp"]),
  );
});

test("they have probes and resources, and aren't restarted because a cluster, Slack or the database is away", () => {
  const probes = bases.map((base) => {
    const { startupProbe, readinessProbe, livenessProbe, resources } = podOf(base).container;
    expect(Object.keys(resources.requests)).toEqual(["cpu", "memory"]);
    expect(Object.keys(resources.limits)).toContain("memory");
    return [startupProbe, readinessProbe, livenessProbe].map(({ httpGet }) => httpGet.path);
  });

  expect(probes).toEqual([
    ["/healthz", "/readyz", "/healthz"],
    ["/healthz", "/healthz", "/livez"],
  ]);
});

test("README, chart, bases and changelog are of the version of Gantry", () => {
  expect(parse(read("chart/Chart.yaml"))).toMatchObject({ version, appVersion: version });
  expect(bases.map((base) => podOf(base).container.image)).toEqual(bases.map(() => `gantry:${version}`));
  expect(read("README.md")).toContain(`Version ${version} · `);
  expect(read("CHANGELOG.md")).toMatch(new RegExp(`^## ${version.replaceAll(".", "\\.")}\\b`, "mu"));
});

test("the Role in the chart is the documented one, which a package of the chart can't read", () => {
  expect(read("chart/files/kubernetes-role.yaml")).toBe(read("docs/kubernetes-role.yaml"));
});

test("the policy of the base is the built-in one", () => {
  expect(read("docs/kustomize/bot/policy.yaml")).toBe(defaultPolicyText);
});

type Schema = { readonly properties?: Readonly<Record<string, Schema>>; readonly additionalProperties?: unknown };

/** `bot.ingress.host` and so on, of objects whose keys are all known. */
function pathsOf(schema: Schema, values: unknown, at = ""): readonly string[] {
  return Object.entries(schema.properties ?? {}).flatMap(([name, inner]) => {
    const value = (values as Readonly<Record<string, unknown>> | undefined)?.[name]; // as the schema says
    const path = `${at}${name}`;
    return value === undefined ? [path] : pathsOf(inner, value, `${path}.`);
  });
}

test("values.yaml shows every value that the schema allows", () => {
  const undocumented = pathsOf(
    JSON.parse(read("chart/values.schema.json")) as Schema,
    parse(read("chart/values.yaml")),
  );

  // Helm itself passes global values to each chart. The others are gone: a sentence of the chart says what to do.
  expect(undocumented).toEqual(["global", "workloadApi.persistence", "workloadApi.logs"]);
});
