import { spawn } from "node:child_process";
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { z } from "zod";
import { mutate } from "./mutate.ts";
import type { Mutant } from "./mutants.ts";

/** A copy of the repository in which sources can be broken. */
export type Tree = {
  /** Runs these test files as they are in the tree now. */
  readonly run: (tests: readonly string[]) => Promise<Result>;
  /** The same with a bug in the sources, which are mended afterwards. */
  readonly runWith: (mutant: Mutant) => Promise<Result>;
  /** Ends what still runs in it. */
  readonly remove: () => void;
};

export type Result =
  | { readonly kind: "passed"; readonly tests: number }
  /** The titles of the tests that failed. */
  | { readonly kind: "failed"; readonly tests: readonly string[] }
  /** A file came to no verdict, and why. */
  | { readonly kind: "broken"; readonly output: string };

const LONGEST_RUN_MS = 180_000;
const PRINTED = 2_000;
const notCopied = new Set(["node_modules", ".git", "data"]);

export function copyTree(root: string): Tree {
  const dir = mkdtempSync(join(tmpdir(), "gantry-mutants-"));
  cpSync(root, dir, { recursive: true, filter: (source) => !notCopied.has(relative(root, source)) });
  symlinkSync(join(root, "node_modules"), join(dir, "node_modules"));
  const running = new AbortController();
  const run = (tests: readonly string[]): Promise<Result> => runVitest(dir, tests, running.signal);
  return {
    run,
    async runWith(mutant) {
      const file = join(dir, mutant.file);
      const good = readFileSync(file, "utf8");
      writeFileSync(file, mutate(good, mutant));
      try {
        return await run(mutant.tests);
      } finally {
        writeFileSync(file, good);
      }
    },
    remove() {
      running.abort();
      rmSync(dir, { recursive: true, force: true });
    },
  };
}

/** What Vitest's JSON reporter writes: https://vitest.dev/guide/reporters#json-reporter */
const Report = z.object({
  testResults: z.array(
    z.object({
      /** Why the file could not be loaded. */
      message: z.string().default(""),
      assertionResults: z.array(z.object({ status: z.string(), title: z.string() })),
    }),
  ),
});

async function runVitest(dir: string, tests: readonly string[], signal: AbortSignal): Promise<Result> {
  const reportFile = join(dir, "mutants-report.json");
  rmSync(reportFile, { force: true });
  const output = await vitest(dir, [...tests, "--reporter=json", `--outputFile=${reportFile}`], signal);
  try {
    const { testResults } = Report.parse(JSON.parse(readFileSync(reportFile, "utf8")));
    const all = testResults.flatMap(({ assertionResults }) => assertionResults);
    const failed = all.filter(({ status }) => status === "failed").map(({ title }) => title);
    if (failed.length > 0) return { kind: "failed", tests: failed };
    // A file that cannot be loaded has no tests at all.
    const broken = testResults.filter(({ assertionResults }) => assertionResults.length === 0);
    if (broken.length > 0) return { kind: "broken", output: broken.map(({ message }) => message).join("\n") };
    return testResults.length === tests.length ? { kind: "passed", tests: all.length } : { kind: "broken", output };
  } catch {
    return { kind: "broken", output };
  }
}

/** Ends when Vitest does, or when it took too long; gives the end of what it printed. */
async function vitest(cwd: string, args: readonly string[], signal: AbortSignal): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  const patient = ["--testTimeout=60000", "--hookTimeout=60000"];
  const child = spawn(
    process.execPath,
    ["node_modules/vitest/vitest.mjs", "run", "--maxWorkers=1", "--no-isolate", ...patient, ...args],
    { cwd, signal, timeout: LONGEST_RUN_MS, killSignal: "SIGKILL" },
  );
  let printed = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (text: string) => (printed = `${printed}${text}`.slice(-PRINTED)));
  }
  child.once("error", reject);
  child.once("close", (_code, endedBy) => resolve(endedBy === null ? printed : `${printed}\nended by ${endedBy}`));
  return promise;
}
