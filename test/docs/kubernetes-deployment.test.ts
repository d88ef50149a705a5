import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { parseAllDocuments } from "yaml";
import { brokenRules, type PodSpec } from "../support/restricted.ts";

const root = join(import.meta.dirname, "../..");

type Container = PodSpec["containers"][number] & {
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

/** The pod of docs/kubernetes-deployment.yaml. */
function documentedPod(): { readonly pod: Pod; readonly container: Container } {
  const documents = parseAllDocuments(readFileSync(join(root, "docs/kubernetes-deployment.yaml"), "utf8"));
  const objects = documents.map((each) => each.toJS() as { kind: string; spec: { template: { spec: Pod } } }); // our own file
  const pod = objects.find(({ kind }) => kind === "Deployment")?.spec.template.spec;
  const container = pod?.containers[0];
  if (!pod || !container) throw new Error("the file has no Deployment");
  return { pod, container };
}

test("the documented pod of Gantry breaks no rule of PodSecurity restricted", () => {
  expect(brokenRules(documentedPod().pod)).toEqual([]);
});

test("it runs as the user of the image, who owns the data, and writes nowhere else", () => {
  const { pod, container } = documentedPod();
  const dockerfile = readFileSync(join(root, "Dockerfile"), "utf8");

  // The images of Node give `node` the id 1000.
  expect([...dockerfile.matchAll(/^USER (.*)$/gmu)].at(-1)?.[1]).toBe("node");
  expect(pod.securityContext).toMatchObject({ runAsUser: 1000, runAsGroup: 1000, fsGroup: 1000 });
  expect(container.securityContext.readOnlyRootFilesystem).toBe(true);
  expect(container.volumeMounts.map(({ mountPath }) => mountPath)).toEqual(
    expect.arrayContaining([/GANTRY_DATA=(\S+)/u.exec(dockerfile)?.[1], "/tmp"]),
  );
});

test("it has probes and resources, and isn't restarted because a cluster is away", () => {
  const { container } = documentedPod();

  expect(container.startupProbe.httpGet.path).toBe("/healthz");
  expect(container.readinessProbe.httpGet.path).toBe("/healthz");
  expect(container.livenessProbe.httpGet.path).toBe("/livez");
  expect(Object.keys(container.resources.requests)).toEqual(["cpu", "memory"]);
  expect(Object.keys(container.resources.limits)).toEqual(["cpu", "memory"]);
});
