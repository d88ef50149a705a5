import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { mutate } from "./mutate.ts";
import type { Mutant } from "./mutants.ts";

/** A copy of the repository in which sources can be broken. */
export type Tree = {
  /** Runs these tests as they are in the tree now. */
  readonly run: (chosen: readonly Chosen[]) => Promise<Result>;
  /** The same with a bug in the sources, which are mended afterwards. */
  readonly runWith: (mutant: Mutant, chosen: readonly Chosen[]) => Promise<Result>;
  /** Ends what still runs in it. */
  readonly remove: () => void;
};

/** A test file; with titles, only these of its tests. */
export type Chosen = { readonly file: string; readonly titles?: readonly string[] };

/** One test, with the titles of the groups that it is in. */
export type Place = { readonly file: string; readonly title: string };

export type Result =
  | { readonly kind: "passed"; readonly tests: readonly Place[] }
  /** The quickest of the tests that failed is the first. */
  | { readonly kind: "failed"; readonly tests: readonly Place[] }
  /** A file came to no verdict, and why. */
  | { readonly kind: "broken"; readonly output: string };

/** Of the files of one mutant; all of them together, without one, have so much more for each. */
const LONGEST_RUN_MS = 180_000;
const LONGEST_FILE_MS = 30_000;
const COMPILED = "data/compiled";
/** Makes the runner go on after a failed test. */
export const TO_THE_END = "--to-the-end";
const notCopied = new Set(["node_modules", ".git", "data"]);

export function copyTree(root: string, runnerArgs: readonly string[]): Tree {
  const dir = mkdtempSync(join(tmpdir(), "gantry-mutants-"));
  cpSync(root, dir, { recursive: true, filter: (source) => !notCopied.has(relative(root, source)) });
  symlinkSync(join(root, "node_modules"), join(dir, "node_modules"));
  const { run, end } = runnerIn(dir, runnerArgs);
  return {
    run,
    async runWith(mutant, chosen) {
      const file = join(dir, mutant.file);
      const good = readFileSync(file, "utf8");
      writeFileSync(file, mutate(good, mutant));
      try {
        return await run(chosen);
      } finally {
        writeFileSync(file, good);
      }
    },
    remove() {
      end();
      rmSync(dir, { recursive: true, force: true });
    },
  };
}

type Runner = {
  readonly run: (chosen: readonly Chosen[]) => Promise<Result>;
  readonly end: () => void;
};

/** Runs the tests of a tree. A run that takes too long ends with its process, and the next one begins another. */
function runnerIn(dir: string, args: readonly string[]): Runner {
  let child: ChildProcess | undefined;
  return {
    async run(chosen) {
      child ??= await startRunner(dir, args);
      const result = await resultFrom(child, chosen);
      if (hasEnded(child)) child = undefined;
      return result;
    },
    end: () => void child?.kill("SIGKILL"),
  };
}

async function startRunner(dir: string, args: readonly string[]): Promise<ChildProcess> {
  const child = fork(join(dir, "test/mutants/runner.ts"), args, {
    cwd: dir,
    execArgv: [],
    stdio: ["ignore", "ignore", "inherit", "ipc"],
    // What the tests of one mutant have compiled, those of the next need not. For `some`, see full-run.ts.
    env: { ...process.env, GANTRY_TEST: "some", NODE_COMPILE_CACHE: join(dir, COMPILED) },
  });
  await Promise.race([once(child, "message"), once(child, "exit")]);
  return child;
}

async function resultFrom(child: ChildProcess, chosen: readonly Chosen[]): Promise<Result> {
  const { promise, resolve } = Promise.withResolvers<Result>();
  let why = "the process that ran the tests ended";
  const onExit = (): void => resolve({ kind: "broken", output: why });
  const limitMs = LONGEST_RUN_MS + chosen.length * LONGEST_FILE_MS;
  const timer = setTimeout(() => {
    why = `no verdict in ${limitMs / 1000} s`;
    child.kill("SIGKILL");
  }, limitMs);
  child.once("exit", onExit);
  child.once("message", (result) => resolve(result as Result)); // sent by runner.ts
  if (hasEnded(child)) onExit();
  else child.send(chosen);
  const result = await promise;
  clearTimeout(timer);
  child.removeAllListeners("message").off("exit", onExit);
  return result;
}

function hasEnded({ exitCode, signalCode }: ChildProcess): boolean {
  return exitCode !== null || signalCode !== null;
}
