// Checks the deployment of this environment.
import { runCommand, typed, UsageError } from "./command.ts";
import { calledAs } from "./programs.ts";
import { doctor } from "../bot/compose/health/doctor.ts";
import { doctorText } from "../bot/health/checkup.ts";
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

await runCommand({ usage }, async () => {
  const { values, positionals } = typed({ json: { type: "boolean" }, strict: { type: "boolean" } });
  const [extra] = positionals;
  if (extra !== undefined) throw new UsageError(`Unexpected argument “${extra}”.`);
  const findings = await doctor(process.env);
  const state = worstOf(findings);
  const { isTTY } = process.stdout;
  const text = doctorText(findings, {
    columns: isTTY ? Math.min(process.stdout.columns, MOST_COLUMNS) : USUAL_COLUMNS,
    isColoured: isTTY && !process.env["NO_COLOR"],
    title: `Gantry ${version}`,
  });
  return {
    says: values.json === true ? JSON.stringify({ state, version, findings }, undefined, 2) : text,
    code: state === "broken" || (state === "warning" && values.strict === true) ? 1 : 0,
  };
});
