import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { machineClock } from "../../../../../src/platform/clock.ts";
import { findDaemon } from "../../../../../src/service/engines/docker/daemon/find-daemon.ts";

type Answer = readonly [status: number, body: unknown];

/** What the fake answers to a path without its version: a status and a body, also by the request; or something else. */
export type FakeAnswer = Answer | ((response: ServerResponse, request: IncomingMessage) => Answer | void);

export type FakeDaemon = AsyncDisposable & {
  /** `unix:///…` */
  readonly host: string;
  readonly socketPath: string;
  /** Method and path of each request, with the version. */
  readonly asked: string[];
  /** Stops as a daemon does: connections end, the socket stays. */
  readonly stop: () => Promise<void>;
  readonly start: () => Promise<void>;
  readonly answers: Record<string, FakeAnswer>;
};

/** From Docker 20.10.24. */
const version = {
  Components: [{ Name: "Engine", Version: "20.10.24" }],
  Version: "20.10.24",
  ApiVersion: "1.41",
  MinAPIVersion: "1.12",
};

/** From Podman 4.3.1. */
export const podmanVersion = {
  Components: [{ Name: "Podman Engine", Version: "4.3.1" }, { Name: "Conmon" }],
  Version: "4.3.1",
  ApiVersion: "1.41",
  MinAPIVersion: "1.24",
};

/** A daemon without containers, on a Unix socket. It answers 404 to what it has no answer for. */
export async function fakeDaemon(own: Record<string, FakeAnswer> = {}): Promise<FakeDaemon> {
  const folder = mkdtempSync(join(tmpdir(), "gantry-daemon-"));
  const socketPath = join(folder, "docker.sock");
  const asked: string[] = [];
  const answers: Record<string, FakeAnswer> = {
    "/_ping": [200, "OK"],
    "/version": [200, version],
    "/info": [200, { MemTotal: 8 * 1024 ** 3, MemoryLimit: true }],
    "/containers/json": [200, []],
    "/networks": [200, []],
    "/volumes": [200, { Volumes: [] }],
    // Follows until the daemon ends.
    "/events": (response) => response.writeHead(200).flushHeaders(),
    ...own,
  };
  let server = createServer();

  async function start(): Promise<void> {
    server = createServer((request, response) => {
      const path = new URL(request.url ?? "/", "http://daemon").pathname;
      asked.push(`${request.method} ${path}`);
      const answer = answers[path.replace(/^\/v1\.\d+/u, "")] ?? [404, { message: "page not found" }];
      const given = typeof answer === "function" ? answer(response, request) : answer;
      if (given) respond(response, given);
    }).listen(socketPath);
    await once(server, "listening");
  }

  async function stop(): Promise<void> {
    server.closeAllConnections();
    server.close();
    await once(server, "close");
  }

  await start();
  return {
    host: `unix://${socketPath}`,
    socketPath,
    asked,
    answers,
    start,
    stop,
    async [Symbol.asyncDispose]() {
      if (server.listening) await stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** As the engine finds it. */
export function foundAt({ host }: Pick<FakeDaemon, "host">): ReturnType<typeof findDaemon> {
  return findDaemon({ dockerHost: host, tls: { isVerified: false } }, { clock: machineClock });
}

function respond(response: ServerResponse, [status, body]: Answer): void {
  response.writeHead(status, { "content-type": "application/json" });
  response.end(typeof body === "string" ? body : JSON.stringify(body));
}
