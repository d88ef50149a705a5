import { spawn, type ChildProcess } from "node:child_process";
import { randomBytes } from "node:crypto";
import { mkdirSync } from "node:fs";
import type { Kysely } from "kysely";
import { findImage, type CatalogueEntry } from "../catalogue.ts";
import { planLaunch, caveats, type Launch, type LaunchPlan } from "./launch-plan.ts";
import { recordOutput } from "./log-output.ts";
import type { LogWriter } from "../../../workloads/logs/log-writer.ts";
import { enforcedMib } from "./memory-limit.ts";
import type { MemoryWatch } from "./memory-watch.ts";
import { endProcesses, signalProcess } from "../records/orphans.ts";
import { forgetProcess, recordStart, recordToken } from "../records/process-store.ts";
import { seeProcesses, startOf } from "../records/seen-process.ts";
import type { StateTables } from "../../../workloads/state/tables.ts";

/** What starting a process needs of the engine. */
export type Surface = {
  readonly state: Kysely<StateTables>;
  readonly logs: LogWriter;
  readonly memory: MemoryWatch;
  readonly catalogue: readonly CatalogueEntry[];
  readonly graceMs: number;
};

/** How a process ended, as a clause: "exited with code 1". */
export type Exit = {
  readonly code: number | null;
  readonly how: string;
  /** The operating system or the disk prevented the start; not a failure of the program. */
  readonly isNeverStarted?: true;
};

/** A running program. */
export type Child = {
  readonly pid: number | undefined;
  /** Resolves, never rejects, when the process is gone with all it started, and its output is in the log. */
  readonly exited: Promise<Exit>;
  /** Resolves with the first output: the program is up. */
  readonly spoke: Promise<void>;
  /** SIGTERM to the process group, SIGKILL after the grace time; resolves with `exited`. May be called twice. */
  readonly stop: () => Promise<void>;
};

/** Starts one process in a group of its own. It is written down before it starts, so that it is never lost. */
export async function startChild(launch: Launch, surface: Surface): Promise<Child> {
  const token = randomBytes(16).toString("hex");
  const plan = planLaunch(launch, findImage(surface.catalogue, launch.container.image), token);
  const say = (line: string) => surface.logs.append(launch.workload, launch.instance, `[gantry] ${line}`);
  for (const caveat of caveats(launch, process.platform)) say(caveat);
  await recordToken(surface.state, token, launch.workload);
  const started = await spawnPlan(plan, launch);
  if (started instanceof Error) {
    await orSay(say, () => forgetProcess(surface.state, token));
    return neverStarted(started);
  }
  const unwatch = watchMemory(started.pid, { launch, plan, surface });
  const spoke = new Promise<void>((resolve) => started.stdout?.once("readable", resolve));
  const output = recordOutput([started.stdout, started.stderr], launch, surface.logs);
  let isStopping = false;
  const exited = goneOf(started).then(async (exit) => {
    unwatch();
    await output.ended(() => isStopping);
    started.stdout?.destroy();
    started.stderr?.destroy();
    await orSay(say, () => cleanUp(token, plan, surface.state));
    return exit;
  });
  const { pid } = started;
  if (pid !== undefined) {
    // Its token is written down already, that is enough to find it: it is not worth losing a process that runs.
    await orSay(say, async () => recordStart(surface.state, token, { pid, started: (await startOf(pid)) ?? null }));
  }
  const stop = (): Promise<void> => {
    isStopping = true;
    return stopGroup(started, exited, surface.graceMs);
  };
  return { pid, exited, spoke, stop };
}

async function cleanUp(token: string, plan: LaunchPlan, state: Kysely<StateTables>): Promise<void> {
  // A catalogue program starts nothing; a host command may leave something behind, even outside of its group. As in a
  // container, the end of the first process is the end of all.
  if (plan.isHostCommand) await endProcesses([{ token, pid: null, started: null }], table, 0);
  await forgetProcess(state, token);
}

/** Does what must not take the program down with it; a failure is told in its log. */
async function orSay(say: (line: string) => void, work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    say(`the engine could not keep its books: ${error instanceof Error ? error.message : String(error)}`);
  }
}

const table = { see: seeProcesses, kill: signalProcess };

/**
 * Starts the process. When the machine is out of open files, memory or process ids, Node either throws or returns a
 * child without a pid and reports the reason in a later event. Both become the returned error.
 */
async function spawnPlan(plan: LaunchPlan, { workFolder }: Launch): Promise<ChildProcess | Error> {
  try {
    mkdirSync(workFolder, { recursive: true });
    const child = spawn(process.execPath, plan.args, { cwd: workFolder, env: plan.env, detached: true, stdio: "pipe" });
    const failure = new Promise<Error>((resolve) => child.on("error", resolve));
    // The other end may be gone before it has read: its exit says what there is to say.
    child.stdin?.on("error", () => undefined);
    if (child.pid === undefined) return await failure;
    child.stdin?.write(`${JSON.stringify(plan.handed)}\n`);
    return child;
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error));
  }
}

/** What is said of a process that never came to be. */
function notStarted(reason: unknown): Exit {
  const why = reason instanceof Error ? reason.message : String(reason);
  return { code: null, how: `could not be started (${why})`, isNeverStarted: true };
}

/** Represents a process that failed to start. */
export function neverStarted(reason: unknown): Child {
  return { pid: undefined, exited: Promise.resolve(notStarted(reason)), spoke: Promise.resolve(), stop: done };
}

async function done(): Promise<void> {
  // There is nothing to stop.
}

function goneOf(child: ChildProcess): Promise<Exit> {
  return new Promise((resolve) => {
    child.on("exit", (code, signal) => {
      resolve({ code, how: code === null ? `was ended by ${signal}` : `exited with code ${code}` });
    });
  });
}

async function stopGroup(child: ChildProcess, exited: Promise<Exit>, graceMs: number): Promise<void> {
  const isGone = () => child.exitCode !== null || child.signalCode !== null || child.pid === undefined;
  const signal = (name: "SIGTERM" | "SIGKILL") => {
    // Only while the leader is not collected: its pid, which is the number of the group, cannot be another's then.
    if (!isGone() && child.pid !== undefined) signalProcess(-child.pid, name);
  };
  signal("SIGTERM");
  const kill = setTimeout(() => signal("SIGKILL"), graceMs);
  await exited;
  clearTimeout(kill);
}

function watchMemory(
  pid: number | undefined,
  { launch, plan, surface }: { launch: Launch; plan: LaunchPlan; surface: Surface },
): () => void {
  const { memoryMib } = launch.container;
  if (pid === undefined || memoryMib === undefined) return () => undefined;
  const limitMib = enforcedMib(memoryMib);
  const onExceeded = (used: number) => {
    const line = `[gantry] out of memory: ${Math.ceil(used)} MiB used, the limit is ${limitMib} MiB, killed`;
    surface.logs.append(launch.workload, launch.instance, line);
    unwatch();
    signalProcess(-pid, "SIGKILL");
  };
  const unwatch = surface.memory.watch({ pid, limitMib, onlyChildren: plan.isHostCommand, onExceeded });
  return unwatch;
}
