import { openDockerService } from "../../service/contract/docker-service.ts";
import { restartContract } from "../../service/contract/restart-contract.ts";
import { testDaemons } from "../../support/docker.ts";

for (const { title, host, missing } of await testDaemons()) {
  const socketPath = host.replace("unix://", "");
  const open = (dataDir: string) => openDockerService(dataDir, { socketPath, keepWorkloads: true });
  restartContract(title, open, { isSkipped: missing !== undefined });
}
