// Exports or erases what is kept of a person: `gantry data export|erase USER`.
import { parseArgs } from "node:util";
import { DataUsageError, runDataCommand } from "../bot/compose/data/command.ts";
import { erasePersonNow, exportPerson } from "../bot/compose/data/person.ts";
import { readConfig } from "../bot/compose/config.ts";
import { calledAs } from "./programs.ts";

const usage = `Usage: ${calledAs("data")} export U0123ABCD
       ${calledAs("data")} erase U0123ABCD --yes
export   prints everything that is kept of a person as JSON, without tokens
erase    replaces their names and what they typed, and their ID by a pseudonym. It can't be undone.
Works while Gantry runs. docs/backup.md says what isn't reached.
`;

await runDataCommand({ usage, envFile: process.env["GANTRY_ENV_FILE"] }, async () => {
  const { values, positionals } = parseArgs({
    args: process.argv.slice(2),
    allowPositionals: true,
    options: { yes: { type: "boolean" } },
  });
  const [what, user, extra] = positionals;
  if ((what !== "export" && what !== "erase") || extra !== undefined) throw new DataUsageError("Use export or erase.");
  if (user === undefined || !/^[UW][A-Z0-9]{2,}$/u.test(user)) {
    throw new DataUsageError("Name a person by their Slack ID, like U0123ABCD: Copy member ID in their profile.");
  }
  const config = readConfig(process.env);
  if (what === "export") return exportPerson(config, user);
  if (values.yes !== true) throw new DataUsageError("It can't be undone: add --yes. Nothing was erased.");
  return erasePersonNow(config, user);
});
