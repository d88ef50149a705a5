import { contract } from "./contract/contract.ts";
import { openLogs } from "./open-logs.ts";

contract("the logs on SQLite", openLogs);
