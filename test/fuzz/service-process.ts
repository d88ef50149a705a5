import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { setTimeout as pause } from "node:timers/promises";
import { inherited } from "../support/gantry-process.ts";
import type { Account } from "./requests.ts";

export const users: readonly [Account, ...Account[]] = [
  { username: "dana", token: "dana-0123456789abcdef" },
  { username: "alex", token: "alex-0123456789abcdef" },
  { username: "robin", token: "robin-0123456789abcdef" },
];
export const regions: readonly [string, ...string[]] = ["us", "beijing1"];
/** How many processes the service may start for all users together. */
export const HOST_INSTANCES = 20;

const READY_MS = 60_000;
/** Longer than its grace time and the drain of its connections. */
const STOP_MS = 60_000;

export type ServiceProcess = {
  readonly pid: number;
  readonly url: string;
  /** How it ended, as a clause with what it said last; undefined while it lives. */
  readonly ended: () => string | undefined;
  /** Asks it to stop. Throws when it does not, or not with 0. */
  readonly stop: () => Promise<void>;
  readonly kill: () => void;
};

const running = new Set<ChildProcess>();

/** Ends at once what still runs. Its programs go with it. */
export function killServices(): void {
  for (const child of running) child.kill("SIGKILL");
}

/** Starts the service alone in a data folder. `wrapper` is a command that runs it, such as prlimit. */
export async function startService(
  program: string,
  { dataDir, wrapper }: { readonly dataDir: string; readonly wrapper: readonly string[] },
): Promise<ServiceProcess> {
  const [command, ...args] = [...wrapper, process.execPath, program];
  const child = spawn(command, args, { env: environment(dataDir), stdio: ["ignore", "pipe", "pipe"] });
  running.add(child);
  let said = "";
  let ended: string | undefined;
  child.stderr.setEncoding("utf8").on("data", (text: string) => (said = (said + text).slice(-3_000)));
  child.on("error", (error) => (ended = error.message));
  child.on("exit", (code, signal) => {
    running.delete(child);
    ended = `it ended with ${code ?? signal}, saying:\n${said}`;
  });
  const url = await Promise.race([urlOf(child), gone(child), pause(READY_MS, undefined, { ref: false })]);
  if (url === undefined || child.pid === undefined) {
    child.kill("SIGKILL");
    throw new Error(`the service did not start: ${ended ?? `nothing came in ${READY_MS} ms, but:\n${said}`}`);
  }
  return {
    pid: child.pid,
    url,
    ended: () => ended,
    async stop() {
      child.kill("SIGTERM");
      if (ended === undefined) await Promise.race([gone(child), pause(STOP_MS, undefined, { ref: false })]);
      if (child.exitCode !== 0) throw new Error(`the service did not stop as it should: ${ended ?? "it still runs"}`);
    },
    kill: () => void child.kill("SIGKILL"),
  };
}

/** It checks each of its answers against the contract: one that breaks it is a 500. */
function environment(dataDir: string): NodeJS.ProcessEnv {
  return {
    ...inherited,
    SERVICE_PORT: "0",
    SERVICE_USERS: users.map(({ username, token }) => `${username}:${token}`).join(","),
    SERVICE_REGIONS: regions.join(","),
    SERVICE_HOST_INSTANCES: String(HOST_INSTANCES),
    GANTRY_DATA: dataDir,
  };
}

async function urlOf(child: ChildProcess): Promise<string | undefined> {
  let url: string | undefined;
  for await (const line of createInterface({ input: child.stdout ?? process.stdin })) {
    url ??= /listening on (\S+)/.exec(line)?.[1];
    if (line.startsWith("Press Ctrl-C")) return url;
  }
  return undefined;
}

async function gone(child: ChildProcess): Promise<undefined> {
  if (child.exitCode === null && child.signalCode === null) await once(child, "exit");
}
