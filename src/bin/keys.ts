// Shows and changes the keys that seal what is stored: `gantry keys list|add|reseal`.
import { parseArgs } from "node:util";
import { DataUsageError, runDataCommand } from "../bot/compose/data/command.ts";
import { listKeys, resealNow } from "../bot/compose/data/person.ts";
import { readConfig } from "../bot/compose/config.ts";
import { addKey } from "../bot/compose/keys.ts";
import { calledAs } from "./programs.ts";

const usage = `Usage: ${calledAs("keys")} list|add|reseal
list     shows how many stored values each key sealed
add      puts a new key in front of the key file; restart Gantry afterwards
reseal   seals everything with the first key, while Gantry runs
`;

await runDataCommand({ usage, envFile: process.env["GANTRY_ENV_FILE"] }, async () => {
  const { positionals } = parseArgs({ args: process.argv.slice(2), allowPositionals: true, options: {} });
  const [what, extra] = positionals;
  if (extra !== undefined) throw new DataUsageError(`Unexpected argument “${extra}”.`);
  const config = readConfig(process.env);
  if (what === "list") return listKeys(config);
  if (what === "reseal") return resealNow(config);
  if (what === "add") return addKey(config, `${calledAs("keys")} reseal`);
  throw new DataUsageError("Use list, add or reseal.");
});
