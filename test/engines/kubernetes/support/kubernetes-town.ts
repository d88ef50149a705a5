import { setTimeout as pause } from "node:timers/promises";
import type { TestCluster } from "../../../support/cluster.ts";
import { world, type WorldOptions } from "../../../support/world.ts";
import { openTestEngine } from "./test-engine.ts";

type Options = Pick<WorldOptions, "sweepEveryMs"> & { readonly adopt?: "all" };

/** The whole bot over the Kubernetes engine, in a namespace of its own. */
export async function townOnKubernetes(cluster: TestCluster, { adopt, ...options }: Options = {}) {
  const { newNamespace, kubeconfig } = cluster;
  const namespaces = { us: await newNamespace("flow-us"), beijing1: await newNamespace("flow") };
  const opened = await openTestEngine({ kubeconfig, namespaces: { gantry: namespaces }, adopt });
  const town = await world({ ...options, opened, wait: pause });
  const close = async () => {
    await town.close();
    await opened.close();
  };
  return { ...town, namespaces, close, [Symbol.asyncDispose]: close };
}
