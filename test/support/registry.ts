import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { TestDaemon } from "./docker.ts";
import { pushImage, type NewImage } from "./registry-image.ts";

/** A real registry on a free port of 127.0.0.1, with its images in a folder of its own. */
export type TestRegistry = {
  /** `127.0.0.1:43210` */
  readonly host: string;
  /** Makes an image, which the registry has afterwards, and returns its name. */
  readonly push: (image: NewImage) => Promise<string>;
  readonly stop: () => Promise<void>;
};

/** What the registry asks for with `asksForLogin`. */
export const LOGIN = { username: "dana", password: "let-me-pull" } as const;
const HTPASSWD = "dana:$2y$05$abcdefghijklmnopqrstuucCZeJdrAgCPNDV0D5WMVlxjAoEEY.vu\n";

const PROGRAM = "docker-registry";

/** Why tests with a registry are skipped; undefined where it is installed. */
export function noRegistry(): string | undefined {
  const { error } = spawnSync(PROGRAM, ["--version"]);
  return error ? `skipped: needs ${PROGRAM}, which this machine doesn't have` : undefined;
}

/**
 * Docker takes any registry of 127.0.0.0/8 without TLS. Podman does where its registries.conf says so; a location without
 * a port is for all ports: `[[registry]]`, `location = "127.0.0.1"`, `insecure = true`.
 */
export async function startRegistry({ asksForLogin = false } = {}): Promise<TestRegistry> {
  const folder = mkdtempSync(join(tmpdir(), "gantry-registry-"));
  const passwords = join(folder, "htpasswd");
  writeFileSync(passwords, HTPASSWD);
  const settings = join(folder, "config.yml");
  writeFileSync(settings, settingsIn(folder, asksForLogin ? passwords : undefined));
  const child = spawn(PROGRAM, ["serve", settings], { stdio: ["ignore", "ignore", "pipe"] });
  const exited = new Promise<void>((resolve) => void child.on("exit", () => resolve()));
  process.once("exit", () => child.kill("SIGKILL"));
  const host = await hostOf(child);
  return {
    host,
    push: (image) => pushImage({ host, ...(asksForLogin && { login: LOGIN }) }, image),
    async stop() {
      child.kill("SIGKILL");
      await exited;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** JSON is YAML. */
function settingsIn(folder: string, passwords: string | undefined): string {
  return JSON.stringify({
    version: 0.1,
    log: { level: "info" },
    storage: { filesystem: { rootdirectory: join(folder, "images") }, delete: { enabled: true } },
    http: { addr: "127.0.0.1:0", secret: "test" },
    ...(passwords !== undefined && { auth: { htpasswd: { realm: "test", path: passwords } } }),
  });
}

/** It says in its log at which port it listens. */
async function hostOf({ stderr }: ChildProcess): Promise<string> {
  const said: string[] = [];
  if (!stderr) throw new Error(`${PROGRAM} has no output`);
  for await (const line of createInterface({ input: stderr })) {
    said.push(line);
    const host = /listening on (127\.0\.0\.1:\d+)/u.exec(line)?.[1];
    if (host === undefined) continue;
    stderr.resume();
    return host;
  }
  throw new Error(`${PROGRAM} ended at its start: ${said.join("\n")}`);
}

/** Why tests with a registry are skipped on this daemon. */
export async function distrust({ call, kind }: Pick<TestDaemon, "call" | "kind">): Promise<string | undefined> {
  if (kind === "docker") return undefined;
  const registry = await startRegistry();
  const { body } = await call({ method: "POST", path: `/images/create?fromImage=${registry.host}/none:1` });
  await registry.stop();
  if (!JSON.stringify(body).includes("HTTP response to HTTPS client")) return undefined;
  return `skipped: this Podman doesn't take 127.0.0.1 for an insecure registry, see test/support/registry.ts`;
}
