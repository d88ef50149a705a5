// gantry/batch: a job that runs a number of steps and exits with a code.
import { setTimeout as pause } from "node:timers/promises";
import { argumentsOf, print } from "./program.ts";

const { values, positionals, refuse } = argumentsOf(
  "[STEPS] [--exit CODE] [--delay MS] [--fail-first N]",
  ["exit", "delay", "fail-first"],
  true,
);

function count(name: string, text: string): number {
  return /^\d{1,9}$/.test(text) ? Number(text) : refuse(`${name} takes a number, not ${JSON.stringify(text)}`);
}

if (positionals.length > 1) refuse(`one number of steps, not ${positionals.length}`);
const steps = count("STEPS", positionals[0] ?? "10");
const code = count("--exit", values.exit ?? "0");
if (code > 255) refuse("--exit takes a number from 0 to 255");
const delayMs = count("--delay", values.delay ?? "500");
const failFirst = count("--fail-first", values["fail-first"] ?? "0");
// The engine counts the attempts of a job, from 1.
const attempt = Number(process.env["GANTRY_ATTEMPT"] ?? "1");

process.on("SIGTERM", () => {
  print("interrupted");
  process.exit(143);
});

for (let step = 1; step <= steps; step += 1) {
  await pause(delayMs);
  print(`step ${step} of ${steps}`);
}
if (attempt <= failFirst) {
  print(`attempt ${attempt} fails, as the first ${failFirst} are to`, { to: process.stderr });
  process.exit(1);
}
print(`done, exit ${code}`);
process.exit(code);
