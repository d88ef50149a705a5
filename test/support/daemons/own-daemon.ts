import { spawn, type ChildProcess } from "node:child_process";
import { closeSync, existsSync, mkdirSync, mkdtempSync, openSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { until } from "../until.ts";
import { daemonCall, socketOf } from "./daemon-call.ts";
import { commandOf, type DaemonKind } from "./daemon-command.ts";
import { isAlive, processesIn, removeFolder, terminate } from "./take-down.ts";

/** A Docker or Podman of its own: its images, containers and settings are in one folder, and it goes with it. */
export type OwnDaemon = {
  readonly kind: DaemonKind;
  /** `unix:///…` */
  readonly host: string;
  readonly folder: string;
  /** What it keeps, inside the folder: images, containers, volumes. */
  readonly dataFolder: string;
  /** Resolves when it answers. */
  readonly start: () => Promise<void>;
  /** Resolves when its process is gone. Docker then stops its containers, unless they are kept; Podman's run on. */
  readonly end: (signal: "SIGTERM" | "SIGKILL") => Promise<void>;
  /** Lets it answer nothing until it goes on; its containers run meanwhile. */
  readonly freeze: () => void;
  readonly goOn: () => void;
  /** Ends it and all its containers, and removes the folder. Synchronous, so that it also runs while a process exits. */
  readonly remove: () => void;
};

export type OwnDaemonOptions = {
  /** Docker only: containers run on while it doesn't, as an administrator can set it. */
  readonly keepsContainers?: boolean;
  /** In place of a folder of its own, such as a small disk. */
  readonly dataFolder?: string;
};

export function ownDaemon(kind: DaemonKind, options: OwnDaemonOptions = {}): OwnDaemon {
  const folder = mkdtempSync(join(tmpdir(), `gantry-${kind}-`));
  const dataFolder = options.dataFolder ?? join(folder, "data");
  mkdirSync(dataFolder, { recursive: true });
  const socketPath = join(folder, "daemon.sock");
  const { program, args, env, helperPid, clear } = commandOf(kind, { folder, socketPath, ...options, dataFolder });
  const logPath = join(folder, "daemon.log");
  let running: ChildProcess | undefined;
  let exited = Promise.resolve();

  const startOnce = async (): Promise<void> => {
    const log = openSync(logPath, "a");
    // A session of its own: a Ctrl-C is for the tests, which then take it down.
    const child = spawn(program, args, {
      // Podman's monitor leaves a file there when a container is out of memory.
      cwd: folder,
      env: { ...process.env, ...env },
      detached: true,
      stdio: ["ignore", log, log],
    });
    closeSync(log);
    running = child;
    exited = new Promise((resolve) => void child.on("exit", resolve).on("error", () => resolve()));
    const ended = exited.then(() => Promise.reject(new Error(`${program} ended at its start: ${tail(logPath)}`)));
    const answers = until(async () => {
      const pinged = await daemonCall(socketOf(host), { method: "GET", path: "/_ping" }).catch(() => undefined);
      return pinged?.status === 200;
    });
    await Promise.race([answers, ended]);
  };
  /** As systemd does: Docker 20.10 may panic at its first start after a `kill -9`. */
  const start = () => startOnce().catch(startOnce);
  const host = `unix://${socketPath}`;
  return {
    kind,
    host,
    folder,
    dataFolder,
    start,
    async end(signal) {
      running?.kill(signal);
      await exited;
      running = undefined;
      // The next one would wait for a process that has ended and that nobody has collected.
      if (helperPid !== undefined) await forget(helperPid);
    },
    freeze: () => void running?.kill("SIGSTOP"),
    goOn: () => void running?.kill("SIGCONT"),
    remove() {
      running?.kill("SIGCONT");
      clear();
      if (running?.pid !== undefined) terminate(running.pid);
      for (const pid of processesIn(folder)) terminate(pid, { atOnce: true });
      removeFolder(folder);
    },
  };
}

async function forget(pidFile: string): Promise<void> {
  if (!existsSync(pidFile)) return;
  const pid = Number(readFileSync(pidFile, "utf8"));
  await until(() => !isAlive(pid));
  rmSync(pidFile, { force: true });
}

function tail(path: string): string {
  return readFileSync(path, "utf8").trim().slice(-1_000);
}
