import { randomBytes } from "node:crypto";
import { kubeConfigOf } from "../../src/service/engines/kubernetes/cluster/connect.ts";
import { kubeCall, type KubeBody, type KubeItem, type KubeReply, type KubeRequest } from "./kube-call.ts";
import { until } from "./until.ts";
import { machineClock } from "../../src/platform/clock.ts";

/** The cluster of GANTRY_TEST_KUBECONFIG. Tests use only namespaces that they made. */
export type TestCluster = {
  /** Why tests that need a cluster are skipped; undefined when there is one. */
  readonly missing: string | undefined;
  /** Why tests that need running pods are skipped; undefined where pods run. */
  readonly noPods: string | undefined;
  /** The kubeconfig's path. */
  readonly kubeconfig: string;
  /** A static busybox that the nodes have, or can pull. */
  readonly image: string;
  /** The same under another name. */
  readonly otherImage: string;
  /** Makes a namespace `gantry-test-…` and resolves when pods can be made in it. */
  readonly newNamespace: (stem?: string) => Promise<string>;
  /** Starts the deletion of one: a node runs no more than 110 pods. */
  readonly removeNamespace: (name: string) => Promise<void>;
  /** Starts the deletion of every namespace that was made here. */
  readonly removeNamespaces: () => Promise<void>;
  /** Any request, as the kubeconfig's user or with another token; resolves for each status. */
  readonly call: (request: KubeRequest) => Promise<KubeReply>;
  /** Like `call`, and the status must be below 300. */
  readonly must: (request: KubeRequest) => Promise<KubeBody>;
  /** The objects at a path, with a label selector if one is given. */
  readonly listed: (path: string, labelSelector?: string) => Promise<readonly KubeItem[]>;
};

const NONE = "skipped: needs a Kubernetes cluster: npm run test:engines -- kubernetes brings one up";
const NO_NODE = "skipped: needs running pods, and this cluster has no node";

/**
 * A cluster that is given and doesn't answer is an error, not a reason to skip. Without one, tests can be registered all
 * the same: the report shows them as skipped.
 */
export async function testCluster(): Promise<TestCluster> {
  const path = process.env["GANTRY_TEST_KUBECONFIG"] ?? "";
  const image = process.env["GANTRY_TEST_IMAGE"] ?? "localhost/busybox:1";
  const otherImage = process.env["GANTRY_TEST_OTHER_IMAGE"] ?? "localhost/pause:1";
  if (path === "") {
    const asks = requests(() => Promise.reject(new Error(NONE)));
    return { missing: NONE, noPods: NONE, kubeconfig: path, image, otherImage, ...asks, ...namespaces(asks) };
  }
  const config = await kubeConfigOf({ kubeconfig: { path }, context: undefined }, machineClock);
  const asks = requests((request) => kubeCall(config, request));
  const nodes = await asks.listed("/api/v1/nodes");
  const noPods = nodes.length === 0 ? NO_NODE : undefined;
  return { missing: undefined, noPods, kubeconfig: path, image, otherImage, ...asks, ...namespaces(asks) };
}

/** The end of a title: why its tests are skipped, if they are. */
export function because(reason: string | undefined): string {
  return reason === undefined ? "" : ` (${reason})`;
}

type Asks = Pick<TestCluster, "call" | "must" | "listed">;

function requests(call: Asks["call"]): Asks {
  const must: Asks["must"] = async (request) => {
    const { status, body } = await call(request);
    if (status < 300) return body;
    throw new Error(`${request.method} ${request.path}: ${status} ${String(body["message"])}`);
  };
  return {
    call,
    must,
    async listed(path, labelSelector) {
      const query = labelSelector === undefined ? "" : `?labelSelector=${encodeURIComponent(labelSelector)}`;
      return (await must({ method: "GET", path: `${path}${query}` })).items ?? [];
    },
  };
}

function namespaces({ call, must }: Asks) {
  const made = new Set<string>();
  const removeNamespace = async (name: string): Promise<void> => {
    made.delete(name);
    await call({ method: "DELETE", path: `/api/v1/namespaces/${name}` });
  };
  return {
    async newNamespace(stem = "any") {
      const name = `gantry-test-${stem}-${randomBytes(4).toString("hex")}`;
      made.add(name);
      await must({ method: "POST", path: "/api/v1/namespaces", body: { metadata: { name } } });
      // Pods that are made before it are refused.
      const account = { method: "GET", path: `/api/v1/namespaces/${name}/serviceaccounts/default` } as const;
      await until(async () => (await call(account)).status === 200);
      return name;
    },
    removeNamespace,
    async removeNamespaces() {
      await Promise.all([...made].map(removeNamespace));
    },
  };
}
