import { execFileSync } from "node:child_process";
import { appendFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { runProgram } from "../support/program.ts";
import { install, missingOf } from "./needs.ts";
import { fullParts, type Part } from "./parts.ts";
import { quarantine } from "./quarantine.ts";
import { createExecution, type PartResult, runPart } from "./run-part.ts";
import { ledgerLine, type NotRun, summaryOf } from "./summary.ts";

// Everything that takes too long for each change, or needs a daemon or a cluster: `.ci/full`.

const LONGEST_RUN_MS = 6 * 60 * 60_000;
const { execute, stop } = createExecution();

const usage = `.ci/full [PART …] [--ledger FILE]
  PART           ${fullParts.map(({ name }) => name).join(", ")} (all of them)
  --ledger FILE  adds a line of JSON for each part
Ends with 1 if something failed, with 2 if a part that was named could not run.
`;

type Options = { readonly parts: readonly Part[]; readonly areNamed: boolean; readonly ledger: string | undefined };

/** Throws an Error with one sentence when they make no sense. */
function readOptions(args: readonly string[]): Options {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: { ledger: { type: "string" } },
  });
  const unknown = positionals.find((word) => !fullParts.some(({ name }) => name === word));
  if (unknown !== undefined) throw new Error(`There is no part ${unknown}.`);
  const areNamed = positionals.length > 0;
  return {
    parts: areNamed ? fullParts.filter(({ name }) => positionals.includes(name)) : fullParts,
    areNamed,
    ledger: values.ledger,
  };
}

async function main({ parts, areNamed, ledger }: Options): Promise<number> {
  const since = performance.now();
  const commit = commitWithChanges();
  const results: (PartResult | NotRun)[] = [];
  for (const part of parts) {
    await install(part.needs);
    const missing = missingOf(part.needs);
    const result =
      missing === undefined ? await runPart(part, { execute, quarantine }) : { name: part.name, notRun: missing };
    results.push(result);
    // At once: what ends this run early leaves the lines of the parts before.
    if (ledger !== undefined) appendFileSync(ledger, ledgerLine(commit, result));
  }
  process.stdout.write(`\n${summaryOf(results, Math.round((performance.now() - since) / 1_000))}`);
  const ran = results.filter((result) => "seconds" in result);
  if (ran.some(({ failed }) => failed.length > 0)) return 1;
  return ran.length === 0 || (areNamed && ran.length < results.length) ? 2 : 0;
}

function commitWithChanges(): string {
  const git = (...args: readonly string[]) => execFileSync("git", args, { encoding: "utf8" }).trim();
  return git("rev-parse", "--short", "HEAD") + (git("status", "--porcelain") === "" ? "" : "+changes");
}

await runProgram({ name: "The full run", longestMs: LONGEST_RUN_MS, usage, readOptions, main, atExit: stop });
