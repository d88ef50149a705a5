import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { cpus, loadavg, totalmem } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { runProgram } from "../support/program.ts";
import { type Entry, pageOf } from "./page.ts";
import { type Part, parts } from "./parts.ts";
import { endCommands, type Outcome, runCommand } from "./run-command.ts";

/** Runs what proves Gantry's claims, one part after the other, and writes docs/report.md. */

const root = join(import.meta.dirname, "../..");
const page = "docs/report.md";
const LONGEST_RUN_MS = 4 * 60 * 60_000;
const LONGEST_PART_MS = 60 * 60_000;
const LONGEST_QUICK_PART_MS = 10 * 60_000;

const usage = `npm run report -- [options]
  --quick        each part at a small size: a few minutes on a quiet machine
  --only NAME    only this part, and again for more: ${parts.map(({ name }) => name).join(", ")}
Writes ${page}. Ends with 1 when a part failed; one that isn't run is on the page, too.
`;

type Options = { readonly isQuick: boolean; readonly only: readonly string[] | undefined };

function readOptions(args: readonly string[]): Options {
  const { values } = parseArgs({
    args: [...args],
    options: { quick: { type: "boolean", default: false }, only: { type: "string", multiple: true } },
  });
  const unknown = values.only?.find((name) => !parts.some((part) => part.name === name));
  if (unknown !== undefined) throw new Error(`no part is called “${unknown}”`);
  return { isQuick: values.quick, only: values.only };
}

async function main({ isQuick, only }: Options): Promise<number> {
  const git = (...args: string[]): string => execFileSync("git", args, { cwd: root, encoding: "utf8" }).trim();
  const isChanged = git("status", "--porcelain", "--", ".", `:!${page}`) !== "";
  const commit = `${git("rev-parse", "--short", "HEAD")}${isChanged ? ", with changes that aren't committed" : ""}`;
  const loadBefore = load();
  const entries: Entry[] = [];
  for (const part of parts) {
    const command = isQuick ? part.quick : part.command;
    process.stderr.write(`${part.title}: ${command}\n`);
    const longestMs = isQuick ? LONGEST_QUICK_PART_MS : LONGEST_PART_MS;
    const outcome = notRun(part, only) ?? (await runCommand(command, { longestMs }));
    const printed = outcome.kind === "not run" ? [] : outcome.printed;
    process.stderr.write([...printed, `${part.title}: ${outcome.kind}`, ""].join("\n"));
    entries.push({ part, command, outcome });
  }
  const memory = `${Math.round(totalmem() / 1024 ** 3)} GB`;
  const processors = `${cpus().length} × ${cpus()[0]?.model ?? "unknown processor"}`;
  const machine = `${processors}, ${memory}, ${process.platform} ${process.arch}, Node ${process.version}; load average ${loadBefore} at the start, ${load()} at the end`;
  const date = new Date()
    .toISOString()
    .replace("T", " ")
    .replace(/:\d\d\..*/u, " UTC");
  writeFileSync(join(root, page), pageOf({ date, commit, machine, isQuick, entries }));
  process.stdout.write(`${page} is written.\n`);
  return entries.some(({ outcome }) => outcome.kind === "failed") ? 1 : 0;
}

function notRun({ name, needs }: Part, only: readonly string[] | undefined): Outcome | undefined {
  if (only !== undefined && !only.includes(name)) return { kind: "not run", why: "this run left it out by `--only`" };
  if (needs !== undefined && !process.env[needs]) return { kind: "not run", why: `\`${needs}\` was not set` };
  return undefined;
}

function load(): string {
  return loadavg()[0]?.toFixed(1) ?? "unknown";
}

await runProgram({ name: "The report", longestMs: LONGEST_RUN_MS, usage, readOptions, main, atExit: endCommands });
