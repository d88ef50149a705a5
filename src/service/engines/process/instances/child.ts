import { spawn, type ChildProcess } from "node:child_process";
import { randomBytes } from "node:crypto";
import type { Kysely } from "kysely";
import type { Clock } from "../../../../platform/clock.ts";
import type { Exit, LogReader, Unit, UnitSpec } from "../../../workloads/runtime.ts";
import { findImage, caveats, planLaunch, type Launch, type LaunchPlan } from "../catalogue.ts";
import { answers, freePort, HOST } from "../../../workloads/ports.ts";
import {
  volumeFolder,
  workFolder,
  forgetProcess,
  type ProcessTables,
  enforcedMib,
  type MemoryWatch,
  endProcesses,
  signalProcess,
  seeProcesses,
  startOf,
} from "../records/processes.ts";
import { recordOutput } from "./log-output.ts";
import { makeFolder } from "../../../../platform/make-folder.ts";

type Note = (line: string) => void;

/** What the processes of an engine share. */
export type ProcessDeps = {
  readonly dataDir: string;
  readonly catalogue: readonly string[];
  /** From SIGTERM to SIGKILL. */
  readonly graceMs: number;
  readonly memory: MemoryWatch;
  readonly state: Kysely<ProcessTables>;
  readonly clock: Clock;
};

/**
 * Starts a process in its own group. Its token is saved before, so that it is found again even if this server dies.
 * Rejects when the machine is out of open files, memory or process ids.
 */
export async function startChild(spec: UnitSpec, deps: ProcessDeps, note: Note): Promise<Unit> {
  const token = randomBytes(16).toString("hex");
  const launch = await prepare(spec, deps.dataDir);
  const plan = planLaunch(launch, findImage(deps.catalogue, spec.definition.image), token);
  for (const caveat of caveats(spec, process.platform)) note(caveat);
  // From here on the child is found by its token, even if this server dies.
  await deps.state
    .insertInto("processes")
    .values({ token, workload_uid: spec.workload, pid: null, started: null })
    .execute();
  const started = await spawnPlan(plan, launch.workFolder);
  if (started instanceof Error) {
    await orNote(note, () => forgetProcess(deps.state, token));
    throw started;
  }
  const { pid } = started;
  const unit = unitOf(started, launch, {
    ...deps,
    memory: watchMemory(pid, { spec, plan, memory: deps.memory, note }),
    afterExit: () =>
      orNote(note, async () => {
        // A catalogue program starts nothing; a host command may leave processes behind, even outside of its group. As in
        // a container, the end of the first process is the end of all.
        if (plan.isHostCommand) {
          await endProcesses([{ token, pid: null, started: null }], { ...table, clock: deps.clock }, 0);
        }
        await forgetProcess(deps.state, token);
      }),
  });
  if (pid !== undefined) {
    // The saved token is enough to find the process: a failure here is not worth losing it.
    await orNote(note, async () => {
      const started = { pid, started: (await startOf(pid)) ?? null };
      await deps.state.updateTable("processes").set(started).where("token", "=", token).execute();
    });
  }
  return unit;
}

async function prepare(spec: UnitSpec, dataDir: string): Promise<Launch> {
  const hostPorts = new Map<number, number>();
  for (const containerPort of spec.ports) hostPorts.set(containerPort, await freePort());
  const volumes = spec.volumes.map(({ name, readOnly, source }) => {
    const path = volumeFolder(dataDir, source);
    makeFolder(path);
    return { name, readOnly, path };
  });
  return { spec, hostPorts, volumes, workFolder: workFolder(dataDir, spec.workload) };
}

type Ending = {
  readonly graceMs: number;
  readonly clock: Clock;
  readonly memory: ReturnType<typeof watchMemory>;
  readonly afterExit: () => Promise<void>;
};

function unitOf(child: ChildProcess, { spec, hostPorts }: Launch, { graceMs, clock, memory, afterExit }: Ending): Unit {
  const { unwatch, isOutOfMemory } = memory;
  const { workload, instance, container, generation } = spec;
  const reader = Promise.withResolvers<LogReader>();
  // Read from the beginning: Node throws away what nobody has read when a process ends, and a short one ends at once.
  let write: LogReader["write"] = async (line) => (await reader.promise).write(line);
  const output = recordOutput([child.stdout, child.stderr], (line) => write(line), clock);
  let isStopping = false;
  const gone = new Promise<Exit>((resolve) => {
    child.on("exit", (code, signal) => resolve({ code, ...(signal !== null && { signal }) }));
  });
  const exited = gone.then(async (exit) => {
    unwatch();
    await output.ended(() => isStopping);
    child.stdout?.destroy();
    child.stderr?.destroy();
    await afterExit();
    return exit.signal === "SIGKILL" && isOutOfMemory() ? OUT_OF_MEMORY : exit;
  });
  const ports = [...hostPorts.values()];
  return {
    labels: { workload, instance, container, generation },
    exited,
    spoke: new Promise((resolve) => child.stdout?.once("readable", resolve)),
    answers: ports.length === 0 ? undefined : async () => (await Promise.all(ports.map(answers))).every(Boolean),
    address(containerPort) {
      const port = hostPorts.get(containerPort);
      return port === undefined ? undefined : `${HOST}:${port}`;
    },
    readLog(log) {
      write = log.write;
      reader.resolve(log);
    },
    stop() {
      isStopping = true;
      return stopGroup(child, exited, { graceMs, clock });
    },
    discard: async () => undefined,
  };
}

/** Does work that must not affect the program; a failure is noted in its log. */
async function orNote(note: Note, work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    note(`the engine couldn't save its records: ${error instanceof Error ? error.message : String(error)}`);
  }
}

const table = { see: seeProcesses, kill: signalProcess };

/**
 * Starts the process. When the machine is out of open files, memory or process ids, Node either throws or returns a
 * child without a pid and reports the reason in a later event. Both become the returned error.
 */
async function spawnPlan(plan: LaunchPlan, folder: string): Promise<ChildProcess | Error> {
  try {
    makeFolder(folder);
    const child = spawn(process.execPath, plan.args, { cwd: folder, env: plan.env, detached: true, stdio: "pipe" });
    const failure = new Promise<Error>((resolve) => child.on("error", resolve));
    // The process may end before it has read its input; its exit explains that.
    child.stdin?.on("error", () => undefined);
    if (child.pid === undefined) return await failure;
    child.stdin?.write(`${JSON.stringify(plan.handed)}\n`);
    return child;
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error));
  }
}

/** What Docker and Kubernetes report for a container that was killed with SIGKILL: 128 + 9. */
const OUT_OF_MEMORY: Exit = { code: 137, isOutOfMemory: true };

/** SIGTERM to the process group, SIGKILL after the grace time. */
async function stopGroup(
  child: ChildProcess,
  exited: Promise<Exit>,
  { graceMs, clock }: Pick<Ending, "graceMs" | "clock">,
): Promise<void> {
  const isGone = () => child.exitCode !== null || child.signalCode !== null || child.pid === undefined;
  const signal = (name: "SIGTERM" | "SIGKILL") => {
    // Only while the leader is not collected: until then its pid, which is the number of the group, is not reused.
    if (!isGone() && child.pid !== undefined) signalProcess(-child.pid, name);
  };
  signal("SIGTERM");
  const kill = clock.after(graceMs, () => signal("SIGKILL"));
  await exited;
  kill.cancel();
}

type Watching = {
  readonly spec: UnitSpec;
  readonly plan: LaunchPlan;
  readonly memory: MemoryWatch;
  readonly note: Note;
};

function watchMemory(pid: number | undefined, { spec, plan, memory, note }: Watching) {
  const { memoryMib } = spec.definition;
  if (pid === undefined || memoryMib === undefined) return { unwatch: () => undefined, isOutOfMemory: () => false };
  let isExceeded = false;
  const limitMib = enforcedMib(memoryMib);
  const onExceeded = (used: number) => {
    note(`out of memory: ${Math.ceil(used)} MiB used, the limit is ${limitMib} MiB, killed`);
    unwatch();
    isExceeded = true;
    signalProcess(-pid, "SIGKILL");
  };
  const unwatch = memory.watch({ pid, limitMib, onlyChildren: plan.isHostCommand, onExceeded });
  return { unwatch, isOutOfMemory: () => isExceeded };
}
