import { once } from "node:events";
import { createServer, type IncomingMessage, request, type ServerResponse } from "node:http";
import { mkdtempSync, rmSync } from "node:fs";
import type { Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** A write on its way to the daemon: before it is forwarded, and before its answer goes back. */
export type Passing = {
  /** `POST /containers/create` */
  readonly write: string;
  readonly when: "before" | "after";
};

export type Listener = (passing: Passing) => Promise<"drop" | undefined> | "drop" | undefined;

/** Stands between one service and a daemon, and sees each call. */
export type DaemonFront = {
  /** `unix:///…`, for DOCKER_HOST. */
  readonly host: string;
  /** Called at each write, which waits for it, and is dropped if the answer is "drop". One listener at a time. */
  readonly onPassing: (listener: Listener) => void;
  readonly close: () => Promise<void>;
};

export async function openDaemonFront(socketPath: string): Promise<DaemonFront> {
  const folder = mkdtempSync(join(tmpdir(), "gantry-front-"));
  const own = join(folder, "daemon.sock");
  let listener: Listener = () => undefined;
  const sockets = new Set<Socket>();
  const pass = async (asked: IncomingMessage, answer: ServerResponse): Promise<void> => {
    const write = `${asked.method} ${asked.url?.split("?")[0]?.replace(/^\/v[\d.]+/u, "")}`;
    const mayPass = async (when: Passing["when"]) =>
      asked.method === "GET" || (await listener({ write, when })) !== "drop";
    if (!(await mayPass("before"))) {
      answer.destroy();
      return;
    }
    const { url, method, headers } = asked;
    const onward = request({ socketPath, path: url, method, headers, agent: false });
    answer.on("close", () => onward.destroy());
    asked.pipe(onward);
    const [reply] = (await once(onward, "response")) as [IncomingMessage]; // Node's event
    onward.on("error", () => undefined);
    if (!(await mayPass("after"))) {
      answer.destroy();
      return;
    }
    answer.writeHead(reply.statusCode ?? 502, reply.headers);
    // Headers of a stream arrive before its first byte.
    answer.flushHeaders();
    reply.on("error", () => answer.destroy()).pipe(answer);
  };
  // A test that kills the service on the way leaves nobody to answer.
  const server = createServer((asked, answer) => void pass(asked, answer).catch(() => answer.destroy()));
  server.on("connection", (socket) => {
    sockets.add(socket);
    socket.on("close", () => sockets.delete(socket)).on("error", () => undefined);
  });
  server.listen(own);
  await once(server, "listening");
  return {
    host: `unix://${own}`,
    onPassing: (next) => (listener = next),
    async close() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
