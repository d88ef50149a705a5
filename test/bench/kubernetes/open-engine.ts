import type { NewServiceContainer, ServiceUpdate } from "../../../src/api/schema.ts";
import type { Answer } from "../../../src/api/operations.ts";
import type { ClusterConfig } from "../../../src/service/engines/kubernetes/cluster/cluster-config.ts";
import { Refusal } from "../../../src/service/engine.ts";
import { openKubernetesEngine } from "../../../src/service/engines/kubernetes/kubernetes-engine.ts";

export type BenchEngine = {
  readonly list: () => Promise<Answer<"listServices">>;
  /** Creates a service of one instance. */
  readonly create: (name: string, container: NewServiceContainer) => Promise<void>;
  readonly read: (name: string) => Promise<Answer<"getService">>;
  readonly update: (name: string, body: ServiceUpdate) => Promise<void>;
  readonly close: () => Promise<void>;
};

/** The engine of `npm run service` over one namespace, adopting all that runs there. */
export async function openBenchEngine(kubeconfig: string, namespace: string): Promise<BenchEngine> {
  const config: ClusterConfig = {
    region: "us",
    kubeconfig: { path: kubeconfig },
    context: undefined,
    namespacesOf: () => ({ names: [namespace] }),
    domains: { by: "none" },
    ports: { by: "cluster" },
    disks: undefined,
    hostPath: undefined,
    jobs: false,
    adopt: { workloads: "all", allow: ["image"] },
  };
  const { engine, close } = await openKubernetesEngine({
    clusters: [config],
    users: ["dana"],
    onEvent: (message, data) => process.stderr.write(`${message} ${JSON.stringify(data)}\n`),
  });
  const user = { username: "dana" };
  return {
    async list() {
      const signal = AbortSignal.timeout(60_000);
      for (;;) {
        try {
          return await engine.listServices({ user, path: { region: "us" }, query: undefined, body: undefined, signal });
        } catch (error) {
          // A read gives up before the first list of a slow cluster is complete; the next one waits for the same list.
          if (!(error instanceof Refusal) || signal.aborted) throw error;
        }
      }
    },
    async create(service_name, container) {
      const path = { region: "us", service_name };
      const signal = AbortSignal.timeout(60_000);
      await engine.createService({ user, path, query: undefined, body: { containers: [container] }, signal });
    },
    async read(service_name) {
      const path = { region: "us", service_name };
      const signal = AbortSignal.timeout(60_000);
      return await engine.getService({ user, path, query: undefined, body: undefined, signal });
    },
    async update(service_name, body) {
      const path = { region: "us", service_name };
      const signal = AbortSignal.timeout(60_000);
      await engine.updateService({ user, path, query: undefined, body, signal });
    },
    close: () => close(),
  };
}
