import { machineClock } from "../../../src/platform/clock.ts";
import { makeCluster } from "../support/memory-runtime.ts";
import { openClusterService } from "./memory-service.ts";
import { openProcessService } from "./process-service.ts";
import { restartContract } from "./restart-contract.ts";

restartContract("real processes", openProcessService);

const stopped = makeCluster({ clock: machineClock });
restartContract("a cluster whose units are stopped", (dataDir) => openClusterService(dataDir, stopped, false));

const kept = makeCluster({ clock: machineClock });
restartContract("a cluster whose units run on", (dataDir) => openClusterService(dataDir, kept, true));
