import { afterAll } from "vitest";
import { makeNamespaces, nodeAddress, openKubernetesService } from "../../service/contract/kubernetes-service.ts";
import { restartContract } from "../../service/contract/restart-contract.ts";
import { because, testCluster } from "../../support/cluster.ts";

const cluster = await testCluster();
afterAll(() => cluster.removeNamespaces());

let namespaces: ReturnType<typeof makeNamespaces> | undefined;

restartContract(
  `a Kubernetes node${because(cluster.noPods)}`,
  async () => {
    namespaces ??= makeNamespaces(cluster);
    const host = await nodeAddress(cluster);
    return await openKubernetesService({ cluster, namespaces: await namespaces, host });
  },
  { isSkipped: cluster.noPods !== undefined },
);
