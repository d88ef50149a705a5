import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { stripVTControlCharacters } from "node:util";

const root = join(import.meta.dirname, "../..");

/** What became of a part. Nothing else counts as passed than a command that ended with 0. */
export type Outcome =
  | { readonly kind: "passed"; readonly seconds: number; readonly printed: readonly string[] }
  | { readonly kind: "failed"; readonly seconds: number; readonly printed: readonly string[]; readonly why: string }
  | { readonly kind: "not run"; readonly why: string };

const running = new Set<number>();

/** Ends what a command started, too. */
export function endCommands(): void {
  for (const group of running) {
    try {
      process.kill(-group, "SIGKILL");
    } catch {
      // It has ended.
    }
  }
}

/** Runs a line of shell in the project's folder. Progress, on stderr, is shown and not kept. */
export async function runCommand(command: string, { longestMs }: { longestMs: number }): Promise<Outcome> {
  const since = performance.now();
  const child = spawn("sh", ["-c", command], {
    cwd: root,
    env: { ...process.env, NO_COLOR: "1", npm_config_loglevel: "silent" },
    stdio: ["ignore", "pipe", "inherit"],
    // A group of its own, so that all of it can be ended.
    detached: true,
  });
  const group = child.pid;
  if (group !== undefined) running.add(group);
  let isLate = false;
  const limit = setTimeout(() => {
    isLate = true;
    endCommands();
  }, longestMs);
  let text = "";
  child.stdout.setEncoding("utf8").on("data", (chunk: string) => {
    text += chunk;
  });
  const [code, signal] = (await once(child, "close")) as [number | null, string | null]; // as Node documents it
  clearTimeout(limit);
  if (group !== undefined) running.delete(group);
  const seconds = (performance.now() - since) / 1000;
  const printed = linesOf(text);
  if (isLate) return { kind: "failed", seconds, printed, why: `it was ended after ${longestMs / 60_000} minutes` };
  if (code !== 0) return { kind: "failed", seconds, printed, why: `it ended with ${code ?? signal ?? "no code"}` };
  return { kind: "passed", seconds, printed };
}

/** Without the folder of this machine, which is nobody's business. */
function linesOf(text: string): string[] {
  return stripVTControlCharacters(text)
    .replaceAll(root, ".")
    .split("\n")
    .map((line) => line.trimEnd())
    .filter((line) => line !== "");
}
