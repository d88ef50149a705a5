import { contract } from "./contract/contract.ts";
import { sqliteForAll } from "./support/one-database.ts";

contract("the store on SQLite", sqliteForAll());
