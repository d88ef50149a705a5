import { spawn, type ChildProcess } from "node:child_process";
import { createInterface } from "node:readline";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Kysely } from "kysely";
import type { Job, Service, ServiceUpdate } from "../../../../../src/api/schema.ts";
import {
  isOurs,
  type RecordedProcess,
  seeProcesses,
  recordedProcesses,
  type ProcessTables,
} from "../../../../../src/service/engines/process/records/processes.ts";
import { namedAsHere, type StateTables } from "../../../../../src/service/workloads/state/store.ts";
import { openSqlite } from "../../../../../src/platform/database/sqlite.ts";
import type { Asked, User } from "./engine-script.ts";

/** A host program that ignores SIGTERM and has left its process group with a child of its own. */
export const stubborn = {
  image: "host",
  command: [
    process.execPath,
    "-e",
    `const { spawn } = require("child_process");
     process.on("SIGTERM", () => {});
     const code = "process.on('SIGTERM', () => {}); setInterval(() => {}, 1000)";
     const child = spawn(process.execPath, ["-e", code], { detached: true, stdio: "ignore" });
     console.log("pids " + process.pid + " " + child.pid);
     setInterval(() => {}, 1000)`,
  ],
};

const running = new Set<ChildProcess>();

/** For a test that failed half way: no engine of it lives on. */
export function killEngines(): void {
  for (const child of running) child.kill("SIGKILL");
}

/** An engine in a process of its own, which can be killed. */
export async function engineProcess(dataDir: string) {
  const script = fileURLToPath(new URL("./engine-script.ts", import.meta.url));
  const child = spawn(process.execPath, [script, dataDir], { stdio: ["pipe", "pipe", "inherit"] });
  running.add(child);
  child.once("exit", () => running.delete(child));
  const lines = createInterface(child.stdout)[Symbol.asyncIterator]();
  const says = async () => String((await lines.next()).value);
  await says();
  const send = (op: keyof User, ...args: readonly unknown[]) =>
    void child.stdin.write(`${JSON.stringify({ op, args } satisfies Asked)}\n`);
  const ask = async (op: keyof User, ...args: readonly unknown[]) => {
    send(op, ...args);
    return JSON.parse(await says());
  };
  return {
    create: (name: string, body: object): Promise<Service> => ask("create", name, body),
    createJob: (name: string, body: object): Promise<unknown> => ask("createJob", name, body),
    readJob: (name: string): Promise<Job> => ask("readJob", name),
    read: (name: string): Promise<Service> => ask("read", name),
    update: (name: string, change: ServiceUpdate): Promise<unknown> => ask("update", name, change),
    pid: child.pid ?? 0,
    /** Not waited for: the answer comes when the service is gone. */
    beginRemoval: (name: string) => send("remove", name),
    async kill() {
      const gone = new Promise((resolve) => child.once("exit", resolve));
      child.kill("SIGKILL");
      await gone;
    },
  };
}

/** Reads the state file of an engine, beside the engine. */
export async function readState<T, Tables = StateTables>(
  dataDir: string,
  read: (db: Kysely<Tables>) => Promise<T>,
): Promise<T> {
  const db = openSqlite<Tables>(join(dataDir, "state.sqlite")).withPlugin(namedAsHere);
  try {
    return await read(db);
  } finally {
    await db.destroy();
  }
}

/** All processes that the engine of this folder has started, and what those have started. */
export async function childrenOf(dataDir: string): Promise<number[]> {
  const records = await readState<RecordedProcess[], ProcessTables>(dataDir, recordedProcesses);
  return (await seeProcesses()).filter((seen) => isOurs(seen, records)).map(({ pid }) => pid);
}

/** What the stubborn program says of itself. */
export async function pidsOf(dana: User, name: string): Promise<number[]> {
  const lines = await dana.logs(name);
  const line = lines.map(({ log }) => log).findLast((log) => log.startsWith("pids "));
  return line?.split(" ").slice(1).map(Number) ?? [];
}
