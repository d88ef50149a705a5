import { contract } from "../../service/contract/contract.ts";
import { dockerService } from "../../service/contract/docker-service.ts";
import { testDaemons } from "../../support/docker.ts";

for (const daemon of await testDaemons()) {
  contract(daemon.title, () => dockerService(daemon.host.replace("unix://", "")), {
    isSkipped: daemon.missing !== undefined,
  });
}
