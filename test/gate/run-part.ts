import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import { stripVTControlCharacters } from "node:util";
import type { Part, Script, Tests } from "./parts.ts";
import { MOST_QUARANTINED, type Quarantined } from "./quarantine.ts";
import { type Failure, readReport, type Report, type Test, titleOf } from "./report.ts";

const root = join(import.meta.dirname, "../..");

/** Failures in more files than this aren't flaky tests. Repeating them would take longer than the run itself. */
export const MOST_REPEATED = 5;

/** A failure: the test or script, and its message. */
export type Fault = { readonly title: string; readonly said: string };

export type Outcome = {
  readonly passed: number;
  readonly failed: readonly Fault[];
  /** Tests that failed once and passed when their file was repeated alone. Counted as passed. */
  readonly flaky: readonly Fault[];
  /** Quarantined tests that failed twice. Not counted. */
  readonly quarantined: readonly Fault[];
};

export type PartResult = Outcome & {
  readonly name: string;
  readonly budget: number;
  readonly seconds: number;
  /** Load average of the last minute when the part began. */
  readonly load: number;
};

export type Finished = { readonly code: number; readonly output: string };
/** Runs a command and shows its output. Resolves with its exit code and the end of the output. */
export type Execute = (words: readonly string[], env?: Readonly<Record<string, string>>) => Promise<Finished>;

export type Runner = { readonly execute: Execute; readonly quarantine: readonly Quarantined[] };

export async function runPart(part: Part, runner: Runner): Promise<PartResult> {
  const { name, budget, steps } = part;
  const since = performance.now();
  const [load = 0] = loadavg();
  const outcomes: Outcome[] = [];
  for (const step of steps) {
    outcomes.push(step.kind === "script" ? await runScript(step, runner) : await runTests(step, runner));
  }
  return {
    name,
    budget,
    seconds: Math.round((performance.now() - since) / 1_000),
    load: Math.round(load * 10) / 10,
    passed: outcomes.reduce((sum, { passed }) => sum + passed, 0),
    failed: outcomes.flatMap(({ failed }) => failed),
    flaky: outcomes.flatMap(({ flaky }) => flaky),
    quarantined: outcomes.flatMap(({ quarantined }) => quarantined),
  };
}

/** Failures of the quarantine list itself. */
export function faultsOf(quarantine: readonly Quarantined[]): readonly Fault[] {
  if (quarantine.length <= MOST_QUARANTINED) return [];
  const said = `${quarantine.length} tests are quarantined, and at most ${MOST_QUARANTINED} may be. Mend one, or move it to .ci/full.`;
  return [{ title: "test/gate/quarantine.ts", said }];
}

async function runScript({ name }: Script, { execute }: Runner): Promise<Outcome> {
  const { code, output } = await execute(["npm", "run", "--silent", ...name.split(" ")]);
  const none = { flaky: [], quarantined: [] };
  if (code === 0) return { passed: 1, failed: [], ...none };
  return { passed: 0, failed: [{ title: `npm run ${name}`, said: gist(output) }], ...none };
}

/** The lines of a script's output that begin with "!", and its last lines. */
function gist(output: string): string {
  const lines = output.trimEnd().split("\n");
  return [...lines.filter((line) => /^ +! /u.test(line)).slice(0, 20), ...lines.slice(-15)].join("\n");
}

async function runTests(step: Tests, runner: Runner): Promise<Outcome> {
  const { report, fault } = await vitest(step, runner);
  const { passed, failures } = report;
  const failed: Fault[] = fault === undefined ? [] : [fault];
  const flaky: Fault[] = [];
  const quarantined: Fault[] = [];
  const sort = ({ title, said }: Fault): void => {
    const entry = runner.quarantine.find(({ test }) => test === title);
    if (entry === undefined) failed.push({ title, said });
    else quarantined.push({ title, said: `since ${entry.since}: ${entry.reason}` });
  };

  const byFile = [...Map.groupBy(failures, ({ file }) => file)];
  for (const [file, first] of byFile) {
    if (byFile.length > MOST_REPEATED) {
      for (const failure of first) sort(faultOf(failure));
      continue;
    }
    const again = await vitest(step, runner, file);
    for (const failure of first) {
      if (again.fault === undefined && passes(failure, again.report)) flaky.push(faultOf(failure));
      else
        sort({
          title: titleOf(failure),
          said: `${faultOf(failure).said}\nIt failed again when its file was repeated alone.`,
        });
    }
    if (again.fault !== undefined) failed.push(again.fault);
    for (const failure of again.report.failures) {
      if (first.some((known) => isSame(known, failure))) continue;
      if (passed.some((known) => isSame(known, failure))) flaky.push(faultOf(failure));
      else sort(faultOf(failure));
    }
  }
  const skips = step.maySkip ? 0 : report.skipped;
  if (skips > 0)
    failed.push({ title: step.name, said: `${skips} tests were skipped, and nothing that they need is missing` });
  const recovered = flaky.filter(({ title }) => failures.some((failure) => titleOf(failure) === title)).length;
  return { passed: passed.length + recovered, failed, flaky, quarantined };
}

function faultOf(failure: Failure): Fault {
  return { title: titleOf(failure), said: failure.said.split("\n").slice(0, 8).join("\n") };
}

function isSame(one: Test, other: Test): boolean {
  return one.file === other.file && one.name === other.name;
}

/** Whether a failure is gone in the repeat. A test must have run and passed; a file that didn't load must now have tests that passed. */
function passes(failure: Failure, { passed, failures }: Report): boolean {
  if (failures.some((each) => isSame(each, failure))) return false;
  return failure.name === "" ? passed.length > 0 : passed.some((each) => isSame(each, failure));
}

/** Runs Vitest. `fault` is a failure that belongs to no test: the run crashed, or an error was thrown outside of tests. */
async function vitest(
  { name, command, env }: Tests,
  { execute }: Runner,
  file?: string,
): Promise<{ readonly report: Report; readonly fault?: Fault }> {
  const folder = mkdtempSync(join(tmpdir(), "gantry-gate-"));
  const path = join(folder, "report.json");
  writeFileSync(path, "");
  try {
    const { code, output } = await execute(command(path, file), env);
    const title = file === undefined ? name : `${name} ${file}`;
    const report = readReport(readFileSync(path, "utf8"), root);
    if (report === undefined) {
      const fault = { title, said: `no results\n${gist(output)}` };
      return { report: { passed: [], failures: [], skipped: 0 }, fault };
    }
    const stray = /^ +Errors +\d+ errors?$/mu.test(output);
    const isSilent = code !== 0 && report.failures.length === 0;
    const isEmpty = report.passed.length === 0 && report.failures.length === 0;
    if (!stray && !isSilent && !isEmpty) return { report };
    return { report, fault: { title, said: isEmpty ? "no test ran" : `errors outside of tests\n${gist(output)}` } };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const MOST_KEPT_CHARS = 200_000;

/** `stop` ends the running command and its child processes. */
export type Execution = { readonly execute: Execute; readonly stop: () => void };

export function createExecution(): Execution {
  let group: number | undefined;
  return {
    async execute(words, env) {
      const [program = "", ...args] = words;
      process.stdout.write(`\n== ${words.join(" ")}\n`);
      const child = spawn(program, args, {
        cwd: root,
        env: { ...process.env, ...env },
        stdio: ["ignore", "pipe", "pipe"],
        detached: true,
      });
      group = child.pid;
      let output = "";
      for (const [stream, to] of [
        [child.stdout, process.stdout],
        [child.stderr, process.stderr],
      ] as const) {
        stream.setEncoding("utf8").on("data", (chunk: string) => {
          to.write(chunk);
          output = (output + stripVTControlCharacters(chunk)).slice(-MOST_KEPT_CHARS);
        });
      }
      const [code] = (await once(child, "close")) as [number | null]; // Node's event
      group = undefined;
      return { code: code ?? 1, output };
    },
    stop() {
      if (group !== undefined) process.kill(-group, "SIGTERM");
    },
  };
}
