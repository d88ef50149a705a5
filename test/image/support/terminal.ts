import { execFile, execFileSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { once } from "node:events";
import { type IncomingMessage, request } from "node:http";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { text } from "node:stream/consumers";
import { freePort } from "../../support/free-port.ts";

/** What somebody has who follows docs/deployment.md: a checkout, a shell in it, and Docker. */
export type Terminal = {
  /** The sources that the checkout was copied from, with the tests. */
  readonly projectDir: string;
  /** What a command prints. Throws with its output when it fails. */
  readonly run: (command: string) => Promise<string>;
  readonly write: (path: string, content: string | Buffer) => void;
  /** What a browser gets from `http://localhost:PORT/PATH`. */
  readonly get: (port: DocumentedPort, path: string) => Promise<{ readonly status: number; readonly body: string }>;
  /** Removes its containers, volumes and files. Images stay, as in a cache. */
  readonly close: () => Promise<void>;
};

export type DocumentedPort = 3000 | 3001 | 3002;

const projectDir = resolve(import.meta.dirname, "../../..");
const sources = ["Dockerfile", ".dockerignore", "compose.yaml", "package.json", "package-lock.json", "openapi.yaml"];

/** The network of all containers: the tests' Docker has no bridge of its own. */
export const NETWORK = "shop";

/**
 * Adds to the documented commands what only this machine needs: the network of the tests, the host's network for `npm ci`,
 * and `docker-compose`, which Debian has in place of `docker compose`.
 */
const docker = `docker() {
  case "$1" in
    build) shift; command docker build --network host "$@" ;;
    run) shift; case "$*" in *"--network "*) command docker run "$@" ;; *) command docker run --network ${NETWORK} "$@" ;; esac ;;
    compose) shift; if command docker compose version >/dev/null 2>&1; then command docker compose "$@"; else docker-compose "$@"; fi ;;
    *) command docker "$@" ;;
  esac
}
`;

export async function openTerminal(host: string): Promise<Terminal> {
  const parent = mkdtempSync(join(tmpdir(), "gantry-checkout-"));
  // Compose names its project after the folder.
  const folder = join(parent, "gantry");
  mkdirSync(folder);
  for (const path of [...sources, "manifest.yml", "LICENSE", "src"])
    cpSync(join(projectDir, path), join(folder, path), { recursive: true });
  const ports = { 3000: await freePort(), 3001: await freePort(), 3002: await freePort() };
  const portsOfHost = `-e PORT=${ports[3000]} -e PLAYGROUND_PORT=${ports[3001]}`;
  const socket = host.replace("unix://", "");
  const env = { ...process.env, DOCKER_HOST: host, PORT: String(ports[3000]), COMPOSE_FILE: undefined };
  const run = (command: string): Promise<string> =>
    new Promise((done, failed) => {
      const here = command
        // The documented ports may be in use on this machine.
        .replaceAll(
          /127\.0\.0\.1:(300[012]):\1/gu,
          (_, port: string) => `127.0.0.1:${ports[Number(port) as DocumentedPort]}:${port}`, // by the pattern
        )
        .replaceAll("run --detach --name gantry --network host", `$& ${portsOfHost}`)
        // The machine's own Docker isn't touched.
        .replaceAll(/\/var\/run\/docker\.sock(?=[:)])/gu, socket);
      execFile("sh", ["-c", `${docker}${here}`], { cwd: folder, env, maxBuffer: 2 ** 26 }, (error, stdout, stderr) =>
        error === null ? done(`${stdout}${stderr}`) : failed(new Error(`${here}\n${stdout}${stderr}`)),
      );
    });
  await run(`docker network create ${NETWORK} || true`);
  return {
    projectDir,
    run,
    write: (path, content) => writeFileSync(join(folder, path), content),
    get: (port, path) => get({ port: ports[port], host: `localhost:${port}`, path }),
    async close() {
      await run("docker ps --all --quiet | xargs --no-run-if-empty docker rm --force --volumes");
      await run("docker volume ls --quiet | xargs --no-run-if-empty docker volume rm");
      rmSync(parent, { recursive: true, force: true });
    },
  };
}

async function get({ port, host, path }: { readonly port: number; readonly host: string; readonly path: string }) {
  const asked = request({ host: "127.0.0.1", port, path, headers: { host }, agent: false });
  asked.end();
  const [answer] = (await once(asked, "response")) as [IncomingMessage]; // Node's event
  return { status: answer.statusCode ?? 0, body: await text(answer) };
}

/** The sources of a commit as a tar archive; undefined where the history isn't there. */
export function archiveOf(commit: string): Buffer | undefined {
  try {
    return execFileSync("git", ["archive", commit], {
      cwd: projectDir,
      maxBuffer: 2 ** 28,
      stdio: ["ignore", "pipe", "ignore"],
    });
  } catch {
    return undefined;
  }
}
