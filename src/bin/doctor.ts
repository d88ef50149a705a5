// Checks the deployment of this environment.
import { parseArgs } from "node:util";
import { loadEnvFile } from "../bot/compose/entry.ts";
import { calledAs } from "./programs.ts";
import { doctor } from "../bot/compose/health/doctor.ts";
import { doctorText } from "../bot/compose/health/doctor-text.ts";
import { version } from "../platform/version.ts";
import { worstOf } from "../bot/health/finding.ts";

const usage = `Usage: ${calledAs("doctor")} [--json] [--strict]
  --json     prints {state, version, findings} for scripts
  --strict   warnings fail, too
It reads the settings that the bot reads, also from .env, and changes nothing.
Exits with 0 if Gantry works, 1 if something is broken, 2 if the options are wrong.
`;

const USUAL_COLUMNS = 80;
const MOST_COLUMNS = 100;

async function run(args: readonly string[]): Promise<number> {
  const { values } = parseArgs({
    args: [...args],
    options: { json: { type: "boolean" }, strict: { type: "boolean" }, help: { type: "boolean", short: "h" } },
  });
  if (values.help === true) {
    process.stdout.write(usage);
    return 0;
  }
  loadEnvFile(process.env["GANTRY_ENV_FILE"]);
  const findings = await doctor(process.env);
  const state = worstOf(findings);
  const { isTTY } = process.stdout;
  const text = doctorText(findings, {
    columns: isTTY ? Math.min(process.stdout.columns, MOST_COLUMNS) : USUAL_COLUMNS,
    isColoured: isTTY && !process.env["NO_COLOR"],
    title: `Gantry ${version}`,
  });
  process.stdout.write(`${values.json === true ? JSON.stringify({ state, version, findings }, undefined, 2) : text}\n`);
  return state === "broken" || (state === "warning" && values.strict === true) ? 1 : 0;
}

try {
  process.exitCode = await run(process.argv.slice(2));
} catch (error) {
  const isUsage = error instanceof Error && "code" in error && String(error.code).startsWith("ERR_PARSE_ARGS");
  process.stderr.write(
    isUsage ? `${error.message}\n\n${usage}` : `${error instanceof Error ? error.stack : String(error)}\n`,
  );
  process.exitCode = isUsage ? 2 : 1;
}
