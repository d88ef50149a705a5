import { contract } from "../../service/contract/contract.ts";
import { kubernetesService } from "../../service/contract/kubernetes-service.ts";
import { because, testCluster } from "../../support/cluster.ts";

const cluster = await testCluster();

contract(`a Kubernetes cluster${because(cluster.missing)}`, () => kubernetesService(cluster), {
  isSkipped: cluster.missing !== undefined,
  noPods: cluster.noPods,
});
