import { once } from "node:events";
import { createServer, request } from "node:http";
import type { AddressInfo, Socket } from "node:net";

/**
 * Stands between a node and its registry, which it can make what a troubled one is. A node takes any registry of 127.0.0.1
 * without TLS.
 */
export type RegistryFront = AsyncDisposable & {
  /** `127.0.0.1:43210` */
  readonly host: string;
  /** `down`: it refuses connections. */
  readonly be: (state: "up" | "down" | "busy" | "full") => Promise<void>;
  /** Manifests that were asked for. */
  readonly asked: () => number;
};

/** Without a registry behind it, it has no images. */
export async function openRegistryFront(target?: string): Promise<RegistryFront> {
  let state: Parameters<RegistryFront["be"]>[0] = "up";
  let asked = 0;
  const sockets = new Set<Socket>();
  const server = createServer((from, to) => {
    if (from.url?.includes("/manifests/") === true) asked += 1;
    if (state === "busy") return void to.writeHead(503).end();
    if (state === "full") return void to.writeHead(429, { "content-type": "application/json" }).end(TOO_MANY);
    if (target === undefined) return void to.writeHead(404).end();
    const { method, headers } = from;
    const forwarded = request(`http://${target}${from.url}`, { method, headers, agent: false }, (answer) => {
      to.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(to);
    });
    forwarded.on("error", () => to.destroy());
    from.pipe(forwarded);
  });
  server.on("connection", (socket) => {
    sockets.add(socket);
    socket.on("close", () => sockets.delete(socket)).on("error", () => undefined);
  });
  const listen = async (port: number): Promise<void> => {
    server.listen(port, "127.0.0.1");
    await once(server, "listening");
  };
  const shut = async (): Promise<void> => {
    if (!server.listening) return;
    const closed = once(server, "close");
    server.close();
    for (const socket of sockets) socket.destroy();
    await closed;
  };
  await listen(0);
  const { port } = server.address() as AddressInfo; // it listens on a host and a port
  return {
    host: `127.0.0.1:${port}`,
    async be(next) {
      state = next;
      if (next === "down") await shut();
      else if (!server.listening) await listen(port);
    },
    asked: () => asked,
    [Symbol.asyncDispose]: shut,
  };
}

const TOO_MANY = JSON.stringify({
  errors: [{ code: "TOOMANYREQUESTS", message: "You have reached your pull rate limit." }],
});
