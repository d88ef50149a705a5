import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { resolve } from "node:path";
import { createInterface } from "node:readline";

/** `npm run service` as a process. */
export type ServiceProcess = {
  readonly url: string;
  /** What it wrote so far. */
  readonly output: () => string;
  /** `kill -9`; resolves when it is gone. */
  readonly kill: () => Promise<void>;
  /** Stops it as an operator does; resolves to its exit code. */
  readonly stop: () => Promise<number | null>;
};

const script = resolve(import.meta.dirname, "../../../src/bin/service.ts");
const running = new Set<ChildProcess>();

/** Resolves when it listens. */
export async function startServiceProcess(env: Readonly<Record<string, string>>): Promise<ServiceProcess> {
  const child = spawn(process.execPath, [script], {
    env: {
      PATH: process.env["PATH"],
      NODE_COMPILE_CACHE: process.env["NODE_COMPILE_CACHE"],
      SERVICE_PORT: "0",
      ...env,
    },
    stdio: ["ignore", "pipe", "pipe"],
  });
  running.add(child);
  let output = "";
  const exited = once(child, "exit").then(([code]) => {
    running.delete(child);
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
  void exited.then((code) => listening.reject(new Error(`the service ended with ${code}: ${output}`)));
  const end = async (signal: "SIGKILL" | "SIGTERM") => {
    child.kill(signal);
    return await exited;
  };
  const url = await listening.promise;
  return {
    url,
    output: () => output,
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
