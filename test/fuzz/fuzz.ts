import { spawn } from "node:child_process";
import { once } from "node:events";
import { runProgram } from "../support/program.ts";
import { canCount } from "./counts.ts";
import { type Options, readOptions, type SettingName, usage } from "./options.ts";
import { needsNamespace } from "./places.ts";
import { operations } from "./requests.ts";
import { RAW_PORTS, runRaw } from "./raw/run-raw.ts";
import { runSetting } from "./run.ts";
import { killServiceProcesses } from "../support/service-process.ts";
import { unmountAll } from "./small-disk.ts";
import { messageOf } from "./storm.ts";

/** Requests of which only some make sense, to the workload API, and raw bytes to all our programs: real processes. Ends by itself. */

const LONGEST_RUN_MS = 30 * 60_000;

async function main(options: Options): Promise<number> {
  if (!canCount)
    return skip(options, "descriptors and processes are counted in /proc, which this system does not have");
  process.stdout.write(`Fuzz, seed ${options.seed}\n`);
  let found = 0;
  const sent = options.settings.reduce((sum, setting) => sum + shareOf(setting, options), 0);
  const done = new Set<string>();
  for (const setting of options.settings) {
    const result = await runOne(setting, options);
    found += result.found;
    for (const op of result.done) done.add(op);
  }
  const missing = operations.filter((op) => !done.has(op));
  const isWhole = options.settings.includes("plain") && options.requests >= 10_000;
  if (isWhole && missing.length > 0) process.stdout.write(`! never answered with 200: ${missing.join(", ")}\n`);
  process.stdout.write(`${sent} requests, ${done.size} of ${operations.length} operations, ${found} failures\n`);
  return found > 0 || (isWhole && missing.length > 0) ? 1 : 0;
}

type Result = { readonly found: number; readonly done: Iterable<string> };

async function runOne(setting: SettingName, options: Options): Promise<Result> {
  if (setting === "disk" && needsNamespace()) return await inNamespace(options);
  const since = performance.now();
  const count = shareOf(setting, options);
  try {
    const findings = await (setting === "raw" ? runRaw(options, count) : runSetting(setting, options, count));
    const seconds = Math.round((performance.now() - since) / 1000);
    const replay = findings.count() > 0 ? `; again with --seed ${options.seed} --setting ${setting}` : "";
    process.stdout.write(`${setting}: ${count} requests in ${seconds} s, ${findings.count()} failures${replay}\n`);
    for (const line of findings.lines()) process.stdout.write(`${line}\n`);
    return { found: findings.count(), done: findings.done };
  } catch (error) {
    return { found: skip(options, `${setting}: ${messageOf(error)}`), done: [] };
  } finally {
    killServiceProcesses();
    unmountAll();
  }
}

/** Alone, a setting has as many as it has among the others, so that a seed means the same. */
function shareOf(setting: SettingName, { requests }: Options): number {
  if (setting === "raw") return Math.ceil(requests / 21) * RAW_PORTS;
  return Math.ceil(requests / (setting === "plain" ? 2 : 4));
}

/** Who may not mount can do so in a namespace of their own, which this program is started in again. */
async function inNamespace({ seed, requests, allowSkip }: Options): Promise<Result> {
  const args = ["--setting", "disk", "--seed", String(seed), "--requests", String(requests)];
  const own = [process.argv[1] ?? "", ...args, ...(allowSkip ? ["--allow-skip"] : [])];
  const child = spawn("unshare", ["-rm", process.execPath, ...own], { stdio: "inherit" });
  const [code] = await once(child, "exit");
  return { found: code === 0 ? 0 : 1, done: [] };
}

/** Returns how many failures that is. */
function skip({ allowSkip }: Options, why: string): number {
  process.stdout.write(allowSkip ? `Left out: ${why}\n` : `! ${why} (--allow-skip leaves it out)\n`);
  return allowSkip ? 0 : 1;
}

await runProgram({
  name: "The fuzz",
  longestMs: LONGEST_RUN_MS,
  usage,
  readOptions,
  main,
  atExit() {
    killServiceProcesses();
    unmountAll();
  },
});
