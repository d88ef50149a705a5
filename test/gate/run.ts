import { execFileSync } from "node:child_process";
import { parseArgs } from "node:util";
import { runProgram } from "../support/program.ts";
import { install, missingOf } from "./needs.ts";
import { gateParts } from "./parts.ts";
import { quarantine } from "./quarantine.ts";
import { createExecution, faultsOf, type PartResult, runPart } from "./run-part.ts";
import { summaryOf } from "./summary.ts";

// What every change has to pass: `.ci/run`, which has installed the packages of npm.

const LONGEST_RUN_MS = 80 * 60_000;
const { execute, stop } = createExecution();

async function main({ installSeconds }: { readonly installSeconds: number }): Promise<number> {
  const since = performance.now() - installSeconds * 1_000;
  const parts = gateParts(headCommit());
  const nothing = { load: 0, passed: 0, flaky: [], quarantined: [] };
  const results: PartResult[] = [
    { ...nothing, name: "npm ci", budget: 40, seconds: installSeconds, failed: faultsOf(quarantine) },
  ];
  // Beside the first part, which needs none of it.
  const installing = install(parts.flatMap(({ needs }) => needs));
  for (const part of parts) {
    if (part.needs.length > 0) await installing;
    const missing = missingOf(part.needs);
    results.push(
      missing === undefined
        ? await runPart(part, { execute, quarantine })
        : {
            ...nothing,
            name: part.name,
            budget: part.budget,
            seconds: 0,
            failed: [{ title: part.name, said: missing }],
          },
    );
    if (part === parts[0] && results.some(({ failed }) => failed.length > 0)) break;
  }
  await installing;
  process.stdout.write(`\n${summaryOf(results, Math.round((performance.now() - since) / 1_000))}`);
  return results.some(({ failed }) => failed.length > 0) ? 1 : 0;
}

function headCommit(): string {
  try {
    return execFileSync("git", ["rev-parse", "HEAD"], { encoding: "utf8" }).trim();
  } catch {
    return "";
  }
}

await runProgram({
  name: "The gate",
  longestMs: LONGEST_RUN_MS,
  usage: "node test/gate/run.ts --install-seconds N\n",
  readOptions(args) {
    const { values } = parseArgs({ args: [...args], options: { "install-seconds": { type: "string", default: "0" } } });
    return { installSeconds: Number(values["install-seconds"]) };
  },
  main,
  atExit: stop,
});
