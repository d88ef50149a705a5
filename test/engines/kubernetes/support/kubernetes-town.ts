import { setTimeout as pause } from "node:timers/promises";
import type { TestCluster } from "../../../support/cluster.ts";
import { realTimeClock } from "../../../support/test-clock.ts";
import { world } from "../../../support/world.ts";
import { openTestEngine } from "./test-engine.ts";

/** The whole bot over the Kubernetes engine, in a namespace of its own. */
export async function townOnKubernetes(cluster: TestCluster, { adopt }: { readonly adopt?: "all" } = {}) {
  const { newNamespace, kubeconfig } = cluster;
  const namespaces = { us: await newNamespace("flow-us"), beijing1: await newNamespace("flow") };
  const opened = await openTestEngine({ kubeconfig, namespaces: { gantry: namespaces }, adopt });
  const town = await world({ opened, clock: realTimeClock(), wait: pause, sweepsByItself: true });
  const close = async () => {
    await town.close();
    await opened.close();
  };
  return { ...town, namespaces, close, [Symbol.asyncDispose]: close };
}
