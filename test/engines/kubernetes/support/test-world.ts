import { DEADLINE_MS } from "../../../support/until.ts";
import type { Readiness } from "../../../../src/service/engine.ts";
import { serve } from "../../../../src/service/api/serve.ts";
import { type World, worldOf } from "../../../service/contract/world.ts";
import type { TestCluster } from "../../../support/cluster.ts";
import { noWorkloads } from "../../support/process-world.ts";
import { accounts, regions } from "../../../service/contract/served.ts";
import { openTestEngine, type TestEngineOptions } from "./test-engine.ts";

/** The workload API over the Kubernetes engine, with one user and a namespace of its own. */
export type TestWorld = AsyncDisposable & {
  readonly world: World;
  readonly namespace: string;
  readonly ready: () => Readiness;
  /** What an operator reads in the log. */
  readonly events: readonly string[];
  readonly close: () => Promise<void>;
};

type Options = Partial<Pick<TestEngineOptions, "kubeconfig" | "adopt" | "settings">> & {
  /** A new one without it. */
  readonly namespace?: string;
};

export async function openTestWorld(cluster: TestCluster, options: Options = {}): Promise<TestWorld> {
  const { namespace = await cluster.newNamespace(), kubeconfig = cluster.kubeconfig, adopt, settings } = options;
  const namespaces = { [accounts.user1.username]: { us: namespace } };
  const { engine, close, ready, events } = await openTestEngine({ kubeconfig, namespaces, adopt, settings });
  const world = worldOf({
    fetch: serve({ engine, users: [accounts.user1], checkAnswers: true }),
    ...accounts,
    regions,
    workloads: noWorkloads,
    knows: { images: false, history: false },
    // A node holds a new port with a listener that never answers, until its rules are there: whoever came then asks again.
    reach: async (serviceUrl) => {
      const signal = AbortSignal.timeout(2_000);
      return await (await fetch(`http://${serviceUrl}/`, { headers: { connection: "close" }, signal })).text();
    },
    deadlineMs: DEADLINE_MS,
    close: () => close(),
  });
  const end = () => close();
  return { world, namespace, ready, events, close: end, [Symbol.asyncDispose]: end };
}
