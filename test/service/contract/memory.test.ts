import { contract } from "./contract.ts";
import { memoryService } from "./memory-service.ts";

contract("an engine in memory", memoryService, { hasEvents: false });
