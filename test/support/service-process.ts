import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { resolve } from "node:path";
import { createInterface } from "node:readline";
import { inherited } from "./gantry-process.ts";

/** `npm run service` as a process. */
export type ServiceProcess = {
  readonly pid: number;
  readonly url: string;
  /** What it wrote so far. */
  readonly output: () => string;
  /** How it ended, as a clause with what it said last; undefined while it lives. */
  readonly ended: () => string | undefined;
  /** `kill -9`; resolves when it is gone. */
  readonly kill: () => Promise<void>;
  /** Stops it as an operator does; resolves to its exit code. */
  readonly stop: () => Promise<number | null>;
};

const script = resolve(import.meta.dirname, "../../src/bin/service.ts");
const running = new Set<ChildProcess>();

/** Resolves when it listens. `wrapper` is a command that runs it, such as prlimit. */
export async function startServiceProcess(
  env: Readonly<Record<string, string>>,
  wrapper: readonly string[] = [],
): Promise<ServiceProcess> {
  const [command, ...args] = [...wrapper, process.execPath, script];
  const child = spawn(command, args, {
    env: { ...inherited, SERVICE_PORT: "0", ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  running.add(child);
  let output = "";
  let ended: string | undefined;
  const exited = once(child, "exit").then(([code, signal]) => {
    running.delete(child);
    ended = `it ended with ${code ?? signal}, saying:\n${output.slice(-3_000)}`;
    return code as number | null; // Node's event
  });
  const listening = Promise.withResolvers<string>();
  for (const stream of [child.stdout, child.stderr]) {
    createInterface({ input: stream }).on("line", (line) => {
      output += `${line}\n`;
      const url = /listening on (http\S+)/u.exec(line)?.[1];
      if (url !== undefined) listening.resolve(url);
    });
  }
  exited.then(() => listening.reject(new Error(`the service did not start: ${ended}`)), listening.reject);
  const end = async (signal: "SIGKILL" | "SIGTERM") => {
    child.kill(signal);
    return await exited;
  };
  const url = await listening.promise;
  return {
    pid: child.pid ?? 0,
    url,
    output: () => output,
    ended: () => ended,
    async kill() {
      await end("SIGKILL");
    },
    stop: () => end("SIGTERM"),
  };
}

/** Ends what a failed test left. */
export function killServiceProcesses(): void {
  for (const child of running) child.kill("SIGKILL");
}
