import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { isUp } from "../support/is-up.ts";
import { freePort } from "../support/free-port.ts";
import type { Sample } from "./memory.ts";
import { DEADLINE_MS } from "../support/until.ts";

/** The bot as it is deployed, in a process that is started again when it ended. */
export type Replica = {
  readonly name: string;
  /** Where it takes deliveries and tells its health; undefined while it doesn't run or isn't ready. */
  readonly port: () => number | undefined;
  readonly pid: () => number | undefined;
  /** The heap that is in use after each full collection. */
  readonly heldMb: () => readonly Sample[];
  /** Ends it, and starts it again after a while, as an orchestrator does. Resolves when it is ready. */
  readonly restart: (signal: "SIGKILL" | "SIGTERM") => Promise<void>;
  readonly close: () => Promise<void>;
};

export type ReplicaParts = {
  readonly name: string;
  readonly env: Readonly<Record<string, string>>;
  readonly onLog: (line: LogLine) => void;
};

export type LogLine = { readonly level: number; readonly msg: string; readonly line: string };

const program = fileURLToPath(new URL("../../src/main.ts", import.meta.url));
const children = new Set<ChildProcess>();
const START_AFTER_MS = 1_000;
const POLL_EVERY_MS = 50;

/** Ends what was started, whatever happened. */
export function endAllReplicas(): void {
  for (const child of children) child.kill("SIGKILL");
}

/** Resolves when it is ready. */
export async function startReplica(parts: ReplicaParts): Promise<Replica> {
  const held: Sample[] = [];
  const starting = { ...parts, onCollected: (mb: number) => void held.push({ atMs: performance.now(), mb }) };
  let running: Running | undefined = await begin(starting);
  const end = async (signal: NodeJS.Signals): Promise<void> => {
    if (running === undefined) return;
    const { child } = running;
    running = undefined;
    const gone = child.exitCode === null && child.signalCode === null ? once(child, "exit") : undefined;
    child.kill(signal);
    await gone;
  };
  return {
    name: parts.name,
    port: () => running?.port,
    pid: () => running?.child.pid,
    heldMb: () => held,
    async restart(signal) {
      await end(signal);
      await sleep(START_AFTER_MS);
      running = await begin(starting);
    },
    close: () => end("SIGKILL"),
  };
}

/** Of `--trace-gc`: "[10312:0xcffd000]  164774 ms: Incremental Mark-Compact 114.2 (172.0) -> 56.9 (168.1) MB, …". */
const trace = /^\[\d+:(0x[\da-f]+)\] /u;
const collected = /^\[\d+:0x[\da-f]+\] .*Mark-Compact .* -> ([\d.]+) /u;
/** Left alone, V8 collects the whole heap a few times in minutes: too seldom to tell growth from chance. */
const COLLECT_EVERY_MS = 15_000;
const collecting = ["--expose-gc", "--import", `data:text/javascript,setInterval(gc, ${COLLECT_EVERY_MS}).unref()`];

type Running = { readonly child: ChildProcess; readonly port: number };

type Starting = ReplicaParts & { readonly onCollected: (mb: number) => void };

async function begin({ name, env, onLog, onCollected }: Starting): Promise<Running> {
  const port = await freePort();
  const child = spawn(process.execPath, ["--trace-gc", ...collecting, program, "bot"], {
    env: { PATH: process.env["PATH"], NODE_ENV: "production", HOST: "127.0.0.1", PORT: String(port), ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  children.add(child);
  child.on("exit", () => children.delete(child));
  let last = "";
  // The threads for logs have small heaps of their own; the first that collects is the bot's.
  let heap: string | undefined;
  for (const stream of [child.stdout, child.stderr]) {
    createInterface({ input: stream }).on("line", (line) => {
      const [, from] = trace.exec(line) ?? [];
      heap ??= from;
      const [, collectedMb] = collected.exec(line) ?? [];
      if (collectedMb !== undefined && from === heap) onCollected(Number(collectedMb));
      if (from !== undefined) return;
      last = line;
      onLog(read(line));
    });
  }
  const deadline = Date.now() + DEADLINE_MS;
  while (!(await isUp(`http://127.0.0.1:${port}/readyz`))) {
    if (child.exitCode !== null || Date.now() > deadline)
      throw new Error(`${name} isn't ready. Its last line: ${last}`);
    await sleep(POLL_EVERY_MS);
  }
  return { child, port };
}

/** Pino's lines are JSON; a crash's are not, and count as errors. */
function read(line: string): LogLine {
  try {
    const { level, msg, slackError } = JSON.parse(line) as { level?: number; msg?: string; slackError?: string }; // one of our own logs
    return { level: level ?? 0, msg: [msg, slackError].filter(Boolean).join(": "), line };
  } catch {
    return { level: 0, msg: "", line };
  }
}
