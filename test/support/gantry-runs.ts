import { type ChildProcess, fork } from "node:child_process";
import { fstatSync, mkdtempSync, openSync, readSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { inherited } from "./gantry-process.ts";

/** A run of `src/main.ts`, or of one of the programs in `src/bin`. */
export type Run = {
  readonly program: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
};

type Ended = { readonly code: number; readonly out: string; readonly err: string };
type Runner = { readonly child: ChildProcess; readonly out: () => string; readonly err: () => string };

let runner: Runner | undefined;
let last: Promise<unknown> = Promise.resolve();

/**
 * Runs a program to its end. A short run spends nearly all of its time on loading modules, so one process of each worker
 * runs them one after the other: each with its own arguments, environment, output and exit code. A program that runs on
 * until a signal ends it needs a process of its own: gantry-process.ts.
 */
export function runToEnd(
  program: string,
  args: readonly string[] = [],
  env: Readonly<Record<string, string | undefined>> = {},
): Promise<Ended> {
  const ended = last.then(() => runIn((runner ??= startRunner()), { program, args, env: { ...inherited, ...env } }));
  last = ended.catch(() => undefined);
  return ended;
}

function startRunner(): Runner {
  const [out, err] = [written(), written()];
  const child = fork(join(import.meta.dirname, "gantry-runner.ts"), {
    // The runner's own warnings would be taken for what the program says.
    env: { ...inherited, NODE_NO_WARNINGS: "1" },
    execArgv: [],
    stdio: ["ignore", out.file, err.file, "ipc"],
  });
  child.once("exit", () => (runner = undefined));
  return { child, out: out.more, err: err.more };
}

/** A file for output. A pipe could still hold some of it when the run has ended. */
function written(): { readonly file: number; readonly more: () => string } {
  const folder = mkdtempSync(join(tmpdir(), "gantry-runs-"));
  const file = openSync(join(folder, "output"), "a+");
  rmSync(folder, { recursive: true });
  let end = 0;
  return {
    file,
    more() {
      const bytes = Buffer.alloc(fstatSync(file).size - end);
      end += readSync(file, bytes, 0, bytes.length, end);
      return bytes.toString("utf8");
    },
  };
}

function runIn({ child, out, err }: Runner, run: Run): Promise<Ended> {
  const { promise, resolve, reject } = Promise.withResolvers<Ended>();
  const onExit = (code: number | null): void =>
    reject(new Error(`the process ended with ${code} in ${run.program} ${run.args.join(" ")}: ${out()}${err()}`));
  child.ref();
  child.channel?.ref();
  child.once("exit", onExit);
  child.once("message", (code: number) => resolve({ code, out: out(), err: err() }));
  child.send(run);
  return promise.finally(() => {
    child.off("exit", onExit);
    // It doesn't keep the worker from ending.
    child.unref();
    child.channel?.unref();
  });
}
