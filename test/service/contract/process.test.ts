import { contract } from "./contract.ts";
import { processService } from "./process-service.ts";

contract("real processes", processService);
