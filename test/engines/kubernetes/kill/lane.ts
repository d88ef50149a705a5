import type { World } from "../../../service/contract/world.ts";
import type { TestCluster } from "../../../support/cluster.ts";
import { type ApiFront, openApiFront } from "../support/api-front.ts";
import { serviceSettings } from "../support/service-settings.ts";
import { worldOfProcess } from "../../support/process-world.ts";
import { type ServiceProcess, startServiceProcess } from "../../../support/service-process.ts";

/** One service with a namespace of its own; rounds are played in it one after the other. */
export type Lane = AsyncDisposable & {
  readonly cluster: TestCluster;
  readonly namespace: string;
  readonly front: ApiFront;
  /** Asks whichever service runs; rejects while none does. */
  readonly world: World;
  /** `kill -9`, if it still runs. */
  readonly kill: () => Promise<void>;
  /** Starts the service again, if it doesn't run. */
  readonly start: () => Promise<void>;
};

export async function openLane(cluster: TestCluster): Promise<Lane> {
  const namespace = await cluster.newNamespace("kill");
  const front = await openApiFront(cluster.kubeconfig);
  const settings = serviceSettings({ kubeconfig: front.kubeconfig, namespace });
  let service: ServiceProcess | undefined;
  const world = worldOfProcess(() => service);
  const kill = async () => {
    const dying = service;
    service = undefined;
    await dying?.kill();
  };
  return {
    cluster,
    namespace,
    front,
    world,
    kill,
    async start() {
      service ??= await startServiceProcess(settings.env);
    },
    async [Symbol.asyncDispose]() {
      await kill();
      await front.close();
      settings.remove();
    },
  };
}
