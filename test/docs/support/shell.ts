import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { inherited } from "../../support/gantry-process.ts";
import { freePort } from "../../support/free-port.ts";
import { until } from "../../support/until.ts";
import { root } from "./blocks.ts";

/** What somebody has who follows the documentation in a clone: a shell, and free ports in place of the usual ones. */
export type Shell = AsyncDisposable & {
  readonly folder: string;
  readonly env: Record<string, string | undefined>;
  readonly write: (name: string, content: string) => void;
  /** What a command prints. Rejects with it when the command fails. */
  readonly run: (command: string) => Promise<string>;
  /** Starts what runs until Ctrl-C, and waits until it is ready. Resolves to what presses Ctrl-C. */
  readonly begin: (command: string) => Promise<() => Promise<void>>;
};

const clone = ["package.json", "openapi.yaml", "manifest.yml", "src", "node_modules"];

export async function openShell(): Promise<Shell> {
  const folder = mkdtempSync(join(tmpdir(), "gantry-docs-"));
  for (const name of clone) symlinkSync(join(root, name), join(folder, name));
  const service = await freePort();
  const env: Record<string, string | undefined> = {
    ...inherited,
    PATH: [join(root, "node_modules/.bin"), inherited.PATH].join(delimiter),
    HOME: folder,
    PORT: String(await freePort()),
    PLAYGROUND_PORT: String(await freePort()),
    SERVICE_PORT: String(service),
    // Sources are linked, and the usual places are beside them.
    GANTRY_DATA: join(folder, ".gantry"),
    GANTRY_ENV_FILE: join(folder, ".env"),
    npm_config_update_notifier: "false",
  };
  const here = (command: string): string =>
    command
      .replace("npm ci && ", "")
      .replaceAll("127.0.0.1:3002", `127.0.0.1:${service}`)
      .replaceAll("/backups/", `${folder}/`);
  const running = new Set<() => Promise<void>>();

  const run = (command: string): Promise<string> =>
    new Promise((done, failed) => {
      execFile("sh", ["-c", here(command)], { cwd: folder, env }, (error, out, err) =>
        error === null ? done(`${out}${err}`) : failed(new Error(`${command}\n${out}${err}`)),
      );
    });

  const begin = async (command: string) => {
    // A group of its own, as Ctrl-C reaches npm and what it runs.
    const child = spawn("sh", ["-c", here(command)], { cwd: folder, env, detached: true });
    const exited = once(child, "exit");
    let said = "";
    for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk: Buffer) => (said += chunk.toString()));
    const stop = async () => {
      running.delete(stop);
      if (child.exitCode === null && child.pid !== undefined) process.kill(-child.pid, "SIGINT");
      await exited;
    };
    running.add(stop);
    await until(() => {
      if (child.exitCode !== null) throw new Error(`${command}\n${said}`);
      return said.includes("Press Ctrl-C to stop");
    });
    return stop;
  };

  return {
    folder,
    env,
    write: (name, content) => writeFileSync(join(folder, name), content),
    run,
    begin,
    async [Symbol.asyncDispose]() {
      for (const stop of running) await stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
